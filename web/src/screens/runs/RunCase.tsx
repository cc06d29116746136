import { useState } from "react";
import { segment } from "../../api/client";
import { useGet } from "../../api/queries";
import type { Run, SingleCase } from "../../api/types";
import { Command, Loaded } from "../../parts/parts";
import { shown, verdictOf } from "../../parts/words";
import { go, Link, useAddress } from "../../router";
import { useKeys } from "../../shell/keys";
import { useTitle } from "../../shell/useTitle";
import { Changes } from "../case/Changes";
import { Held } from "../case/Expectations";
import { Printed } from "../case/Logs";
import { finals } from "../case/reading";
import { SoloSteps } from "../case/SoloSteps";
import { Report } from "../case/Testimony";

/** One case of one version: the side by side page, with one side. */
export default function RunCase({ id, scenario }: { id: string; scenario: string }) {
  const { query } = useAddress();
  const run = useGet<Run>(`runs/${segment(id)}`);
  const found = useGet<SingleCase>(`runs/${segment(id)}/cases/${segment(scenario)}`, { trial: query.get("trial") });
  useTitle(scenario);
  return <Loaded of={found} rows={14}>{(data) => <Whole id={id} found={data} run={run.data} />}</Loaded>;
}

function Whole({ id, found, run }: { id: string; found: SingleCase; run: Run | undefined }) {
  const { hash } = useAddress();
  const steps = found.steps.length;
  const step = Math.min(Number(/^step-(\d+)$/.exec(hash)?.[1] ?? 0), steps);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const name = run?.version ?? "this version";
  const set = (next: number) => go(`${location.pathname}${location.search}#step-${Math.max(1, Math.min(steps, next))}`, true);
  const toggle = (row: number) =>
    setOpen((now) => {
      const next = new Set(now);
      if (!next.delete(row)) next.add(row);
      return next;
    });
  useKeys([
    { key: "j", does: "next step", run: () => set(step + 1) },
    { key: "k", does: "previous step", run: () => set(step - 1) },
    { key: "Enter", does: "open or close the step", run: () => step > 0 && toggle(step) },
    { key: "u", does: "back to the run", run: () => go(`/runs/${segment(id)}`) },
  ]);
  return (
    <>
      <header className="stack tight">
        <p><Link href={`/runs/${segment(id)}`}>← {run?.agent ?? "Run"} {run?.version ?? ""}</Link></p>
        <Verdict found={found} />
        <p className="reason">{found.reason}</p>
        {found.description && <p className="prose muted">{found.description}</p>}
      </header>
      <Answer found={found} name={name} />
      <SoloSteps found={found} name={name} step={step} open={open} choose={(row) => { set(row); toggle(row); }} />
      <section className="card" aria-label="Expectations">
        <header><h2>Expectations</h2><span className="muted">what had to be so, and why it was or was not</span></header>
        <ul className="expectations solo">
          {found.side.evaluations.map((one) => (
            <li key={one.id} className={one.verdict === "FAIL" ? "worse" : undefined}>
              <div className="expectation-name">
                <span className="mono">{one.id}</span>
                <span className="bar">{one.critical && <span className="chip strong">critical</span>}<span className="muted">{one.type}</span></span>
              </div>
              <Held name={name} held={one} why={found.expected_failures[one.id]} />
            </li>
          ))}
        </ul>
        {found.side.evaluations.length === 0 && <p className="body muted">Nothing was graded.</p>}
      </section>
      <section className="card">
        <header><h2>State changes</h2><span className="muted">the world before the case, against the world at its end</span></header>
        {found.side.state_changes.length > 0 ? <Changes changes={found.side.state_changes} /> : <p className="body muted">Nothing was changed.</p>}
      </section>
      <section className="card">
        <header><h2>Claims against evidence</h2></header>
        <div className="body"><Report side={found.side} name={name} /></div>
      </section>
      <Printed sides={[{ name, side: found.side }]} />
      <section className="stack tight" aria-label="Run it again"><h2>Run it again</h2><Command text={found.rerun} /></section>
    </>
  );
}

function Verdict({ found }: { found: SingleCase }) {
  const shape = found.outcome === "failed as expected" ? "–" : verdictOf(found.verdict).shape;
  return (
    <div className="title case-title">
      <b className="solo-verdict"><span aria-hidden="true">{shape}</span> {found.outcome}</b>
      <h1 className="mono">{found.scenario}</h1>
      <span className={found.severity === "critical" ? "chip strong" : "chip"}>{found.severity}</span>
      {found.trial > 1 && <span className="chip">trial {found.trial}</span>}
      {found.tags.map((tag) => <span key={tag} className="chip">{tag}</span>)}
    </div>
  );
}

function Answer({ found, name }: { found: SingleCase; name: string }) {
  const { side } = found;
  const facts = finals(side);
  return (
    <section className="card answers" aria-label="Claimed and happened">
      <div className="asked"><span className="tag">customer</span><p>“{found.asked}”</p></div>
      <div className="answers-grid solo">
        <span className="tag">claimed</span>
        <div className="claimed">
          <div className="bar"><b>{name}</b><span className="mono">{side.claimed_outcome}{side.claim_inferred && " (inferred)"}</span></div>
          {side.answer === null ? <p className="muted">It gave no answer.</p> : <p>“{side.answer}”</p>}
        </div>
        <span className="tag">happened</span>
        <div className="happened">
          <p><span className="tag">verified </span><b className="mono">{side.outcome?.status ?? "unknown"}</b></p>
          {facts.length === 0 ? <p className="muted">Nothing was changed.</p> : (
            <dl>{facts.map((one) => <div key={one.path} title={one.path}><dt>{one.path.split(".").at(-1)}</dt><dd>{shown(one.after)}</dd></div>)}</dl>
          )}
        </div>
      </div>
    </section>
  );
}
