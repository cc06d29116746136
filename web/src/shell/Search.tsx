import { useEffect, useRef, useState } from "react";
import { useGet, type Page } from "../api/queries";
import type { ComparisonItem } from "../api/types";
import { go } from "../router";

interface Found {
  to: string;
  kind: string;
  text: string;
}

const MOST = 12;

function matching(all: Found[], text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((one) => words.every((word) => `${one.kind} ${one.text}`.toLowerCase().includes(word))).slice(0, MOST);
}

/** Jumps to anything by its name. */
export function Search({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const comparisons = useGet<Page<ComparisonItem>>("comparisons", { limit: 50 });
  const scenarios = useGet<Page<{ name: string }>>("scenarios", { limit: 200 });
  const twins = useGet<Page<{ name: string }>>("twins", { limit: 50 });
  const agents = useGet<Page<{ name: string }>>("agents", { limit: 50 });
  useEffect(() => dialog.current?.showModal(), []);
  const waiting = [comparisons, scenarios, twins, agents].some((one) => one.isPending);
  const named = (kind: string, path: string, items: { name: string }[] | undefined): Found[] =>
    (items ?? []).map(({ name }) => ({ kind, text: name, to: `/${path}/${encodeURIComponent(name)}` }));
  const found = matching([
    ...(comparisons.data?.items ?? []).map((one) => ({
      kind: "comparison", text: `${one.agent} ${one.baseline.version} → ${one.candidate.version}`, to: `/comparisons/${one.id}`,
    })),
    ...named("scenario", "scenarios", scenarios.data?.items),
    ...named("twin", "twins", twins.data?.items),
    ...named("agent", "agents", agents.data?.items),
  ], text);
  const open = (one: Found | undefined) => {
    if (!one) return;
    dialog.current?.close();
    go(one.to);
  };
  return (
    <dialog ref={dialog} className="sheet search" onClose={close} aria-label="Search">
      <input
        className="field"
        type="search"
        placeholder="Comparison, scenario, twin, agent"
        aria-label="Search for a comparison, scenario, twin or agent"
        value={text}
        onChange={(event) => { setText(event.target.value); setAt(0); }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step) { event.preventDefault(); setAt(Math.max(0, Math.min(found.length - 1, at + step))); }
          if (event.key === "Enter") open(found[at]);
        }}
      />
      <ul>
        {found.map((one, index) => (
          <li key={one.to}>
            <button type="button" className={index === at ? "found at" : "found"} onClick={() => open(one)}>
              <span className="muted">{one.kind}</span> <span className="mono">{one.text}</span>
            </button>
          </li>
        ))}
        {found.length === 0 && <li className="muted pad">{waiting ? "Looking …" : "Nothing is called that."}</li>}
      </ul>
    </dialog>
  );
}
