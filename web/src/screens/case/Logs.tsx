import type { Case } from "../../api/types";
import { SIDES } from "../../api/types";
import type { Names } from "./Case";

const STREAMS = ["stdout", "stderr", "traceback"];

export function Logs({ found, names }: { found: Case; names: Names }) {
  const all = SIDES.flatMap((which) =>
    STREAMS.map((stream) => ({ which, stream, text: (found[which].measured as Record<string, unknown>)[stream] })),
  ).filter((one): one is typeof one & { text: string } => typeof one.text === "string" && one.text !== "");
  return (
    <details className="card changed">
      <summary><h2>What the agent printed</h2><span className="muted">{all.length === 0 ? "nothing" : all.map((one) => `${names[one.which]} ${one.stream}`).join(", ")}</span></summary>
      <div className="body">
        {all.length === 0 && <p className="muted">Neither side wrote to its standard streams.</p>}
        {all.map((one) => (
          <div key={one.which + one.stream}>
            <h3>{names[one.which]} {one.stream}</h3>
            <pre className="json" tabIndex={0} role="region" aria-label={`${names[one.which]} ${one.stream}`}>{one.text}</pre>
          </div>
        ))}
      </div>
    </details>
  );
}
