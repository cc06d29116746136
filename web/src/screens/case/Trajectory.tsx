import { useEffect, useRef } from "react";
import type { Case, Which } from "../../api/types";
import { SIDES } from "../../api/types";
import type { Names } from "./Case";
import { StepRow } from "./StepRow";

interface Props {
  found: Case;
  names: Names;
  apart: number;
  step: number;
  setStep: (step: number) => void;
  open: ReadonlySet<number>;
  toggle: (step: number) => void;
  side: Which;
  setSide: (side: Which) => void;
}

/** Both trajectories, step beside step; where they part is the only row with a rule on both sides. */
export function Trajectory({ found, names, apart, step, setStep, open, toggle, side, setSide }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (step > 0) list.current?.querySelector(`#step-${step}`)?.scrollIntoView({ block: "nearest" });
  }, [step]);
  return (
    <section className={`card steps only-${side}`} aria-label="What they did">
      <header>
        <h2>What they did</h2>
        <span className="muted">{apart > 0 ? `they part at step ${apart}` : "they never part"}</span>
        {apart > 0 && <button type="button" className="button small" onClick={() => setStep(apart)}>Where they part <kbd>n</kbd></button>}
        <span className="grow muted wide-only"><kbd>j</kbd> <kbd>k</kbd> steps · <kbd>Enter</kbd> opens</span>
      </header>
      <div className="tabs" role="group" aria-label="Side">
        {SIDES.map((which) => (
          <button key={which} type="button" aria-pressed={side === which} onClick={() => setSide(which)}>
            {names[which]} <span className="tag">{which}</span>
          </button>
        ))}
      </div>
      <div className="step-heads" aria-hidden="true">
        <span>step</span><span>{names.baseline} <span className="tag">baseline</span></span><span>{names.candidate} <span className="tag">candidate</span></span>
      </div>
      <ol ref={list}>
        {found.alignment.map((row, index) => (
          <StepRow
            key={index} number={index + 1} row={row} found={found} parts={index + 1 === apart} names={names}
            current={index + 1 === step} open={open.has(index + 1)}
            choose={() => { setStep(index + 1); toggle(index + 1); }}
          />
        ))}
      </ol>
      {found.alignment.length === 0 && <p className="body muted">Neither side did anything.</p>}
    </section>
  );
}
