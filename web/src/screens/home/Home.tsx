import { lazy, Suspense } from "react";
import { segment } from "../../api/client";
import { useGet, type Page } from "../../api/queries";
import type { ComparisonItem, Pair } from "../../api/types";
import { Ago, ClassMark, Command, Empty, Loaded, Trouble, Waiting } from "../../parts/parts";
import { CLASSES, present } from "../../parts/words";
import { Link } from "../../router";
import { useTitle } from "../../shell/useTitle";
import { ComparisonTable } from "../comparisons/ComparisonTable";
import { PairTable } from "../runs/PairTable";

const Trend = lazy(() => import("./Trend"));

export default function Home() {
  useTitle("Home");
  const comparisons = useGet<Page<ComparisonItem>>("comparisons", { limit: 6 });
  return (
    <Loaded of={comparisons} rows={10}>
      {({ items }) => {
        const [latest, ...older] = items;
        return latest ? <Known latest={latest} older={older} /> : <Teach />;
      }}
    </Loaded>
  );
}

function Known({ latest, older }: { latest: ComparisonItem; older: ComparisonItem[] }) {
  const pairs = useGet<Page<Pair>>("pairs", { limit: 5 });
  return (
    <>
      <section className="latest" aria-label="Latest comparison">
        <p className="muted">The latest comparison · <Ago at={latest.finished_at ?? latest.created_at} /></p>
        <h1><Link href={`/comparisons/${segment(latest.id)}`}><span className="muted">{latest.agent}</span> {latest.baseline.version} → {latest.candidate.version}</Link></h1>
        <ul className="bar">
          {present(latest.counts).map(([name, count]) => (
            <li key={name}>
              <Link className={`verdict-class link g-${name}`} href={`/comparisons/${segment(latest.id)}?class=${name}`}>
                <ClassMark name={name}><b>{count}</b> {count === 1 ? CLASSES[name].one : CLASSES[name].many}</ClassMark>
              </Link>
            </li>
          ))}
        </ul>
        <p className="reason">{latest.headline}</p>
      </section>
      <div className="cols">
        <section className="card">
          <header><h2>Classes over versions</h2></header>
          <Suspense fallback={<Waiting rows={8} />}><Trend agent={latest.agent} /></Suspense>
        </section>
        <section className="card">
          <header><h2>Recent runs</h2><span className="grow"><Link href="/runs">All runs</Link></span></header>
          {pairs.error ? <Trouble error={pairs.error} /> : pairs.data ? <PairTable items={pairs.data.items} /> : <Waiting rows={5} />}
        </section>
      </div>
      {older.length > 0 && (
        <section className="card">
          <header><h2>Before that</h2><span className="grow"><Link href="/comparisons">All comparisons</Link></span></header>
          <ComparisonTable items={older} label="Earlier comparisons" />
        </section>
      )}
    </>
  );
}

function Teach() {
  return (
    <section className="card">
      <Empty title="Nothing has been compared yet.">
        <p className="prose">
          AgentTwin runs two versions of an agent against the same stand-ins of its tools, and says what the change did, from what happened and not from what was said.
        </p>
        <p>See it happen to a refund agent, in a folder of its own:</p>
        <Command text="agenttwin demo --keep demo && agenttwin -C demo serve" />
        <p>Or start with an agent of yours:</p>
        <Command text="agenttwin init . && agenttwin check && agenttwin compare BASELINE CANDIDATE" />
      </Empty>
    </section>
  );
}
