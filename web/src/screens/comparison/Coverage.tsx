import type { Coverage } from "../../api/types";

function Tick({ yes, children }: { yes: boolean; children: string }) {
  return <span className="tick">{yes ? "✓" : "–"} {children}{!yes && <span className="muted"> (not tried)</span>}</span>;
}

interface TwinCheck {
  twin: string;
  checked: { at: string; against: string; agrees: number; differs: number; current: boolean } | null;
}

function checkOf({ checked }: TwinCheck): string {
  if (checked === null) return "never checked against the real API";
  const total = checked.agrees + checked.differs;
  const told = `checked against ${checked.against} on ${checked.at.slice(0, 10)}: ${checked.agrees} of ${total} comparisons agreed`;
  return checked.current ? told : `${told}; changed since`;
}

/** What the cases tried, and what no expectation looks at. */
export function CoverageCard({ coverage }: { coverage: Coverage }) {
  const { tools, irreversible, unread_changes: unread, faults_without_effect: idle } = coverage;
  const paths = [...new Set(unread.map((one) => one.path))];
  const twins = (coverage.measured as { twins?: TwinCheck[] } | undefined)?.twins ?? [];
  return (
    <section className="card">
      <header><h2>Coverage</h2></header>
      <dl className="facts body">
        <dt>tools</dt>
        <dd>{tools.exercised.length} of {tools.total} called{tools.not_exercised.length > 0 && <>; never: <span className="mono">{tools.not_exercised.join(", ")}</span></>}</dd>
        {irreversible.map((one) => (
          <div key={one.tool} className="pair">
            <dt className="mono">{one.tool}</dt>
            <dd>
              <span className="muted">cannot be taken back</span>
              <Tick yes={one.exercised}>called</Tick>
              <Tick yes={one.timeout_after_effect}>answer lost after its effect</Tick>
              <Tick yes={one.success_without_effect}>success without effect</Tick>
            </dd>
          </div>
        ))}
        <dt>faults that took no effect</dt>
        <dd>{idle.length === 0 ? "none" : idle.map((one) => `${one.type} in ${one.scenario}`).join("; ")}</dd>
        <dt>changed, and no expectation looks at it</dt>
        <dd className="mono">{paths.length === 0 ? "nothing" : paths.slice(0, 8).join(", ")}{paths.length > 8 && ` and ${paths.length - 8} more`}</dd>
        {twins.map((one) => (
          <div key={one.twin} className="pair">
            <dt className="mono">{one.twin}</dt>
            <dd>{checkOf(one)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
