import { segment } from "../../api/client";
import { useGet, type Page } from "../../api/queries";
import type { Classification, Problem } from "../../api/types";
import { Ago, ClassMark, Id, Loaded } from "../../parts/parts";
import { CLASSES, verdictOf } from "../../parts/words";
import { Link } from "../../router";
import { useTitle } from "../../shell/useTitle";
import { Source } from "./Source";

interface Document {
  name: string;
  severity: string;
  tags: string[];
  description: string;
  twin: string;
  agent: string | null;
  digest: string;
  text: string;
  file: string | null;
  problems: Problem[];
}

interface Result {
  comparison?: string | null;
  pair?: string | null;
  version?: string;
  agent?: string;
  verdict?: string | null;
  classification?: string | null;
  created_at?: string;
  at?: string;
}

interface Kept {
  digest: string;
  first_seen?: string;
  created_at?: string;
}

export default function Scenario({ name }: { name: string }) {
  useTitle(name);
  const scenario = useGet<Document>(`scenarios/${segment(name)}`);
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
      <div className="cols"><Results name={name} /><Versions name={name} /></div>
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
            <thead><tr><th scope="col">version</th><th scope="col">result</th><th scope="col" className="num">when</th></tr></thead>
            <tbody>
              {items.map((one, index) => {
                const verdict = verdictOf(one.verdict ?? null);
                const to = one.comparison ?? one.pair;
                return (
                  <tr key={index}>
                    <td>{to ? <Link href={`/comparisons/${segment(to)}/cases/${segment(name)}`}>{one.version ?? to}</Link> : one.version}</td>
                    <td>{one.classification && one.classification in CLASSES ? <ClassMark name={one.classification as Classification} /> : <>{verdict.shape} {verdict.word}</>}</td>
                    <td className="num muted"><Ago at={one.created_at ?? one.at} /></td>
                  </tr>
                );
              })}
            </tbody>
          </table></div>
        )}
      </Loaded>
    </section>
  );
}

function Versions({ name }: { name: string }) {
  const versions = useGet<Page<Kept>>(`scenarios/${segment(name)}/versions`, { limit: 50 });
  return (
    <section className="card">
      <header><h2>Versions of the document</h2></header>
      <Loaded of={versions} rows={4}>
        {({ items }) => items.length === 0 ? <p className="body muted">No run has kept one yet.</p> : (
          <table>
            <thead><tr><th scope="col">digest</th><th scope="col" className="num">first seen</th></tr></thead>
            <tbody>{items.map((one) => <tr key={one.digest}><td><Id id={one.digest} label="digest" /></td><td className="num muted"><Ago at={one.first_seen ?? one.created_at} /></td></tr>)}</tbody>
          </table>
        )}
      </Loaded>
    </section>
  );
}
