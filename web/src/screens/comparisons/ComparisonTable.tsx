import { segment } from "../../api/client";
import type { ComparisonItem } from "../../api/types";
import { Ago, ClassCounts } from "../../parts/parts";
import { plural } from "../../parts/words";
import { Link } from "../../router";

/** Comparisons with their verdicts in words, newest first. */
export function ComparisonTable({ items, label }: { items: ComparisonItem[]; label: string }) {
  return (
    <ul className="rows" aria-label={label}>
      {items.map((one) => (
        <li key={one.id}>
          <Link href={`/comparisons/${segment(one.id)}`} className="row-link comparison-row">
            <span className="row-name"><b>{one.baseline.version} → {one.candidate.version}</b> <span className="muted">{one.agent}</span></span>
            <span>{one.state === "finished" ? <ClassCounts counts={one.counts} /> : <span className="chip">{one.state}</span>}</span>
            <span className="muted num">{plural(one.cases, "case")}</span>
            <span className="muted num"><Ago at={one.finished_at ?? one.created_at} /></span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
