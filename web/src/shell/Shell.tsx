import { type ReactNode, useState } from "react";
import { key } from "../api/client";
import { useEvents } from "../api/events";
import { useGet } from "../api/queries";
import type { Me } from "../api/types";
import { go, Link, useAddress } from "../router";
import { KeyHelp, useKeys } from "./keys";
import { Search } from "./Search";
import { SignIn } from "./SignIn";
import { ThemeSwitch } from "./theme";

const PLACES = [
  { to: "/", name: "Home", key: "h" },
  { to: "/comparisons", name: "Comparisons", key: "c" },
  { to: "/runs", name: "Runs", key: "r" },
  { to: "/scenarios", name: "Scenarios", key: "s" },
  { to: "/twins", name: "Twins", key: "t" },
  { to: "/agents", name: "Agents", key: "a" },
  { to: "/settings", name: "Settings", key: "e" },
];

function here(place: string, path: string): boolean {
  return place === "/" ? path === "/" : path === place || path.startsWith(`${place}/`);
}

export function Shell({ children }: { children: ReactNode }) {
  const { path } = useAddress();
  const me = useGet<Me>("me");
  const [sheet, setSheet] = useState<"keys" | "search" | null>(null);
  useEvents();
  useKeys([
    { key: "/", does: "search", run: () => setSheet("search") },
    { key: "?", does: "this list", run: () => setSheet("keys") },
    ...PLACES.map((place) => ({ key: `g ${place.key}`, does: `go to ${place.name.toLowerCase()}`, run: () => go(place.to) })),
  ]);
  if (me.error?.status === 401) return <SignIn refused={key() !== null} />;
  return (
    <div className="shell">
      <a className="skip" href="#main">Skip to the content</a>
      <header className="rail">
        <ProjectSwitch />
        <nav aria-label="Places">
          <ul>
            {PLACES.map((place) => (
              <li key={place.to}>
                <Link href={place.to} aria-current={here(place.to, path) ? "page" : undefined}>{place.name}</Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="rail-foot">
          <button type="button" className="button quiet small" onClick={() => setSheet("search")}>Search <kbd>/</kbd></button>
          <button type="button" className="button quiet small" onClick={() => setSheet("keys")}>Keys <kbd>?</kbd></button>
          <ThemeSwitch />
        </div>
      </header>
      <main id="main" tabIndex={-1}>{children}</main>
      {sheet === "keys" && <KeyHelp close={() => setSheet(null)} />}
      {sheet === "search" && <Search close={() => setSheet(null)} />}
    </div>
  );
}

function ProjectSwitch() {
  const { data } = useGet<Me>("me");
  if (!data || data.projects.length < 2)
    return <Link className="brand" href="/"><b>AgentTwin</b><span className="clip">{data?.workspace?.name ?? data?.project.title ?? " "}</span></Link>;
  return (
    <div className="brand">
      <b>AgentTwin</b>
      <select
        className="field"
        aria-label="Project"
        value={data.project.name}
        onChange={(event) => location.assign(`/?project=${encodeURIComponent(event.target.value)}`)}
      >
        {data.projects.map((one) => <option key={one.id} value={one.name}>{one.title || one.name}</option>)}
      </select>
    </div>
  );
}
