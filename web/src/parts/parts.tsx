/** The small parts that every screen is made of. */
import { type ReactNode, useEffect, useState } from "react";
import type { ApiError } from "../api/client";
import type { Classification, Counts } from "../api/types";
import { CLASSES, classWord, plural, present, short, shown } from "./words";

export function ClassMark({ name, children }: { name: Classification; children?: ReactNode }) {
  return (
    <span className={`cls c-${name}`}>
      <span className="shape" aria-hidden="true">{CLASSES[name].shape}</span>
      <span>{children ?? classWord(name)}</span>
    </span>
  );
}

export function ClassCounts({ counts }: { counts: Counts }) {
  return (
    <span className="bar counts">
      {present(counts).map(([name, count]) => (
        <ClassMark key={name} name={name}>
          {plural(count, CLASSES[name].one, CLASSES[name].many)}
        </ClassMark>
      ))}
    </span>
  );
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]];

function ago(instant: number): string {
  const gone = instant - Date.now();
  for (const [unit, length] of STEPS)
    if (Math.abs(gone) >= length) return relative.format(Math.round(gone / length), unit);
  return "just now";
}

/** An instant, relative; the exact one in the reader's zone on hover. */
export function Ago({ at }: { at: string | null | undefined }) {
  const [, again] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => again((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return <span className="muted">–</span>;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  return <time dateTime={at} title={exact.format(date)}>{ago(date.getTime())}</time>;
}

function useCopy(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, () => void navigator.clipboard?.writeText(text).then(() => setCopied(true), () => undefined)];
}

/** An id, short on the screen and whole on the clipboard. */
export function Id({ id, label = "id" }: { id: string; label?: string }) {
  const [copied, copy] = useCopy(id);
  return (
    <button type="button" className="copy" title={id} onClick={copy}>
      {copied ? "copied" : short(id)}<span className="hidden">, copy the whole {label}</span>
    </button>
  );
}

export function Command({ text }: { text: string }) {
  const [copied, copy] = useCopy(text);
  return (
    <div className="command">
      <code tabIndex={0} role="region" aria-label="Command">{text}</code>
      <button type="button" className="button small" onClick={copy} aria-label={`Copy the command ${text}`}>
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}

export function Json({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return <pre className="json" tabIndex={0} role="region" aria-label={label}>{text ?? "–"}</pre>;
}

/** What the agent said: in quotation marks, on its own ground, labelled. */
export function Claimed({ children, label = "claimed" }: { children: ReactNode; label?: string }) {
  return (
    <div className="claimed">
      <span className="tag">{label}</span>
      <p>{children}</p>
    </div>
  );
}

export function Trouble({ error }: { error: ApiError }) {
  return (
    <div className="problem" role="alert">
      <strong>{error.message}</strong>
      {error.where && <span className="mono">{error.where}</span>}
      {error.hint && <span>{error.hint}</span>}
      <span className="muted mono">{error.code}</span>
    </div>
  );
}

/** Space that what is loading will take, so that nothing moves when it comes. */
export function Waiting({ rows = 6 }: { rows?: number }) {
  return (
    <div className="stack card body" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => <span key={row} className="wait" />)}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface Answer<T> {
  data: T | undefined;
  error: ApiError | null;
}

/** What a query knows: trouble, nothing yet, or the thing itself. */
export function Loaded<T>({ of, rows, children }: { of: Answer<T>; rows?: number; children: (data: T) => ReactNode }) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  return of.error ? <Trouble error={of.error} /> : <Waiting rows={rows ?? 6} />;
}

/** A JSON value as a tree, opened to a depth. */
export function Tree({ name, value, open = 1 }: { name?: string; value: unknown; open?: number }) {
  if (value === null || typeof value !== "object" || Object.keys(value).length === 0)
    return <div>{name !== undefined && <span className="muted">{name}: </span>}{shown(value)}</div>;
  const parts = Object.entries(value);
  const size = Array.isArray(value) ? `[${parts.length}]` : `{${parts.length}}`;
  return <Branch name={name} parts={parts} size={size} open={open} />;
}

function Branch({ name, parts, size, open }: { name: string | undefined; parts: [string, unknown][]; size: string; open: number }) {
  const [shownNow, show] = useState(open > 0);
  return (
    <details open={shownNow} onToggle={(event) => show(event.currentTarget.open)}>
      <summary>{name ?? "state"} <span className="muted">{size}</span></summary>
      {shownNow && parts.slice(0, 500).map(([key, part]) => <Tree key={key} name={key} value={part} open={open - 1} />)}
      {shownNow && parts.length > 500 && <div className="muted">… and {parts.length - 500} more</div>}
    </details>
  );
}
