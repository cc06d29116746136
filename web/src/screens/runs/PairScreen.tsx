import { api, segment } from "../../api/client";
import { useGet, useWrite } from "../../api/queries";
import type { Pair } from "../../api/types";
import { Ago, Command, Id, Loaded, Trouble } from "../../parts/parts";
import { shown } from "../../parts/words";
import { go, Link } from "../../router";
import { useTitle } from "../../shell/useTitle";
import { Progress, State, UNDER_WAY } from "./PairTable";

export default function PairScreen({ id }: { id: string }) {
  const pair = useGet<Pair>(`pairs/${segment(id)}`);
  return <Loaded of={pair}>{(data) => <Whole pair={data} />}</Loaded>;
}

function Whole({ pair }: { pair: Pair }) {
  useTitle(`${pair.baseline} → ${pair.candidate}`);
  const path = `pairs/${segment(pair.id)}`;
  const cancel = useWrite(() => api<Pair>(`${path}/cancel`, { method: "POST", body: {} }), ["pairs", "runs"]);
  const again = useWrite(() => api<Pair>(`${path}/again`, { method: "POST", body: {} }), ["pairs", "runs"]);
  const running = UNDER_WAY.includes(pair.state);
  return (
    <>
      <p><Link href="/runs">← Runs</Link></p>
      <div className="title"><h1><span className="muted">{pair.agent}</span> {pair.baseline} → {pair.candidate}</h1><State state={pair.state} /></div>
      <section className="card body stack" aria-live="polite">
        <Progress done={pair.done} total={pair.total} state={pair.state} />
        {pair.error && <p><strong>It ended early.</strong> {pair.error}</p>}
        {pair.state === "interrupted" && <p>The process that ran it is gone. Run it again: what was recorded is kept.</p>}
        <div className="bar">
          {pair.state === "finished" && <Link className="button primary" href={`/comparisons/${segment(pair.id)}`}>See the comparison</Link>}
          {running && <button type="button" className="button" disabled={cancel.isPending} onClick={() => cancel.mutate(undefined)}>Cancel</button>}
          {!running && <button type="button" className="button" disabled={again.isPending} onClick={() => again.mutate(undefined, { onSuccess: (next) => go(`/runs/pairs/${segment(next.id)}`) })}>Run again</button>}
        </div>
        {(cancel.error ?? again.error) && <Trouble error={(cancel.error ?? again.error)!} />}
      </section>
      <dl className="facts card body">
        <dt>seed</dt><dd className="mono">{shown(pair.seed)}</dd>
        <dt>started</dt><dd><Ago at={pair.created_at} /></dd>
        <dt>ended</dt><dd><Ago at={pair.finished_at} /></dd>
        <dt>id</dt><dd><Id id={pair.id} /></dd>
      </dl>
      <Command text={`agenttwin compare ${pair.baseline} ${pair.candidate} --seed ${pair.seed}`} />
    </>
  );
}
