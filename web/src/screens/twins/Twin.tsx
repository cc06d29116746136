import { segment } from "../../api/client";
import { useGet } from "../../api/queries";
import { Id, Json, Loaded, Tree } from "../../parts/parts";
import { Link } from "../../router";
import { useTitle } from "../../shell/useTitle";
import { Console } from "./Console";

export interface Tool {
  name: string;
  description: string | null;
  risk: string;
  role: string | null;
  input_schema: unknown;
  effect_key: string | null;
  handler: unknown;
  irreversible?: boolean;
}

export interface FaultKind {
  type: string;
  commit: string | null;
  answer: string | null;
  wire: string | null;
  status: number | null;
  can_know: boolean | null;
  description: string;
}

export interface TwinDocument {
  name: string;
  description: string | null;
  digest: string;
  text: string;
  tool_list: Tool[];
  state: unknown;
  faults: FaultKind[];
}

export default function Twin({ name }: { name: string }) {
  useTitle(name);
  const twin = useGet<TwinDocument>(`twins/${segment(name)}`);
  return (
    <>
      <p><Link href="/twins">← Twins</Link></p>
      <Loaded of={twin} rows={12}>
        {(data) => (
          <>
            <div className="title"><h1 className="mono">{data.name}</h1><span className="push muted"><Id id={data.digest} label="digest" /></span></div>
            {data.description && <p className="prose">{data.description}</p>}
            <Console twin={data} />
            <Tools tools={data.tool_list} />
            <div className="cols">
              <section className="card"><header><h2>State at the start</h2></header><div className="body tree tall" tabIndex={0} role="region" aria-label="State at the start"><Tree value={data.state} open={2} /></div></section>
              <section className="card"><header><h2>Source</h2></header><div className="body"><Json value={data.text} label="Source of the twin" /></div></section>
            </div>
            <Faults faults={data.faults} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Tools({ tools }: { tools: Tool[] }) {
  return (
    <section className="card">
      <header><h2>Tools</h2></header>
      <ul className="rows">
        {tools.map((one) => (
          <li key={one.name}>
            <details className="tool">
              <summary><b className="mono">{one.name}</b> <span className={one.risk === "WRITE_IRREVERSIBLE" ? "chip strong" : "chip"}>{one.risk}</span> <span className="muted">{one.description}</span></summary>
              {one.effect_key && <p><span className="muted">effect key</span> <span className="mono">{one.effect_key}</span></p>}
              <div className="cols">
                <div><h3>Arguments</h3><Json value={one.input_schema} label={`Arguments of ${one.name}`} /></div>
                <div><h3>What it does</h3><Json value={one.handler} label={`Handler of ${one.name}`} /></div>
              </div>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Faults({ faults }: { faults: FaultKind[] }) {
  return (
    <section className="card">
      <header><h2>Faults</h2><span className="muted">what the dependency does, and what the caller sees</span></header>
      <div className="scroll" tabIndex={0} role="region" aria-label="Kinds of faults">
        <table>
          <thead><tr><th scope="col">fault</th><th scope="col">done</th><th scope="col">seen</th><th scope="col">what it is</th></tr></thead>
          <tbody>
            {faults.map((one) => (
              <tr key={one.type}><td className="mono">{one.type}</td><td className="mono">{one.commit ?? "–"}</td><td className="mono">{[one.status, one.answer, one.wire].filter(Boolean).join(" ") || "–"}</td><td>{one.description.replaceAll("`", "")}</td></tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
