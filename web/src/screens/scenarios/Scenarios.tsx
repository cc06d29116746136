import { segment } from "../../api/client";
import { usePages } from "../../api/queries";
import { Command, Empty, Trouble, Waiting } from "../../parts/parts";
import { Link, setQuery, useAddress } from "../../router";
import { useTitle } from "../../shell/useTitle";

interface Listed {
  name: string;
  severity: string;
  tags: string[];
  description: string;
}

export default function Scenarios() {
  useTitle("Scenarios");
  const { query } = useAddress();
  const text = (query.get("q") ?? "").toLowerCase();
  const found = usePages<Listed>("scenarios", {}, 200);
  const items = found.items.filter((one) => `${one.name} ${(one.tags ?? []).join(" ")} ${one.description}`.toLowerCase().includes(text));
  return (
    <>
      <h1>Scenarios</h1>
      <div className="filters"><input className="field" type="search" placeholder="Name, tag, words" aria-label="Find a scenario" defaultValue={query.get("q") ?? ""} onChange={(event) => setQuery({ q: event.target.value })} /></div>
      {found.error ? <Trouble error={found.error} /> : !found.data ? <Waiting /> : (
        <section className="card">
          {items.length === 0 ? (
            <Empty title={text ? "No scenario is called that." : "There is no scenario yet."}>
              {!text && <><p className="prose">A scenario is one situation with what has to be so afterwards: a YAML file that the workspace names.</p><Command text="agenttwin init ." /></>}
            </Empty>
          ) : (
            <ul className="rows">
              {items.map((one) => (
                <li key={one.name}>
                  <Link href={`/scenarios/${segment(one.name)}`} className="row-link scenario-row">
                    <span className="mono row-name"><b>{one.name}</b></span>
                    <span><span className={one.severity === "critical" ? "chip strong" : "chip"}>{one.severity}</span></span>
                    <span className="clip muted">{one.description}</span>
                    <span className="clip">{(one.tags ?? []).map((tag) => <span key={tag} className="chip">{tag}</span>)}</span>
                  </Link>
                </li>
              ))}
            </ul>
          )}
          {found.hasNextPage && <div className="body"><button type="button" className="button" onClick={() => void found.fetchNextPage()}>More</button></div>}
        </section>
      )}
    </>
  );
}
