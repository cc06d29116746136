import type { Case, Side } from "../../api/types";
import { SIDES } from "../../api/types";
import { shown } from "../../parts/words";
import type { Names } from "./Case";

/** What the agent itself reports of its calls, held against the record. */
export function Testimony({ found, names }: { found: Case; names: Names }) {
  return (
    <section className="card">
      <header><h2>Claims against evidence</h2></header>
      <div className="body cols">
        {SIDES.map((which) => <Report key={which} side={found[which]} name={names[which]} />)}
      </div>
    </section>
  );
}

/** One side's own account against the record. */
export function Report({ side, name }: { side: Side; name: string }) {
  const verified = side.outcome?.status;
  return (
    <div className="stack tight">
      <h3>{name}</h3>
      <dl className="facts">
        <dt>claimed outcome</dt><dd className="mono">“{side.claimed_outcome}”</dd>
        <dt>verified outcome</dt><dd className="mono">{verified ?? "unknown"}{verified && verified !== side.claimed_outcome && " ≠"}</dd>
        {side.business_outcome && <><dt>claimed business outcome</dt><dd className="mono">“{side.business_outcome}”</dd></>}
        <dt>its own list of calls</dt>
        <dd>
          {side.own_calls === null ? "It gave none." : side.disagreements.length === 0
            ? `${side.own_calls.length} calls; it agrees with the record.`
            : `${side.own_calls.length} calls; it disagrees with the record:`}
        </dd>
      </dl>
      {side.disagreements.length > 0 && <ul className="mono">{side.disagreements.map((one, index) => <li key={index}>≠ {shown(one)}</li>)}</ul>}
    </div>
  );
}
