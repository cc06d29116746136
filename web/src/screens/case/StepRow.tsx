import { memo } from "react";
import type { Case, Row, Side, Step, Which } from "../../api/types";
import { SIDES } from "../../api/types";
import { CallDetail } from "./CallDetail";
import type { Names } from "./Case";
import { callOf, effect, seen } from "./reading";

interface Props {
  number: number;
  row: Row;
  found: Case;
  names: Names;
  parts: boolean;
  current: boolean;
  open: boolean;
  choose: () => void;
}

const SAME = ["number", "row", "found", "names", "parts", "current", "open"] as const;

/** A row is drawn anew when something in it changes, not with every step that is walked; `choose` always does the same. */
export const StepRow = memo(Drawn, (before, after) => SAME.every((key) => before[key] === after[key]));

function Drawn({ number, row, found, names, parts, current, open, choose }: Props) {
  const state = [parts && "parts", current && "current", row.same ? "same" : "unlike"].filter(Boolean).join(" ");
  const opens = SIDES.some((which) => callOf(found[which], row[which]));
  const cells = (
    <>
      <span className="step-number">{number}</span>
      {SIDES.map((which) => <Cell key={which} which={which} step={row[which]} side={found[which]} name={names[which]} parts={parts} />)}
    </>
  );
  return (
    <li id={`step-${number}`} className={`step ${state}`} aria-current={current ? "step" : undefined}>
      {opens
        ? <button type="button" className="step-line" aria-expanded={open} onClick={choose}>{cells}</button>
        : <div className="step-line">{cells}</div>}
      {parts && found.divergence && (
        <div className="parting">
          <p><strong>They part here.</strong> {found.divergence.summary}</p>
          {found.divergence.meaning && <p>{found.divergence.meaning}</p>}
        </div>
      )}
      {open && opens && (
        <div className="step-open">
          {SIDES.map((which) => {
            const call = callOf(found[which], row[which]);
            return <div key={which} className={`side-${which}`}>{call ? <CallDetail call={call} side={found[which]} /> : <p className="muted">No call here.</p>}</div>;
          })}
        </div>
      )}
    </li>
  );
}

interface CellProps {
  which: Which;
  step: Step | null;
  side: Side;
  name: string;
  parts: boolean;
}

/** What one side did in one step. */
export function Cell({ which, step, side, name, parts }: CellProps) {
  if (!step && parts) return <span className={`cell side-${which} muted`}>{name} did not do this</span>;
  if (!step) return <span className={`cell gap side-${which}`}><span className="hidden">{name}: no step</span></span>;
  const call = callOf(side, step);
  if (!call)
    return (
      <span className={`cell side-${which}`}>
        {step.kind === "outcome"
          ? <span className="said"><span className="tag">claimed</span> “{step.name}”</span>
          : <span className="mono clip">{step.shown}</span>}
      </span>
    );
  const did = effect(side, call);
  const second = did === "applied again";
  const duplicate = side.duplicate_effects.find((one) => one.calls.includes(call.seq));
  const violated = side.violations.filter((one) => one.call === call.seq).map((one) => one.policy);
  return (
    <span className={`cell side-${which}`}>
      <span className="mono clip call-name" title={step.shown}><b>{call.tool}</b>{argumentsOf(call.arguments)}</span>
      <span className="mono outcome">
        <span className={call.result === "ok" ? undefined : "not-ok"}>{seen(call)}</span>
        {did && <span className={second || did === "not applied" ? "did loud" : "did"}> · {did}</span>}
        {call.fault && <span className="fault" title={call.fault}> · ⚡ fault</span>}
        {call.retry && <span className="did"> · retry</span>}
      </span>
      {(second || violated.length > 0) && (
        <span className="note">{[second && duplicate && `effect no. ${duplicate.calls.indexOf(call.seq) + 1}: ${duplicate.effect}`, ...violated].filter(Boolean).join(" · ")}</span>
      )}
    </span>
  );
}

/** The plain values of a call's arguments, as a hint; the whole stands in the opened row. */
function argumentsOf(given: unknown): string {
  if (given === null || typeof given !== "object") return "";
  const plain = Object.values(given).filter((value) => ["string", "number", "boolean"].includes(typeof value));
  return plain.length > 0 ? ` ${plain.map(String).join(" ").slice(0, 80)}` : "";
}
