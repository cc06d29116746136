import { useState } from "react";
import { usePages } from "../../api/queries";
import type { Pair, Run } from "../../api/types";
import { Trouble, Waiting } from "../../parts/parts";
import { useTitle } from "../../shell/useTitle";
import { PairTable, RunTable } from "./PairTable";
import { StartPair } from "./StartPair";

export default function Runs() {
  useTitle("Runs");
  const pairs = usePages<Pair>("pairs", {}, 50);
  const runs = usePages<Run>("runs", { alone: true }, 50);
  const [starting, start] = useState(false);
  return (
    <>
      <div className="title">
        <h1>Runs</h1>
        <button type="button" className="button primary push" aria-expanded={starting} onClick={() => start(!starting)}>Start a comparison</button>
      </div>
      {starting && <StartPair close={() => start(false)} />}
      <section className="card">
        <header><h2>Pairs</h2><span className="muted">two versions against the same twin</span></header>
        {pairs.error ? <Trouble error={pairs.error} /> : pairs.data ? <PairTable items={pairs.items} /> : <Waiting />}
        {pairs.hasNextPage && <div className="body"><button type="button" className="button" onClick={() => void pairs.fetchNextPage()}>Older ones</button></div>}
      </section>
      <section className="card">
        <header><h2>One version alone</h2></header>
        {runs.error ? <Trouble error={runs.error} /> : runs.data ? <RunTable items={runs.items} /> : <Waiting rows={3} />}
        {runs.hasNextPage && <div className="body"><button type="button" className="button" onClick={() => void runs.fetchNextPage()}>Older ones</button></div>}
      </section>
    </>
  );
}
