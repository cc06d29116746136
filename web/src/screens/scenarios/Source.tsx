import { useEffect, useRef, useState } from "react";
import { api } from "../../api/client";
import type { Problem } from "../../api/types";

const TYPING_MS = 250;

interface Checked {
  problems: Problem[];
  digest?: string | null;
}

/** The document as text; what is wrong is told by line as one types. The file itself is edited where it lies. */
export function Source({ text, file, problems: given }: { text: string; file: string | null; problems: Problem[] }) {
  const [typed, type] = useState(text);
  const [checked, setChecked] = useState<Checked>({ problems: given });
  const [silent, setSilent] = useState(false);
  const numbers = useRef<HTMLOListElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const changed = typed !== text;
  useEffect(() => {
    if (!changed) return setChecked({ problems: given });
    const ask = new AbortController();
    const timer = setTimeout(() => {
      api<Checked>("scenarios/validate", { method: "POST", body: { text: typed }, signal: ask.signal })
        .then((answer) => { setChecked(answer); setSilent(false); }, () => ask.signal.aborted || setSilent(true));
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      ask.abort();
    };
  }, [typed, changed, given]);
  const all = checked.problems;
  const lines = typed.split("\n");
  const wrong = new Map(all.map((one) => [one.line, one]));
  const jump = (line: number | null) => {
    if (!line || !area.current) return;
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    area.current.focus();
    area.current.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  return (
    <section className="card">
      <header>
        <h2>Source</h2><span className="muted mono">{file}</span>
        <span className="grow">
          {silent ? "The check did not answer." : all.length === 0 ? "✓ no problem" : `${all.length} to mend`}
          {changed && <> <button type="button" className="button small" onClick={() => void navigator.clipboard?.writeText(typed)}>Copy</button> <button type="button" className="button small" onClick={() => type(text)}>Undo all</button></>}
        </span>
      </header>
      <div className="source">
        <ol ref={numbers} aria-hidden="true">{lines.map((_, index) => <li key={index} className={wrong.has(index + 1) ? "wrong" : undefined}>{index + 1}</li>)}</ol>
        <textarea
          ref={area} className="mono" spellCheck={false} aria-label="Source of the scenario" wrap="off" rows={Math.min(28, lines.length + 1)}
          value={typed} onChange={(event) => type(event.target.value)}
          onScroll={(event) => { if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop; }}
        />
      </div>
      {all.length > 0 && (
        <ul className="problems" aria-live="polite" aria-label="Problems">
          {all.map((one, index) => (
            <li key={index}>
              <button type="button" className="row-link" onClick={() => jump(one.line)}>
                <span className="mono">{one.line ?? "–"}:{one.column ?? "–"}</span>
                <span>{one.message} {one.hint && <span className="muted">{one.hint}</span>}</span>
                <span className="mono muted">{one.code}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
