import { useState } from "react";
import type { Case, Evaluation, Which } from "../../api/types";
import { SIDES } from "../../api/types";
import { verdictOf } from "../../parts/words";
import type { Names } from "./Case";
import { OverrideForm } from "./OverrideForm";

interface Pair {
  id: string;
  baseline: Evaluation | undefined;
  candidate: Evaluation | undefined;
}

function pairs(found: Case): Pair[] {
  const ids = [...new Set([...found.candidate.evaluations, ...found.baseline.evaluations].map((one) => one.id))];
  const all = ids.map((id) => ({
    id,
    baseline: found.baseline.evaluations.find((one) => one.id === id),
    candidate: found.candidate.evaluations.find((one) => one.id === id),
  }));
  const worse = new Set(found.worse);
  const weight = (one: Pair) => (worse.has(one.id) ? 0 : one.candidate?.verdict === "FAIL" ? 1 : one.candidate?.verdict === "PASS" ? 3 : 2);
  return all.sort((one, other) => weight(one) - weight(other));
}

export function Expectations({ id, found, names }: { id: string; found: Case; names: Names }) {
  const [editing, edit] = useState<{ id: string; side: Which } | null>(null);
  return (
    <section className="card" aria-label="Expectations">
      <header><h2>Expectations</h2><span className="muted">what had to be so, and why it was or was not</span></header>
      <ul className="expectations">
        {pairs(found).map((one) => {
          const either = one.candidate ?? one.baseline;
          return (
            <li key={one.id} className={found.worse.includes(one.id) ? "worse" : undefined}>
              <div className="expectation-name">
                <span className="mono">{one.id}</span>
                <span className="bar">{either?.critical && <span className="chip strong">critical</span>}<span className="muted">{either?.type}</span></span>
              </div>
              {SIDES.map((which) => (
                <Held key={which} name={names[which]} held={one[which]} why={found.expected_failures[one.id]} edit={() => edit({ id: one.id, side: which })} />
              ))}
              {editing?.id === one.id && (
                <OverrideForm
                  comparison={id} found={found} expectation={one.id} side={editing.side} name={names[editing.side]}
                  now={one[editing.side]?.verdict ?? ""} close={() => edit(null)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {found.candidate.evaluations.length === 0 && found.baseline.evaluations.length === 0 && <p className="body muted">Nothing was graded.</p>}
    </section>
  );
}

interface HeldProps {
  name: string;
  held: Evaluation | undefined;
  why: string | undefined;
  edit?: () => void;
}

/** How one expectation came out on one side; without `edit` it cannot be overridden here. */
export function Held({ name, held, why, edit }: HeldProps) {
  if (!held) return <div className="held muted">{name}: not graded</div>;
  const verdict = verdictOf(held.verdict);
  const original = held.overridden ? (held.overridden as { original?: { verdict?: string } | string }).original : undefined;
  const was = typeof original === "string" ? original : original?.verdict;
  return (
    <div className={`held v-${held.verdict}`}>
      <div className="bar">
        <b><span aria-hidden="true">{verdict.shape}</span> {verdict.word}</b><span className="muted">{name}</span>
        {edit && <button type="button" className="button quiet small" onClick={edit} aria-label={`Override ${held.id} on ${name}`}>Override</button>}
      </div>
      <p>{held.reason}</p>
      {held.judge && <p className="muted">Judged by {held.judge.provider}{held.judge.kind === "deterministic-fake" && ", not a language model"}{held.calibrated === false && ", not calibrated"}.</p>}
      {held.expected_to_fail && <p className="muted">Known to fail{why ? `: ${why}` : ""}.</p>}
      {held.overridden && (
        <p className="overridden"><strong>Overridden</strong> by {held.overridden.by}{was && <> (was {verdictOf(was).word})</>}: {held.overridden.note}</p>
      )}
    </div>
  );
}
