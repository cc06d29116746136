import { type FormEvent, useState } from "react";
import { api, segment } from "../../api/client";
import { useGet, usePages, useWrite } from "../../api/queries";
import type { AuditItem, Me, Project } from "../../api/types";
import { Ago, Loaded, Trouble, Waiting } from "../../parts/parts";
import { shown } from "../../parts/words";
import { useTitle } from "../../shell/useTitle";
import { Keys } from "./Keys";

export default function Settings() {
  useTitle("Settings");
  const me = useGet<Me>("me");
  return (
    <>
      <h1>Settings</h1>
      <Loaded of={me} rows={4}>
        {(data) => (
          <>
            <dl className="facts card body">
              <dt>you are</dt><dd>{data.actor}</dd>
              <dt>may</dt><dd>{data.scopes.map((scope) => <span key={scope} className="chip">{scope}</span>)}</dd>
              <dt>keys</dt><dd>{data.authentication ? "every request needs one" : "not needed: only this machine can reach the server"}</dd>
              <dt>workspace</dt><dd>{data.workspace?.name ?? "none: this server shows what is sent to it"}</dd>
              <dt>version</dt><dd className="mono">{data.version}</dd>
            </dl>
            {data.scopes.includes("admin")
              ? <><Projects me={data} /><Keys may={data.scopes} /><Audit /></>
              : data.authentication && <p className="muted">Projects, keys and the audit log need a key with the scope admin.</p>}
          </>
        )}
      </Loaded>
    </>
  );
}

function Projects({ me }: { me: Me }) {
  const [name, setName] = useState("");
  const create = useWrite(() => api<Project>("projects", { method: "POST", body: { name, title: name } }), ["projects", "me"]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined, { onSuccess: () => setName("") });
  };
  return (
    <section className="card" aria-label="Projects">
      <header><h2>Projects</h2><span className="muted">results are kept for as long as a project says</span></header>
      <ul className="rows">{me.projects.map((one) => <li key={one.id} className="setting-row"><ProjectRow project={one} /></li>)}</ul>
      {me.scopes.includes("owner") && <form className="body bar" onSubmit={send}>
        <input className="field short" aria-label="Name of the new project" placeholder="name" required pattern="[a-z0-9][a-z0-9_\-]{0,62}" title="Small letters, digits, - and _; at most 63." value={name} onChange={(event) => setName(event.target.value)} />
        <button type="submit" className="button" disabled={create.isPending}>New project</button>
      </form>}
      {create.error && <Trouble error={create.error} />}
    </section>
  );
}

function ProjectRow({ project }: { project: Project }) {
  const known = useGet<Project>(`projects/${segment(project.name)}`);
  const kept = (known.data ?? project).retention_days;
  const [days, setDays] = useState<string | null>(null);
  const save = useWrite(
    (retention_days: number | null) => api(`projects/${segment(project.name)}`, { method: "PATCH", body: { retention_days } }),
    ["projects"],
  );
  const value = days ?? (kept === null ? "" : String(kept));
  return (
    <form className="bar" onSubmit={(event) => { event.preventDefault(); save.mutate(value === "" ? null : Number(value), { onSuccess: () => setDays(null) }); }}>
      <b className="mono">{project.name}</b><span className="muted grow">{project.title}</span>
      <label className="bar">keep results for <input className="field short" inputMode="numeric" pattern="[0-9]*" placeholder="ever" value={value} onChange={(event) => setDays(event.target.value)} /> days</label>
      <button type="submit" className="button small" disabled={days === null || save.isPending} aria-label={`Save the retention of ${project.name}`}>Save</button>
      {save.error && <Trouble error={save.error} />}
    </form>
  );
}

function Audit() {
  const audit = usePages<AuditItem>("audit", {}, 50);
  return (
    <section className="card" aria-label="Audit log">
      <header><h2>Audit log</h2></header>
      {audit.error ? <Trouble error={audit.error} /> : !audit.data ? <Waiting rows={4} /> : audit.items.length === 0 ? <p className="body muted">Nothing was changed yet.</p> : (
        <div className="scroll" tabIndex={0} role="region" aria-label="Entries of the audit log"><table>
          <thead><tr><th scope="col">when</th><th scope="col">who</th><th scope="col">what</th><th scope="col">on</th><th scope="col">detail</th></tr></thead>
          <tbody>{audit.items.map((one) => <tr key={one.id}><td className="muted"><Ago at={one.at} /></td><td>{one.actor}</td><td className="mono">{one.action}</td><td className="mono">{one.target}</td><td className="mono">{Object.values(one.detail).some((value) => value !== null) ? shown(one.detail) : ""}</td></tr>)}</tbody>
        </table></div>
      )}
      {audit.hasNextPage && <div className="body"><button type="button" className="button" onClick={() => void audit.fetchNextPage()}>Older ones</button></div>}
    </section>
  );
}
