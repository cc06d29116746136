import { api, segment } from "../../api/client";
import { useGet, usePages, useWrite } from "../../api/queries";
import type { Run, SingleCase } from "../../api/types";
import { Ago, Id, Loaded, Trouble, Waiting } from "../../parts/parts";
import { verdictOf } from "../../parts/words";
import { go, Link } from "../../router";
import { useTitle } from "../../shell/useTitle";
import { Progress, State, UNDER_WAY } from "./PairTable";

export default function RunScreen({ id }: { id: string }) {
  const run = useGet<Run>(`runs/${segment(id)}`);
  return <Loaded of={run}>{(data) => <Whole run={data} />}</Loaded>;
}

function Whole({ run }: { run: Run }) {
  useTitle(`${run.agent} ${run.version}`);
  const path = `runs/${segment(run.id)}`;
  const cases = usePages<SingleCase>(`${path}/cases`, {}, 200);
  const cancel = useWrite(() => api<Run>(`${path}/cancel`, { method: "POST", body: {} }), ["runs"]);
  const again = useWrite(() => api<Run>(`${path}/again`, { method: "POST", body: {} }), ["runs"]);
  const running = UNDER_WAY.includes(run.state);
  return (
    <>
      <p><Link href="/runs">← Runs</Link></p>
      <div className="title"><h1><span className="muted">{run.agent}</span> {run.version}</h1><State state={run.state} /><span className="push muted"><Id id={run.id} /> · <Ago at={run.created_at} /></span></div>
      <section className="card body stack" aria-live="polite">
        <Progress done={run.done} total={run.total} state={run.state} />
        <div className="bar">
          {running
            ? <button type="button" className="button" disabled={cancel.isPending} onClick={() => cancel.mutate(undefined)}>Cancel</button>
            : <button type="button" className="button" disabled={again.isPending} onClick={() => again.mutate(undefined, { onSuccess: (next) => go(`/runs/${segment(next.id)}`) })}>Run again</button>}
        </div>
        {(cancel.error ?? again.error) && <Trouble error={(cancel.error ?? again.error)!} />}
      </section>
      <section className="card">
        <header><h2>Cases</h2></header>
        {cases.error ? <Trouble error={cases.error} /> : !cases.data ? <Waiting /> : (
          <div className="scroll" tabIndex={0} role="region" aria-label="Cases of this run"><table>
            <thead><tr><th scope="col">verdict</th><th scope="col">scenario</th><th scope="col">claimed</th><th scope="col">why</th><th scope="col" className="num">tool calls</th></tr></thead>
            <tbody>
              {cases.items.map((one, index) => {
                const verdict = verdictOf(one.verdict);
                return (
                  <tr key={`${one.scenario}-${index}`}>
                    <td><span aria-hidden="true">{verdict.shape}</span> {one.outcome === "errored" && one.side.verdict === null ? "never ran" : verdict.word}</td>
                    <td className="mono"><Link href={`/runs/${segment(run.id)}/cases/${segment(one.scenario)}${one.trial > 1 ? `?trial=${one.trial}` : ""}`}>{one.scenario}</Link></td>
                    <td className="mono">“{one.side.claimed_outcome}”</td>
                    <td>{one.reason}</td>
                    <td className="num">{one.side.tool_calls}</td>
                  </tr>
                );
              })}
            </tbody>
          </table></div>
        )}
        {cases.hasNextPage && <div className="body"><button type="button" className="button" onClick={() => void cases.fetchNextPage()}>More</button></div>}
      </section>
    </>
  );
}
