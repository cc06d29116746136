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

function measured(totals: Totals, key: string): number | null {
  const all = (totals as unknown as { measured?: Record<string, unknown> }).measured;
  const value = all?.[key];
  return typeof value === "number" ? value : null;
}

function number(value: number | null): string {
  return value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 3 });
}

/** Sums of both sides: beside the verdict, never in it. */
export function Beside({ head }: { head: Head }) {
  const { baseline, candidate } = head.totals;
  const extra = MEASURED.filter(([key]) => measured(baseline, key) !== null || measured(candidate, key) !== null);
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
            {extra.map(([key, name]) => (
              <tr key={key}><td>{name}</td><td className="num">{number(measured(baseline, key))}</td><td className="num">{number(measured(candidate, key))}</td></tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
