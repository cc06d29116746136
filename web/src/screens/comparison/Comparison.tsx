import { segment } from "../../api/client";
import { useGet } from "../../api/queries";
import type { Head } from "../../api/types";
import { Ago, ClassMark, Command, Id, Loaded } from "../../parts/parts";
import { ManifestChanges } from "../../parts/ManifestDiff";
import { CLASSES, MODELS, plural, present } from "../../parts/words";
import { Link, setQuery, useAddress } from "../../router";
import { useTitle } from "../../shell/useTitle";
import { Beside } from "./Beside";
import { Cases } from "./Cases";
import { CoverageCard } from "./Coverage";
import { Export } from "./Export";
import { RunAgain } from "./RunAgain";

export function Comparison({ id }: { id: string }) {
  const head = useGet<Head>(`comparisons/${segment(id)}`);
  return <Loaded of={head} rows={12}>{(data) => <Whole id={id} head={data} />}</Loaded>;
}

function Whole({ id, head }: { id: string; head: Head }) {
  const { baseline, candidate } = head;
  useTitle(`${baseline.version} → ${candidate.version} · ${baseline.agent}`);
  const total = present(head.counts).reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <header className="stack tight">
        <div className="title">
          <h1><span className="muted">{baseline.agent}</span> {baseline.version} <span aria-label="against">→</span> {candidate.version}</h1>
          <span className="push muted">
            seed {String(head.pair.seed)} · {plural(total, "case")} · {MODELS[candidate.model_kind] ?? "unknown agent"} · plan <Id id={head.pair.plan_digest} label="plan digest" /> · <Ago at={head.finished_at ?? head.created_at} />
          </span>
        </div>
        <Verdict head={head} />
        <div className="bar">
          <RunAgain id={id} />
          <Export id={id} />
          <div className="grow rerun"><Command text={`agenttwin compare ${baseline.version} ${candidate.version} --seed ${head.pair.seed}`} /></div>
        </div>
      </header>
      {head.warnings.length > 0 && (
        <ul className="problem" aria-label="Warnings">{head.warnings.map((text, index) => <li key={index}>{String(text)}</li>)}</ul>
      )}
      <Changed head={head} />
      <Cases id={id} total={total} counts={head.counts} />
      <div className="cols">
        <Beside head={head} />
        <CoverageCard coverage={head.coverage} />
      </div>
    </>
  );
}

/** The verdict in words, each class as a filter of the list below. */
function Verdict({ head }: { head: Head }) {
  const { query } = useAddress();
  const chosen = query.get("class");
  return (
    <div className="verdict">
      <ul className="bar">
        {present(head.counts).map(([name, count]) => (
          <li key={name}>
            <button
              type="button"
              className={`verdict-class g-${name}`}
              aria-pressed={chosen === name}
              onClick={() => setQuery({ class: chosen === name ? "" : name })}
            >
              <ClassMark name={name}><b>{count}</b> {count === 1 ? CLASSES[name].one : CLASSES[name].many}</ClassMark>
            </button>
          </li>
        ))}
      </ul>
      <p>{head.headline}</p>
    </div>
  );
}

function Changed({ head }: { head: Head }) {
  const count = head.manifest_diff.instructions.length + head.manifest_diff.fields.length;
  const to = `/agents/${segment(head.baseline.agent)}?from=${segment(head.baseline.version)}&to=${segment(head.candidate.version)}`;
  return (
    <details className="card changed" open={count > 0 && count <= 12}>
      <summary><h2>What changed</h2><span className="muted">{plural(count, "line")} of the manifest</span></summary>
      <div className="body">
        <ManifestChanges diff={head.manifest_diff} />
        <p><Link href={to}>Both manifests</Link></p>
      </div>
    </details>
  );
}
