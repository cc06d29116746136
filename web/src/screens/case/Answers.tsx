import type { Case, Side, Which } from "../../api/types";
import { SIDES } from "../../api/types";
import { verdictOf } from "../../parts/words";
import type { Names } from "./Case";
import { brief, happened, lastPart } from "./reading";

/** On top of the page: what both said, and under it what the world says. */
export function Answers({ found, names }: { found: Case; names: Names }) {
  const facts = happened(found);
  const same = found.differences.same_answer;
  const apart = found.differences.state.length > 0;
  return (
    <section className="card answers" aria-label="Claimed and happened">
      <div className="asked"><span className="tag">customer</span><p>“{found.asked}”</p></div>
      <div className="answers-grid">
        <div className="answers-name"><span className="tag">claimed</span><span className={same ? "agree" : "differ"}>{same ? "identical" : "≠ different"}</span></div>
        {SIDES.map((which) => <Said key={which} side={found[which]} name={names[which]} which={which} />)}
        <div className="answers-name"><span className="tag">happened</span><span className={apart ? "differ strong" : "agree"}>{apart ? "≠ different" : "the same"}</span></div>
        {SIDES.map((which) => (
          <div key={which} className="happened">
            <div className="narrow-name tag">{names[which]} · happened</div>
            <p><Verified side={found[which]} /></p>
            {facts.length === 0 ? <p className="muted">Nothing was changed.</p> : (
              <dl>
                {facts.map((one) => {
                  const differs = JSON.stringify(one.baseline) !== JSON.stringify(one.candidate);
                  return (
                    <div key={one.path} className={differs ? "apart" : undefined} title={one.path}>
                      <dt>{lastPart(one.path)}</dt><dd>{brief(one[which])}</dd>
                    </div>
                  );
                })}
              </dl>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}

function Said({ side, name, which }: { side: Side; name: string; which: Which }) {
  return (
    <div className="claimed">
      <div className="bar"><b>{name}</b><span className="tag">{which} claimed</span><span className="mono">{side.claimed_outcome}{side.claim_inferred && " (inferred)"}</span></div>
      {side.answer === null ? <p className="muted">It gave no answer.</p> : <p>“{side.answer}”</p>}
    </div>
  );
}

function Verified({ side }: { side: Side }) {
  const verdict = verdictOf(side.verdict);
  return (
    <>
      <span className="tag">verified </span>
      <b className="mono">{side.outcome?.status ?? "unknown"}</b>
      <span className="muted"> · expectations {verdict.word}</span>
    </>
  );
}
