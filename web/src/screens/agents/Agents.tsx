import { segment } from "../../api/client";
import { usePages } from "../../api/queries";
import { Ago, Command, Empty, Trouble, Waiting } from "../../parts/parts";
import { plural } from "../../parts/words";
import { Link } from "../../router";
import { useTitle } from "../../shell/useTitle";

interface Listed {
  name: string;
  versions: number;
  latest: string | null;
  last_run_at: string | null;
}

export default function Agents() {
  useTitle("Agents");
  const found = usePages<Listed>("agents", {}, 100);
  return (
    <>
      <h1>Agents</h1>
      {found.error ? <Trouble error={found.error} /> : !found.data ? <Waiting rows={3} /> : (
        <section className="card">
          {found.items.length === 0 ? <Empty title="No agent is known yet."><p className="prose">An agent is named in agenttwin.yaml with how it is run; each version has a manifest.</p><Command text="agenttwin init ." /></Empty> : (
            <ul className="rows">
              {found.items.map((one) => (
                <li key={one.name}>
                  <Link href={`/agents/${segment(one.name)}`} className="row-link run-row">
                    <b className="row-name">{one.name}</b><span>{plural(one.versions, "version")}</span><span className="muted">latest {one.latest ?? "–"}</span><span className="muted num"><Ago at={one.last_run_at} /></span>
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
    </>
  );
}
