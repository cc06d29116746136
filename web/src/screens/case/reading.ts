/** What a case's document says, in the words of the screen. Nothing is judged here. */
import type { Call, Case, Change, Side, Step } from "../../api/types";

/** The row (from 1) at which the sides part, or 0. */
export function parting(found: Case): number {
  const step = found.divergence?.step;
  if (step === undefined) return 0;
  return found.alignment.findIndex((row) => !row.same && (row.baseline?.step === step || row.candidate?.step === step)) + 1;
}

export function callOf(side: Side, step: Step | null): Call | null {
  return step?.call == null ? null : side.calls.find((call) => call.seq === step.call) ?? null;
}

const RESULTS: Record<string, string> = {
  ok: "ok",
  rate_limited: "too many requests",
  denied: "denied",
  not_found: "not found",
  unknown_tool: "unknown tool",
  timeout: "timeout",
  invalid: "refused as invalid",
  dropped: "connection broken",
  partial: "half an answer",
  malformed: "unreadable answer",
  error: "error",
};

export function seen(call: Call): string {
  const word = RESULTS[call.result] ?? call.result;
  return call.result === "ok" || call.status === null ? word : `${call.status} ${word}`;
}

/** What the dependency did, as one short word beside what the caller saw; empty for a plain read. */
export function effect(side: Side, call: Call): string {
  const again = side.duplicate_effects.some((one) => one.calls.indexOf(call.seq) > 0);
  if (call.effect === "applied") return again ? "applied again" : "applied";
  if (call.effect === "replayed" || call.replayed) return "replayed";
  return call.committed === "none" && call.computed_changes > 0 ? "not applied" : "";
}

const COMMITTED: Record<string, string> = {
  all: "the dependency executed it",
  first: "the dependency executed only its first effect",
  twice: "the dependency executed it twice",
  late: "the dependency executed it later",
  none: "the dependency did nothing",
};

const CALLER: Record<string, string> = {
  ok: "the caller saw success",
  timeout: "the caller saw a timeout",
  dropped: "the caller saw a broken connection",
  partial: "the caller saw half an answer",
  malformed: "the caller saw an answer that cannot be read",
  rate_limited: "the caller saw “too many requests”",
  denied: "the caller was denied",
  error: "the caller saw an error",
};

/** A fault as two facts: what was done, and what was seen. */
export function faultSentence(call: Call): string {
  const did = call.refusal ? `it was refused (${call.refusal})` : COMMITTED[call.committed ?? ""] ?? "there was nothing to change";
  return `${did}; ${CALLER[call.result] ?? `the caller saw ${call.result}`}.`;
}

export interface Happened {
  path: string;
  baseline: unknown;
  candidate: unknown;
}

const WITHOUT = Symbol("not there");

function finalAt(side: Side, path: string): unknown {
  const change = side.state_changes.find((one) => one.path === path);
  return change && "after" in change ? change.after : WITHOUT;
}

/** The paths that tell what happened: those that end differently, plain values first; else what both changed. */
export function happened(found: Case, most = 4): Happened[] {
  const apart = found.differences.state.map((one) => ({
    path: one.path,
    baseline: "before" in one ? one.before : undefined,
    candidate: "after" in one ? one.after : undefined,
  }));
  const both = found.candidate.state_changes.map((one) => {
    const other = finalAt(found.baseline, one.path);
    return { path: one.path, baseline: other === WITHOUT ? undefined : other, candidate: "after" in one ? one.after : undefined };
  });
  const plain = ({ baseline, candidate }: Happened) => typeof (candidate ?? baseline) !== "object";
  const looked = new Set(
    [...found.baseline.evaluations, ...found.candidate.evaluations].flatMap((one) => one.evidence.map(({ path }) => path)),
  );
  const weight = (one: Happened) => (looked.has(one.path) ? 0 : 2) + (plain(one) ? 0 : 1);
  return (apart.length > 0 ? apart : both).sort((one, other) => weight(one) - weight(other)).slice(0, most);
}

export function lastPart(path: string): string {
  return path.split(".").at(-1) ?? path;
}

/** What an added or removed thing is, in a word that fits a cell. */
export function brief(value: unknown): string {
  if (value === undefined) return "–";
  if (value !== null && typeof value === "object") {
    const id = (value as Record<string, unknown>)["id"];
    return typeof id === "string" ? id : Array.isArray(value) ? `${value.length} items` : "one record";
  }
  return String(value);
}

/** What a side's case ended with, plain values that expectations looked at first. */
export function finals(side: Side, most = 4): Change[] {
  const looked = new Set(side.evaluations.flatMap((one) => one.evidence.map(({ path }) => path)));
  const weight = (one: Change) => (looked.has(one.path) ? 0 : 2) + (typeof one.after === "object" ? 1 : 0);
  return [...side.state_changes].sort((one, other) => weight(one) - weight(other)).slice(0, most)
    .map((one) => ({ ...one, after: brief(one.after) }));
}
