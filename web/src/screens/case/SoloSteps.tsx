import { useEffect, useRef } from "react";
import type { SingleCase } from "../../api/types";
import { CallDetail } from "./CallDetail";
import { callOf } from "./reading";
import { Cell } from "./StepRow";

interface Props {
  found: SingleCase;
  name: string;
  step: number;
  open: ReadonlySet<number>;
  choose: (step: number) => void;
}

/** The trajectory of one side alone. */
export function SoloSteps({ found, name, step, open, choose }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (step > 0) list.current?.querySelector(`#step-${step}`)?.scrollIntoView({ block: "nearest" });
  }, [step]);
  return (
    <section className="card steps solo" aria-label="What it did">
      <header>
        <h2>What it did</h2>
        <span className="grow muted wide-only"><kbd>j</kbd> <kbd>k</kbd> steps · <kbd>Enter</kbd> opens</span>
      </header>
      <ol ref={list}>
        {found.steps.map((one, index) => {
          const number = index + 1;
          const call = callOf(found.side, one);
          const line = <><span className="step-number">{number}</span><Cell which="candidate" step={one} side={found.side} name={name} parts={false} /></>;
          return (
            <li key={number} id={`step-${number}`} className={number === step ? "step same current" : "step same"} aria-current={number === step ? "step" : undefined}>
              {call
                ? <button type="button" className="step-line" aria-expanded={open.has(number)} onClick={() => choose(number)}>{line}</button>
                : <div className="step-line">{line}</div>}
              {call && open.has(number) && <div className="step-open"><CallDetail call={call} side={found.side} /></div>}
            </li>
          );
        })}
      </ol>
      {found.steps.length === 0 && <p className="body muted">It did nothing.</p>}
    </section>
  );
}
