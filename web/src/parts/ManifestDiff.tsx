import type { ManifestDiff } from "../api/types";
import { shown } from "./words";

interface Line {
  sign: string;
  text: string;
}

function lines(diff: ManifestDiff): Line[] {
  const fields = diff.fields.flatMap((field) => {
    const { path, before, after } = field as { path: string; before?: unknown; after?: unknown };
    return [
      ...(before === undefined ? [] : [{ sign: "-", text: `${path}: ${shown(before)}` }]),
      ...(after === undefined ? [] : [{ sign: "+", text: `${path}: ${shown(after)}` }]),
    ];
  });
  return [...diff.instructions, ...fields];
}

/** What one version's manifest says and the other's does not. */
export function ManifestChanges({ diff }: { diff: ManifestDiff }) {
  const all = lines(diff);
  if (all.length === 0) return <p className="muted">Both manifests say the same.</p>;
  return (
    <div className="diff">
      <Lines sign="−" name="removed" lines={all.filter((line) => line.sign === "-")} />
      <Lines sign="+" name="added" lines={all.filter((line) => line.sign !== "-")} />
    </div>
  );
}

function Lines({ sign, name, lines: some }: { sign: string; name: string; lines: Line[] }) {
  return (
    <ul aria-label={name}>
      {some.map((line, index) => <li key={index}><b aria-hidden="true">{sign}</b><span>{line.text}</span></li>)}
      {some.length === 0 && <li className="muted"><b aria-hidden="true">{sign}</b><span>nothing {name}</span></li>}
    </ul>
  );
}
