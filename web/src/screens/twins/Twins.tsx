import { segment } from "../../api/client";
import { usePages } from "../../api/queries";
import { Command, Empty, Id, Trouble, Waiting } from "../../parts/parts";
import { plural } from "../../parts/words";
import { Link } from "../../router";
import { useTitle } from "../../shell/useTitle";

interface Listed {
  name: string;
  tools: number;
  digest: string;
  description: string | null;
}

export default function Twins() {
  useTitle("Twins");
  const found = usePages<Listed>("twins", {}, 100);
  return (
    <>
      <h1>Twins</h1>
      {found.error ? <Trouble error={found.error} /> : !found.data ? <Waiting rows={3} /> : (
        <section className="card">
          {found.items.length === 0 ? (
            <Empty title="There is no twin yet."><p className="prose">A twin stands in for the tools of an agent: it answers calls, keeps a state, and can be told to fail. It is one YAML file.</p><Command text="agenttwin init ." /></Empty>
          ) : (
            <ul className="rows">
              {found.items.map((one) => (
                <li key={one.name} className="twin-row">
                  <Link href={`/twins/${segment(one.name)}`} className="mono"><b>{one.name}</b></Link>
                  <span>{plural(one.tools, "tool")}</span>
                  <span className="muted clip">{one.description}</span>
                  <Id id={one.digest} label="digest" />
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
    </>
  );
}
