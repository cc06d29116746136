import { type FormEvent, useEffect, useRef, useState } from "react";
import { api, segment } from "../../api/client";
import { useWrite } from "../../api/queries";
import type { Case, Which } from "../../api/types";
import { Trouble } from "../../parts/parts";

interface Props {
  comparison: string;
  found: Case;
  expectation: string;
  side: Which;
  name: string;
  now: string;
  close: () => void;
}

/** A person's word over a result, with the reason; the record itself is kept. */
export function OverrideForm({ comparison, found, expectation, side, name, now, close }: Props) {
  const [verdict, setVerdict] = useState(now === "PASS" ? "FAIL" : "PASS");
  const [note, setNote] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const path = `comparisons/${segment(comparison)}/cases/${segment(found.scenario)}/overrides`;
  const write = useWrite(
    () => api<Case>(path, { method: "POST", body: { side, expectation, verdict, note, trial: found.trial } }),
    ["comparisons", "trend"],
  );
  const send = (event: FormEvent) => {
    event.preventDefault();
    write.mutate(undefined, { onSuccess: close });
  };
  return (
    <form className="override" onSubmit={send} aria-label={`Override ${expectation} on ${name}`}>
      <label className="labelled">
        {expectation} on {name} is
        <select className="field" value={verdict} onChange={(event) => setVerdict(event.target.value)}>
          <option value="PASS">passed</option>
          <option value="FAIL">failed</option>
        </select>
      </label>
      <label className="labelled grow">
        Why? It is kept beside the original result.
        <textarea ref={field} className="field" rows={2} required value={note} onChange={(event) => setNote(event.target.value)} />
      </label>
      <div className="bar">
        <button type="submit" className="button primary" disabled={write.isPending || !note.trim()}>Set the result</button>
        <button type="button" className="button" onClick={close}>Cancel</button>
      </div>
      {write.error && <Trouble error={write.error} />}
    </form>
  );
}
