import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { segment } from "../../api/client";
import { usePages } from "../../api/queries";
import type { CaseItem, Classification, Counts } from "../../api/types";
import { ClassMark, Empty, Trouble, Waiting } from "../../parts/parts";
import { CLASSES, present } from "../../parts/words";
import { go, Link, setQuery, useAddress, within } from "../../router";
import { useKeys } from "../../shell/keys";

const ROW = 44;
const NARROW_ROW = 76;
const PAGE = 200;
const AHEAD = 150; // Rows before the end at which the next page is asked for: a second of fast scrolling.
const SEVERITIES = ["critical", "high", "medium", "low"];
const TYPING_MS = 200;

function useNarrow(): boolean {
  const [narrow, set] = useState(() => matchMedia("(max-width: 720px)").matches);
  useEffect(() => {
    const media = matchMedia("(max-width: 720px)");
    const changed = () => set(media.matches);
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, []);
  return narrow;
}

export function Cases({ id, total, counts }: { id: string; total: number; counts: Counts }) {
  const { query } = useAddress();
  const filters = { classification: query.get("class"), severity: query.get("severity"), text: query.get("q") };
  const filtered = Object.values(filters).some(Boolean);
  const cases = usePages<CaseItem>(`comparisons/${segment(id)}/cases`, filters, PAGE);
  return (
    <section className="card" aria-label="Cases">
      <header className="filters">
        <h2 className="pad-y">Cases</h2>
        <FilterText />
        <select
          className="field" aria-label="Class" value={filters.classification ?? ""}
          onChange={(event) => setQuery({ class: event.target.value })}
        >
          <option value="">every class</option>
          {present(counts).map(([name]) => <option key={name} value={name}>{CLASSES[name].one}</option>)}
        </select>
        <select
          className="field" aria-label="Severity" value={filters.severity ?? ""}
          onChange={(event) => setQuery({ severity: event.target.value })}
        >
          <option value="">every severity</option>
          {SEVERITIES.map((name) => <option key={name}>{name}</option>)}
        </select>
      </header>
      {cases.error && <Trouble error={cases.error} />}
      {!cases.data && !cases.error && <Waiting rows={Math.min(total, 12)} />}
      {cases.data && cases.items.length === 0 && (
        <Empty title="No case is like that.">
          {filtered && (
            <button type="button" className="button" onClick={() => setQuery({ class: "", severity: "", q: "" })}>Show all cases</button>
          )}
        </Empty>
      )}
      {cases.items.length > 0 && (
        <List id={id} items={cases.items} more={cases.hasNextPage} fetchMore={() => cases.isFetchingNextPage || void cases.fetchNextPage()} />
      )}
    </section>
  );
}

function FilterText() {
  const { query } = useAddress();
  const [text, setText] = useState(query.get("q") ?? "");
  useEffect(() => {
    if (text === (new URLSearchParams(location.search).get("q") ?? "")) return;
    const timer = setTimeout(() => setQuery({ q: text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      className="field" type="search" placeholder="Find a case by its words" aria-label="Find a case by its words"
      value={text} onChange={(event) => setText(event.target.value)}
    />
  );
}

interface ListProps {
  id: string;
  items: CaseItem[];
  more: boolean;
  fetchMore: () => void;
}

/** Only the rows on the screen exist; the next page is fetched before its first row comes into view. */
function List({ id, items, more, fetchMore }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(-1);
  const height = useNarrow() ? NARROW_ROW : ROW;
  const rows = useVirtualizer({
    count: items.length + (more ? 1 : 0),
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 10,
  });
  useEffect(() => rows.measure(), [height, rows]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && last >= items.length - AHEAD) fetchMore();
  });
  const to = (item: CaseItem) => `/comparisons/${segment(id)}/cases/${segment(item.scenario)}`;
  const move = (step: number) => {
    const next = Math.max(0, Math.min(items.length - 1, at + step));
    setAt(next);
    rows.scrollToIndex(next);
  };
  useKeys([
    { key: "j", does: "next case", run: () => move(1) },
    { key: "k", does: "previous case", run: () => move(-1) },
    { key: "Enter", does: "open the case", run: () => { const item = items[at]; if (item) go(to(item)); } },
  ]);
  return (
    <div ref={box} className="cases" tabIndex={0} role="region" aria-label="List of cases">
      <ul style={{ height: rows.getTotalSize() }}>
        {shown.map((row) => {
          const item = items[row.index];
          return (
            <li
              key={row.key} className={row.index === at ? "at" : undefined}
              style={{ height, transform: `translateY(${row.start}px)` }}
            >
              {item ? <CaseRow item={item} to={to(item)} /> : <span className="wait" />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The reason without the words that its class says already. */
function tail(reason: string): string {
  const [, after] = reason.split(/: (.+)/s);
  return after ? `fails ${after.replace(/\.$/, "")}` : reason;
}

function CaseRow({ item, to }: { item: CaseItem; to: string }) {
  const parting = item.divergence ? `parts at step ${item.divergence.step}` : "same steps";
  return (
    <Link href={within(to)} className={`case-row g-${item.classification}`}>
      <ClassMark name={item.classification as Classification} />
      <span className="case-name mono clip">{item.scenario}</span>
      <span className="case-severity"><span className={item.severity === "critical" ? "chip strong" : "chip"}>{item.severity}</span></span>
      <span className="case-reason clip" title={item.reason}>{item.why ?? tail(item.reason)}{item.overridden && <span className="chip">overridden</span>}</span>
      <span className="case-parting muted">{parting}</span>
    </Link>
  );
}
