import { type FormEvent, useState } from "react";
import { api, segment } from "../../api/client";
import { useGet, useWrite, type Page } from "../../api/queries";
import type { Pair, Version } from "../../api/types";
import { Command, Empty, Loaded, Trouble } from "../../parts/parts";
import { go } from "../../router";

interface Listed {
  name: string;
}

export function StartPair({ close }: { close: () => void }) {
  const agents = useGet<Page<Listed>>("agents", { limit: 200 });
  return (
    <section className="card" aria-label="Start a comparison">
      <Loaded of={agents} rows={3}>
        {({ items }) => items.length > 0 ? <Form agents={items} close={close} /> : (
          <Empty title="No agent is known here."><p>Serve from a workspace that names one.</p><Command text="agenttwin init ." /></Empty>
        )}
      </Loaded>
    </section>
  );
}

function Form({ agents, close }: { agents: Listed[]; close: () => void }) {
  const [agent, setAgent] = useState(agents[0]?.name ?? "");
  const versions = useGet<Page<Version>>(`agents/${segment(agent)}/versions`, { limit: 200 });
  const suites = useGet<Page<Listed & { default?: boolean }>>("suites");
  const [chosen, choose] = useState({ baseline: "", candidate: "", suite: "", seed: "", trials: "" });
  const set = (key: keyof typeof chosen) => (event: { target: { value: string } }) => choose({ ...chosen, [key]: event.target.value });
  const start = useWrite((body: object) => api<Pair>("pairs", { method: "POST", body }), ["pairs", "runs"]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    const { baseline, candidate, suite, seed, trials } = chosen;
    const body = { agent, baseline, candidate, ...(suite && { suite }), ...(seed && { seed: Number(seed) }), ...(trials && { trials: Number(trials) }) };
    start.mutate(body, { onSuccess: (pair) => go(`/runs/pairs/${segment(pair.id)}`) });
  };
  const names = (versions.data?.items ?? []).map((one) => one.version);
  return (
    <form className="body form" onSubmit={send}>
      <Choice label="Agent" value={agent} names={agents.map((one) => one.name)} set={(event) => setAgent(event.target.value)} />
      <Choice label="Baseline" value={chosen.baseline} names={names} set={set("baseline")} empty="choose" />
      <Choice label="Candidate" value={chosen.candidate} names={names} set={set("candidate")} empty="choose" />
      <Choice label="Suite" value={chosen.suite} names={(suites.data?.items ?? []).map((one) => one.name)} set={set("suite")} empty="the default" optional />
      <label className="labelled">Seed<input className="field" inputMode="numeric" pattern="[0-9]*" value={chosen.seed} onChange={set("seed")} placeholder="the workspace's" /></label>
      <label className="labelled">Trials<input className="field" inputMode="numeric" pattern="[0-9]*" value={chosen.trials} onChange={set("trials")} placeholder="1" /></label>
      <div className="bar">
        <button type="submit" className="button primary" disabled={start.isPending}>Start</button>
        <button type="button" className="button" onClick={close}>Cancel</button>
      </div>
      {start.error && <Trouble error={start.error} />}
    </form>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  names: string[];
  set: (event: { target: { value: string } }) => void;
  empty?: string;
  optional?: boolean;
}

function Choice({ label, value, names, set, empty, optional }: ChoiceProps) {
  return (
    <label className="labelled">
      {label}
      <select className="field" required={!optional} value={value} onChange={set}>
        {empty && <option value="">{empty}</option>}
        {names.map((name) => <option key={name}>{name}</option>)}
      </select>
    </label>
  );
}
