import { segment } from "../../api/client";
import { useGet, type Page } from "../../api/queries";
import type { Result, ScenarioDocument } from "../../api/types";
import { Ago, ClassMark, Id, Loaded } from "../../parts/parts";
import { Link } from "../../router";
import { useTitle } from "../../shell/useTitle";
import { Source } from "./Source";
import { Versions } from "./Versions";

export default function Scenario({ name }: { name: string }) {
  useTitle(name);
  const scenario = useGet<ScenarioDocument>(`scenarios/${segment(name)}`);
  return (
    <>
      <p><Link href="/scenarios">← Scenarios</Link></p>
      <Loaded of={scenario} rows={12}>
        {(data) => (
          <>
            <div className="title"><h1 className="mono">{data.name}</h1><span className={data.severity === "critical" ? "chip strong" : "chip"}>{data.severity}</span>{(data.tags ?? []).map((tag) => <span key={tag} className="chip">{tag}</span>)}<span className="push muted"><Id id={data.digest} label="digest" /></span></div>
            <p className="prose">{data.description}</p>
            <Source key={data.digest} text={data.text} file={data.file} problems={data.problems ?? []} />
          </>
        )}
      </Loaded>
      <Results name={name} />
      <Versions name={name} />
    </>
  );
}

function Results({ name }: { name: string }) {
  const results = useGet<Page<Result>>(`scenarios/${segment(name)}/results`, { limit: 50 });
  return (
    <section className="card">
      <header><h2>Results over time</h2></header>
      <Loaded of={results} rows={4}>
        {({ items }) => items.length === 0 ? <p className="body muted">It was never run.</p> : (
          <div className="scroll" tabIndex={0} role="region" aria-label="Results, newest first"><table>
            <thead><tr><th scope="col">versions</th><th scope="col">result</th><th scope="col">why</th><th scope="col" className="num">when</th></tr></thead>
            <tbody>
              {items.map((one) => (
                <tr key={one.comparison}>
                  <td><Link href={`/comparisons/${segment(one.comparison)}/cases/${segment(name)}`}>{one.baseline} → {one.candidate}</Link></td>
                  <td><ClassMark name={one.classification} /></td>
                  <td className="muted">{one.reason}</td>
                  <td className="num muted"><Ago at={one.created_at} /></td>
                </tr>
              ))}
            </tbody>
          </table></div>
        )}
      </Loaded>
    </section>
  );
}
