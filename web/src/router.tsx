/** The address bar is the app's state: a path, a query, a hash. */
import { type AnchorHTMLAttributes, type MouseEvent, useMemo, useSyncExternalStore } from "react";

const CHANGED = "agenttwin:navigated";

function subscribe(listener: () => void): () => void {
  for (const kind of ["popstate", "hashchange", CHANGED]) addEventListener(kind, listener);
  return () => {
    for (const kind of ["popstate", "hashchange", CHANGED]) removeEventListener(kind, listener);
  };
}

export function useAddress(): { path: string; query: URLSearchParams; hash: string } {
  const href = useSyncExternalStore(subscribe, () => location.pathname + location.search + location.hash);
  return useMemo(() => {
    const url = new URL(href, location.origin);
    return { path: url.pathname, query: url.searchParams, hash: url.hash.slice(1) };
  }, [href]);
}

/** An address within the app, with the project that is open. */
export function within(to: string): string {
  const url = new URL(to, location.origin);
  const project = new URLSearchParams(location.search).get("project");
  if (project && !url.searchParams.has("project")) url.searchParams.set("project", project);
  return url.pathname + url.search + url.hash;
}

export function go(to: string, replace = false): void {
  const moved = new URL(to, location.origin).pathname !== location.pathname;
  history[replace ? "replaceState" : "pushState"](null, "", within(to));
  dispatchEvent(new Event(CHANGED));
  if (moved && !replace) scrollTo(0, 0);
}

/** Changes parts of the query in place; empty ones go. */
export function setQuery(changes: Record<string, string>): void {
  const url = new URL(location.href);
  for (const [key, value] of Object.entries(changes))
    if (value) url.searchParams.set(key, value);
    else url.searchParams.delete(key);
  go(url.pathname + url.search + url.hash, true);
}

export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(href);
  };
  return <a {...rest} href={within(href)} onClick={follow} />;
}

/** The parts of a path that a pattern like `/runs/:id` names, decoded, or nothing. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.replace(/\/+$/, "").split("/");
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? "";
    if (part.startsWith(":")) {
      try {
        found[part.slice(1)] = decodeURIComponent(text);
      } catch {
        return null;
      }
    } else if (part !== text) return null;
  }
  return found;
}
