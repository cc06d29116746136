import { segment } from "../../api/client";
import { type Page, useGet } from "../../api/queries";
import type { ScenarioVersion } from "../../api/types";
import { Ago, Id, Loaded } from "../../parts/parts";

/** The texts under which a scenario ran, by digest, and the one that stands now. */
export function Versions({ name }: { name: string }) {
  const versions = useGet<Page<ScenarioVersion>>(`scenarios/${segment(name)}/versions`);
  return (
    <section className="card" aria-label="Versions">
      <header><h2>Versions</h2><span className="muted">a changed text is another version</span></header>
      <Loaded of={versions} rows={2}>
        {({ items }) => (
          <ul className="rows">
            {items.map((one) => (
              <li key={one.digest} className="version">
                <details>
                  <summary>
                    <span className="mono">{one.digest.replace(/^sha256:/, "").slice(0, 12)}</span>
                    {one.current && <span className="chip strong">now</span>}
                    <span className="muted">{one.last_run_at ? <>ran last <Ago at={one.last_run_at} />, first <Ago at={one.first_run_at} /></> : "never ran"}</span>
                  </summary>
                  <p>digest <Id id={one.digest} label="digest" /></p>
                  <pre className="json" tabIndex={0} role="region" aria-label={`Text of ${one.digest}`}>{one.text}</pre>
                </details>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
