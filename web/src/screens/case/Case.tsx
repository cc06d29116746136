import { useMemo, useState } from "react";
import { segment } from "../../api/client";
import { useGet } from "../../api/queries";
import type { Case as CaseDoc, Head, Which } from "../../api/types";
import { ClassMark, Command, Loaded } from "../../parts/parts";
import { go, Link, useAddress } from "../../router";
import { useKeys } from "../../shell/keys";
import { useTitle } from "../../shell/useTitle";
import { Answers } from "./Answers";
import { Expectations } from "./Expectations";
import { Logs } from "./Logs";
import { parting } from "./reading";
import { StateDifference } from "./StateDifference";
import { Testimony } from "./Testimony";
import { Trajectory } from "./Trajectory";

export type Names = Record<Which, string>;

export function Case({ id, scenario }: { id: string; scenario: string }) {
  const head = useGet<Head>(`comparisons/${segment(id)}`);
  const found = useGet<CaseDoc>(`comparisons/${segment(id)}/cases/${segment(scenario)}`);
  const [baseline, candidate] = [head.data?.baseline.version ?? "baseline", head.data?.candidate.version ?? "candidate"];
  const names = useMemo(() => ({ baseline, candidate }), [baseline, candidate]);
  useTitle(scenario);
  return <Loaded of={found} rows={14}>{(data) => <Whole id={id} found={data} names={names} agent={head.data?.baseline.agent ?? ""} />}</Loaded>;
}

function useStep(rows: number): [number, (step: number) => void] {
  const { hash } = useAddress();
  const told = /^step-(\d+)$/.exec(hash);
  const step = told ? Math.min(Number(told[1]), rows) : 0;
  return [step, (next) => go(`${location.pathname}${location.search}#step-${Math.max(1, Math.min(rows, next))}`, true)];
}

function Whole({ id, found, names, agent }: { id: string; found: CaseDoc; names: Names; agent: string }) {
  const rows = found.alignment;
  const apart = useMemo(() => parting(found), [found]);
  const [step, setStep] = useStep(rows.length);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [side, setSide] = useState<Which>("candidate");
  const toggle = (row: number) =>
    setOpen((now) => {
      const next = new Set(now);
      if (!next.delete(row)) next.add(row);
      return next;
    });
  useKeys([
    { key: "j", does: "next step", run: () => setStep(step + 1) },
    { key: "k", does: "previous step", run: () => setStep(step - 1) },
    { key: "n", does: "where they part", run: () => apart > 0 && setStep(apart) },
    { key: "Enter", does: "open or close the step", run: () => step > 0 && toggle(step) },
    { key: "u", does: "back to the comparison", run: () => go(`/comparisons/${segment(id)}`) },
  ]);
  return (
    <>
      <header className="stack tight">
        <p><Link href={`/comparisons/${segment(id)}`}>← {agent} {names.baseline} → {names.candidate}</Link></p>
        <div className="title case-title">
          <span className={`verdict-class still g-${found.classification}`}><ClassMark name={found.classification} /></span>
          <h1 className="mono">{found.scenario}</h1>
          <span className={found.severity === "critical" ? "chip strong" : "chip"}>{found.severity}</span>
          {found.tags.map((tag) => <span key={tag} className="chip">{tag}</span>)}
        </div>
        <p className="reason">{found.reason}</p>
        {found.description && <p className="prose muted">{found.description}</p>}
      </header>
      <Answers found={found} names={names} />
      <Trajectory found={found} names={names} apart={apart} step={step} setStep={setStep} open={open} toggle={toggle} side={side} setSide={setSide} />
      <StateDifference found={found} names={names} />
      <Expectations id={id} found={found} names={names} />
      <Testimony found={found} names={names} />
      <Logs found={found} names={names} />
      <section className="stack tight" aria-label="Run it again">
        <h2>Run it again</h2>
        <Command text={found.rerun} />
      </section>
    </>
  );
}
