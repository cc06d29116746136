import type { Call, Side } from "../../api/types";
import { Json } from "../../parts/parts";
import { Changes } from "./Changes";
import { faultSentence } from "./reading";

/** One call whole: what was asked, what was done, what was seen. */
export function CallDetail({ call, side }: { call: Call; side: Side }) {
  const failing = side.evaluations.filter((one) => one.verdict === "FAIL" && one.evidence.some((evidence) => evidence.call === call.seq));
  const marks: [string, string | null][] = [
    ["risk", call.risk],
    ["idempotency key", call.idempotency_key],
    ["effect", call.effect_key],
    ["refused", call.refusal],
    ["other tenant", call.cross_tenant],
    ["delay", call.delay_ms > 0 ? `${call.delay_ms} ms` : null],
  ];
  return (
    <div className="call">
      <p className="marks mono">
        <span>call {call.seq}</span>
        {marks.filter(([, text]) => text).map(([name, text]) => <span key={name}><span className="muted">{name}</span> {text}</span>)}
        {call.retry && <span>retry</span>}
        {call.redelivered && <span>delivered twice</span>}
        {call.approved && <span>approved</span>}
      </p>
      {call.fault && (
        <p className="fault-told"><strong>⚡ {call.fault}</strong>: {faultSentence(call)}{!call.knowable && " The caller could not know."}</p>
      )}
      <h3>Arguments</h3>
      <Json value={call.arguments} label={`Arguments of call ${call.seq}`} />
      <h3>Answer as sent{call.status !== null && <span className="muted mono"> {call.status}{call.code ? ` ${call.code}` : ""}</span>}</h3>
      <Json value={call.answer} label={`Answer to call ${call.seq}`} />
      <h3>Committed</h3>
      {call.changes.length > 0 ? <Changes changes={call.changes} /> : <p className="muted">Nothing was changed.</p>}
      {failing.map((one) => <p key={one.id}><span className="mono">✕ {one.id}</span> {one.reason}</p>)}
    </div>
  );
}
