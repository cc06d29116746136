import type { Case } from "../../api/types";
import { SIDES } from "../../api/types";
import { Tree } from "../../parts/parts";
import type { Names } from "./Case";
import { Changes } from "./Changes";

export function StateDifference({ found, names }: { found: Case; names: Names }) {
  const apart = found.differences.state;
  return (
    <section className="card">
      <header><h2>State difference</h2><span className="muted">the world at the end, {names.baseline} against {names.candidate}</span></header>
      {apart.length > 0
        ? <Changes changes={apart} before={names.baseline} after={names.candidate} />
        : <p className="body muted">Both worlds ended the same.</p>}
      <details className="body more">
        <summary>The whole state at the end</summary>
        <div className="cols">
          {SIDES.map((which) => <div key={which} className="tree"><h3>{names[which]}</h3><Tree value={found[which].final_state} /></div>)}
        </div>
      </details>
    </section>
  );
}
