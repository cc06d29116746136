import type { Change } from "../../api/types";
import { shown } from "../../parts/words";

/** What stood at each path before, and after. */
export function Changes({ changes, before = "before", after = "after" }: { changes: Change[]; before?: string; after?: string }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Changes, path by path">
      <table className="changes">
        <thead><tr><th scope="col">path</th><th scope="col">{before}</th><th scope="col">{after}</th></tr></thead>
        <tbody>
          {changes.map((one) => (
            <tr key={one.path}>
              <td>{one.path}</td>
              <td>{"before" in one ? shown(one.before) : <span className="muted">not there</span>}</td>
              <td>{"after" in one ? shown(one.after) : <span className="muted">not there</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
