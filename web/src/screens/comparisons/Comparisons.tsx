import { usePages } from "../../api/queries";
import type { ComparisonItem, Classification } from "../../api/types";
import { Command, Empty, Trouble, Waiting } from "../../parts/parts";
import { CLASSES, WORST_FIRST } from "../../parts/words";
import { setQuery, useAddress } from "../../router";
import { useTitle } from "../../shell/useTitle";
import { ComparisonTable } from "./ComparisonTable";

export default function Comparisons() {
  useTitle("Comparisons");
  const { query } = useAddress();
  const filters = { classification: query.get("class"), text: query.get("q"), agent: query.get("agent") };
  const filtered = Object.values(filters).some(Boolean);
  const found = usePages<ComparisonItem>("comparisons", filters, 50);
  return (
    <>
      <div className="title"><h1>Comparisons</h1></div>
      <div className="filters">
        <input
          className="field" type="search" placeholder="Agent, version, words" aria-label="Find a comparison"
          defaultValue={filters.text ?? ""} onChange={(event) => setQuery({ q: event.target.value })}
        />
        <select className="field" aria-label="Holds a case that is" value={filters.classification ?? ""} onChange={(event) => setQuery({ class: event.target.value })}>
          <option value="">every verdict</option>
          {WORST_FIRST.map((name: Classification) => <option key={name} value={name}>with {CLASSES[name].one}</option>)}
        </select>
      </div>
      {found.error && <Trouble error={found.error} />}
      {!found.data && !found.error && <Waiting />}
      {found.data && (
        <section className="card">
          {found.items.length > 0 ? <ComparisonTable items={found.items} label="Comparisons" /> : filtered
            ? <Empty title="No comparison is like that."><button type="button" className="button" onClick={() => setQuery({ q: "", class: "", agent: "" })}>Show all</button></Empty>
            : <Empty title="Nothing has been compared yet."><p className="prose">Compare two versions of an agent: each scenario is run with both, against the same twin, and the verdict is drawn from what happened.</p><Command text="agenttwin compare BASELINE CANDIDATE" /></Empty>}
          {found.hasNextPage && <div className="body"><button type="button" className="button" onClick={() => void found.fetchNextPage()}>Older ones</button></div>}
        </section>
      )}
    </>
  );
}
