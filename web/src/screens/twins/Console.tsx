import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, segment } from "../../api/client";
import { useGet, useWrite } from "../../api/queries";
import type { Call } from "../../api/types";
import { Json, Tree, Trouble } from "../../parts/parts";
import { shown } from "../../parts/words";
import type { TwinDocument } from "./Twin";

type Schema = { properties?: Record<string, { type?: string | string[]; default?: unknown; enum?: unknown[]; minimum?: number }>; required?: string[] };

const BLANKS: Record<string, unknown> = { string: "", number: 1, integer: 1, boolean: false, array: [], object: {} };

/** Arguments to start from: what the tool requires, with values of the right kind. */
function skeleton(schema: unknown): string {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema;
  const parts = required.map((name) => {
    const one = properties[name] ?? {};
    const type = Array.isArray(one.type) ? one.type[0] : one.type;
    return [name, one.default ?? one.enum?.[0] ?? BLANKS[type ?? "string"] ?? ""];
  });
  return JSON.stringify(Object.fromEntries(parts), null, 2);
}

interface Reply {
  status: number | null;
  text: string;
  body?: unknown;
}

interface Opened {
  id: string;
}

/** The twin in one's hands: call a tool, order a fault, see the world change. */
export function Console({ twin }: { twin: TwinDocument }) {
  const [id, setId] = useState<string | null>(null);
  const open = useWrite(() => api<Opened>("consoles", { method: "POST", body: { twin: twin.name } }));
  return (
    <section className="card" aria-label="Console">
      <header>
        <h2>Console</h2><span className="muted">call its tools by hand and see the world change</span>
        <span className="grow">{!id && <button type="button" className="button small" disabled={open.isPending} onClick={() => open.mutate(undefined, { onSuccess: (told) => setId(told.id) })}>Open a console</button>}</span>
      </header>
      {open.error && <Trouble error={open.error} />}
      {id && <Opened id={id} twin={twin} close={() => setId(null)} />}
    </section>
  );
}

function Opened({ id, twin, close }: { id: string; twin: TwinDocument; close: () => void }) {
  const client = useQueryClient();
  const path = `consoles/${segment(id)}`;
  const state = useGet<{ state: unknown }>(`${path}/state`);
  const calls = useGet<{ items: Call[] }>(`${path}/calls`);
  const [tool, setTool] = useState(twin.tool_list[0]?.name ?? "");
  const [text, setText] = useState(() => skeleton(twin.tool_list[0]?.input_schema));
  const [fault, setFault] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  const again = () => client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith(path) });
  const call = useWrite(async (given: unknown) => {
    if (fault) await api(`${path}/faults`, { method: "POST", body: { tool, type: fault } });
    return api<Reply>(`${path}/calls`, { method: "POST", body: { tool, arguments: given } });
  });
  const reset = useWrite(() => api(`${path}/reset`, { method: "POST", body: {} }));
  const end = useWrite(() => api(path, { method: "DELETE" }));
  const choose = (name: string) => {
    setTool(name);
    setText(skeleton(twin.tool_list.find((one) => one.name === name)?.input_schema));
  };
  const send = () => {
    try {
      setRefused(null);
      call.mutate(JSON.parse(text), { onSettled: again, onSuccess: () => setFault("") });
    } catch (error) {
      setRefused(`These arguments are no JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const record = calls.data?.items ?? [];
  const error = call.error ?? reset.error;
  return (
    <div className="body console">
      <form className="stack" onSubmit={(event) => { event.preventDefault(); send(); }}>
        <label className="labelled">Tool<select className="field" value={tool} onChange={(event) => choose(event.target.value)}>{twin.tool_list.map((one) => <option key={one.name}>{one.name}</option>)}</select></label>
        <label className="labelled">Arguments<textarea className="field mono" rows={6} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} /></label>
        <label className="labelled">Fault for this call<select className="field" value={fault} onChange={(event) => setFault(event.target.value)}><option value="">none</option>{twin.faults.map((one) => <option key={one.type}>{one.type}</option>)}</select></label>
        <div className="bar">
          <button type="submit" className="button primary" disabled={call.isPending}>Call</button>
          <button type="button" className="button" onClick={() => reset.mutate(undefined, { onSettled: again })}>Start over</button>
          <button type="button" className="button" onClick={() => end.mutate(undefined, { onSettled: close })}>Close</button>
        </div>
        {refused && <div className="problem" role="alert">{refused}</div>}
        {error && <Trouble error={error} />}
        {call.data !== undefined && <><h3>Answer <span className="muted mono">{call.data.status}</span></h3><Json value={call.data.body ?? call.data.text} label="Answer" /></>}
      </form>
      <div className="stack">
        <h3>The world now</h3>
        <div className="tree json tall" tabIndex={0} role="region" aria-label="The world now"><Tree value={state.data?.state ?? {}} open={2} /></div>
        <h3>Calls</h3>
        <ol className="mono">{record.map((one, index) => <li key={index}>{one.seq ?? index + 1} {one.tool}({shown(one.arguments)}) → {one.status} {one.result}{one.changes.length > 0 && " · applied"}{one.fault && " ⚡fault"}</li>)}</ol>
      </div>
    </div>
  );
}
