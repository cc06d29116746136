import { segment } from "../../api/client";
import { useGet, type Page } from "../../api/queries";
import type { ManifestDiff, Version } from "../../api/types";
import { Ago, Id, Json, Loaded } from "../../parts/parts";
import { ManifestChanges } from "../../parts/ManifestDiff";
import { MODELS } from "../../parts/words";
import { Link, setQuery, useAddress } from "../../router";
import { useTitle } from "../../shell/useTitle";

interface Known extends Version {
  text?: string | null;
  manifest?: unknown;
  last_run_at: string | null;
}

export default function Agent({ name }: { name: string }) {
  useTitle(name);
  const versions = useGet<Page<Known>>(`agents/${segment(name)}/versions`, { limit: 200 });
  return (
    <>
      <p><Link href="/agents">← Agents</Link></p>
      <h1>{name}</h1>
      <Loaded of={versions}>{({ items }) => <Versions agent={name} items={items} />}</Loaded>
    </>
  );
}

function Versions({ agent, items }: { agent: string; items: Known[] }) {
  const { query } = useAddress();
  const names = items.map((one) => one.version);
  const from = query.get("from") ?? names.at(1) ?? names[0] ?? "";
  const to = query.get("to") ?? names[0] ?? "";
  const shownVersion = query.get("show") ?? to;
  return (
    <>
      <section className="card">
        <header><h2>Versions</h2></header>
        <div className="scroll" tabIndex={0} role="region" aria-label="Versions and what is known of them"><table>
          <thead><tr><th scope="col">version</th><th scope="col">manifest</th><th scope="col">driven by</th><th scope="col" className="num">last run</th></tr></thead>
          <tbody>
            {items.map((one) => (
              <tr key={one.version + one.digest}>
                <td><button type="button" className="button quiet small" aria-pressed={one.version === shownVersion} onClick={() => setQuery({ show: one.version })}><b>{one.version}</b></button></td>
                <td><Id id={one.digest} label="digest" /></td>
                <td>{MODELS[one.model_kind] ?? one.model_kind}</td>
                <td className="num muted"><Ago at={one.last_run_at} /></td>
              </tr>
            ))}
          </tbody>
        </table></div>
      </section>
      {names.length > 1 && (
        <section className="card">
          <header className="filters">
            <h2>What changed</h2>
            <Pick label="From" value={from} names={names} pick={(value) => setQuery({ from: value })} />
            <span aria-hidden="true">→</span>
            <Pick label="To" value={to} names={names} pick={(value) => setQuery({ to: value })} />
          </header>
          <div className="body"><Diff agent={agent} from={from} to={to} /></div>
        </section>
      )}
      {shownVersion && <Manifest agent={agent} version={shownVersion} />}
    </>
  );
}

function Pick({ label, value, names, pick }: { label: string; value: string; names: string[]; pick: (value: string) => void }) {
  return <select className="field" aria-label={label} value={value} onChange={(event) => pick(event.target.value)}>{names.map((name) => <option key={name}>{name}</option>)}</select>;
}

function Diff({ agent, from, to }: { agent: string; from: string; to: string }) {
  const diff = useGet<ManifestDiff>(`agents/${segment(agent)}/diff`, { old: from, new: to });
  return <Loaded of={diff} rows={4}>{(data) => <ManifestChanges diff={data} />}</Loaded>;
}

function Manifest({ agent, version }: { agent: string; version: string }) {
  const found = useGet<Known>(`agents/${segment(agent)}/versions/${segment(version)}`);
  return (
    <section className="card">
      <header><h2>Manifest of {version}</h2></header>
      <div className="body"><Loaded of={found}>{(data) => <Json value={data.text ?? data.manifest} label={`Manifest of ${version}`} />}</Loaded></div>
    </section>
  );
}
