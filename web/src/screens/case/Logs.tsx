import type { Case, Side } from "../../api/types";
import { SIDES } from "../../api/types";
import type { Names } from "./Case";

const STREAMS = ["stdout", "stderr", "traceback"];

export function Logs({ found, names }: { found: Case; names: Names }) {
  return <Printed sides={SIDES.map((which) => ({ name: names[which], side: found[which] }))} />;
}

/** What the agents wrote to their standard streams. */
export function Printed({ sides }: { sides: { name: string; side: Side }[] }) {
  const all = sides.flatMap(({ name, side }, index) =>
    STREAMS.map((stream) => ({ id: `${index}-${stream}`, name: `${name} ${stream}`, text: side.measured[stream] })),
  ).filter((one): one is typeof one & { text: string } => typeof one.text === "string" && one.text !== "");
  return (
    <details className="card changed">
      <summary><h2>What the agent printed</h2><span className="muted">{all.length === 0 ? "nothing" : all.map((one) => one.name).join(", ")}</span></summary>
      <div className="body">
        {all.length === 0 && <p className="muted">Nothing was written to the standard streams.</p>}
        {all.map((one) => (
          <div key={one.id}>
            <h3>{one.name}</h3>
            <pre className="json" tabIndex={0} role="region" aria-label={one.name}>{one.text}</pre>
          </div>
        ))}
      </div>
    </details>
  );
}
