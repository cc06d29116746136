import type { Head, Totals } from "../../api/types";

const ROWS: [keyof Totals & string, string][] = [
  ["passed", "passed"],
  ["failed", "failed"],
  ["errored", "errored"],
  ["expected_failures", "failed as expected"],
  ["tool_calls", "tool calls"],
  ["retries", "retries"],
];
const MEASURED: [string, string][] = [["latency_ms", "latency, ms"], ["tokens", "tokens"], ["cost_usd", "cost, USD"]];

interface Sum {
  baseline: number;
  candidate: number;
  cases: number;
}

/** What was measured, summed over the cases in which both sides know it. */
function sums(head: Head): Partial<Record<string, Sum>> {
  return (head.measured["totals"] ?? {}) as Partial<Record<string, Sum>>;
}

function number(value: number | null): string {
  return value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 3 });
}

/** Sums of both sides: beside the verdict, never in it. */
export function Beside({ head }: { head: Head }) {
  const { baseline, candidate } = head.totals;
  const measured = sums(head);
  const all = baseline.passed + baseline.failed + baseline.errored;
  return (
    <section className="card">
      <header><h2>Beside the verdict</h2></header>
      <div className="scroll" tabIndex={0} role="region" aria-label="Sums of both sides">
        <table>
          <thead><tr><th scope="col"><span className="hidden">Sum</span></th><th scope="col" className="num">{head.baseline.version}</th><th scope="col" className="num">{head.candidate.version}</th></tr></thead>
          <tbody>
            {ROWS.map(([key, name]) => (
              <tr key={key}><td>{name}</td><td className="num">{number(baseline[key])}</td><td className="num">{number(candidate[key])}</td></tr>
            ))}
            {MEASURED.map(([key, name]) => {
              const sum = measured[key];
              const part = sum && sum.cases < all;
              return (
                <tr key={key}>
                  <td>{name}{part && <span className="muted"> in {sum.cases} of {all} cases</span>}</td>
                  <td className="num">{number(sum?.baseline ?? null)}</td><td className="num">{number(sum?.candidate ?? null)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
