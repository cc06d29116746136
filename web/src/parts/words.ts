/** What things are called, and by which shape they are known without colour. */
import type { Classification, Counts } from "../api/types";

export const CLASSES: Record<Classification, { shape: string; one: string; many: string }> = {
  NEW_CRITICAL_FAILURE: { shape: "■", one: "new critical failure", many: "new critical failures" },
  REGRESSED: { shape: "▲", one: "regression", many: "regressions" },
  INCOMPLETE: { shape: "◇", one: "incomplete", many: "incomplete" },
  INCONCLUSIVE: { shape: "◈", one: "inconclusive", many: "inconclusive" },
  IMPROVED: { shape: "▼", one: "improved", many: "improved" },
  UNCHANGED: { shape: "●", one: "unchanged", many: "unchanged" },
};

export const WORST_FIRST = Object.keys(CLASSES) as Classification[];

/** The class as it stands before a case: "new critical failure", "regressed". */
export function classWord(name: Classification): string {
  return name === "REGRESSED" ? "regressed" : CLASSES[name].one;
}

export function present(counts: Counts): [Classification, number][] {
  return WORST_FIRST.filter((name) => counts[name]).map((name) => [name, counts[name] ?? 0]);
}

export const VERDICTS: Record<string, { shape: string; word: string }> = {
  PASS: { shape: "✓", word: "passed" },
  FAIL: { shape: "✕", word: "failed" },
  ERROR: { shape: "!", word: "could not be judged" },
  SKIPPED: { shape: "–", word: "skipped" },
  PASSED: { shape: "✓", word: "passed" },
  FAILED: { shape: "✕", word: "failed" },
  ERRORED: { shape: "!", word: "errored" },
};

export function verdictOf(verdict: string | null): { shape: string; word: string } {
  return VERDICTS[verdict ?? ""] ?? { shape: "–", word: "never ran" };
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A value on one line, as evidence is written. */
export function shown(value: unknown): string {
  if (value === undefined) return "–";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/** An id or digest with its middle left out. */
export function short(id: string): string {
  const bare = id.replace(/^sha256:/, "");
  return bare.length > 14 ? `${bare.slice(0, 6)}…${bare.slice(-4)}` : bare;
}

export const MODELS: Record<string, string> = {
  llm: "a language model",
  "deterministic-fake": "a program, no language model",
};
