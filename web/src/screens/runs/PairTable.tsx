import { segment } from "../../api/client";
import type { Pair, Run } from "../../api/types";
import { Ago, Empty, Command } from "../../parts/parts";
import { Link } from "../../router";

export const UNDER_WAY = ["queued", "running"];

export function Progress({ done, total, state }: { done: number; total: number; state: string }) {
  if (!UNDER_WAY.includes(state)) return <span className="muted num">{done} of {total}</span>;
  return (
    <span className="progress">
      <progress max={Math.max(1, total)} value={done} aria-label={`${done} of ${total} done`} />
      <span className="num">{done} of {total}</span>
    </span>
  );
}

export function State({ state }: { state: string }) {
  return <span className={UNDER_WAY.includes(state) ? "chip strong" : "chip"}>{state}</span>;
}

export function PairTable({ items }: { items: Pair[] }) {
  if (items.length === 0) return <Empty title="No pair was run yet."><Command text="agenttwin compare BASELINE CANDIDATE" /></Empty>;
  return (
    <ul className="rows" aria-label="Pairs">
      {items.map((one) => (
        <li key={one.id}>
          <Link href={`/runs/pairs/${segment(one.id)}`} className="row-link run-row">
            <span className="row-name"><b>{one.baseline} → {one.candidate}</b> <span className="muted">{one.agent}</span></span>
            <State state={one.state} />
            <Progress done={one.done} total={one.total} state={one.state} />
            <span className="muted num"><Ago at={one.finished_at ?? one.created_at} /></span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function RunTable({ items }: { items: Run[] }) {
  if (items.length === 0) return <Empty title="No version was run alone yet."><Command text="agenttwin run VERSION" /></Empty>;
  return (
    <ul className="rows" aria-label="Versions run">
      {items.map((one) => (
        <li key={one.id}>
          <Link href={`/runs/${segment(one.id)}`} className="row-link run-row">
            <span className="row-name"><b>{one.version}</b> <span className="muted">{one.agent}</span></span>
            <State state={one.state} />
            <Progress done={one.done} total={one.total} state={one.state} />
            <span className="muted num"><Ago at={one.finished_at ?? one.created_at} /></span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
