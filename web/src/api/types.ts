/** The documents by the names the app calls them; their shapes are generated in schema.ts. */
import type { components } from "./schema";

type S = components["schemas"];

export type Classification = S["CaseDocument"]["classification"];
export type Case = S["CaseDocument"] & { overrides?: Override[] };
export type Side = S["SideDocument"];
export type Call = S["CallDocument"];
export type Step = S["StepDocument"];
export type Row = S["RowDocument"];
export type Change = S["ChangeDocument"];
export type Evaluation = S["EvaluationDocument"];
export type ManifestDiff = S["ManifestDiffDocument"];
export type Totals = S["TotalsDocument"];
export type Coverage = S["CoverageDocument"];
export type Counts = Partial<Record<Classification, number>>;
export type Which = "baseline" | "candidate";
export const SIDES: Which[] = ["baseline", "candidate"];

export type Override = { side: Which; expectation: string; verdict: string; note: string; by: string; at?: string };

/** A comparison without its cases. */
export type Head = Omit<S["ComparisonDocument"], "cases"> & {
  id: string;
  state: string;
  created_at: string;
  finished_at: string | null;
};

export interface Version {
  agent: string;
  version: string;
  digest: string;
  model_kind: string;
}

export interface ComparisonItem {
  id: string;
  agent: string;
  baseline: Omit<Version, "agent">;
  candidate: Omit<Version, "agent">;
  state: string;
  created_at: string;
  finished_at: string | null;
  counts: Counts;
  headline: string;
  exit_code: number;
  cases: number;
  seed: number | string;
}

export interface SideSummary {
  verdict: string | null;
  claimed_outcome: string;
  tool_calls: number;
  retries: number;
}

export interface CaseItem {
  scenario: string;
  severity: string;
  tags: string[];
  classification: Classification;
  reason: string;
  /** The reason of the first expectation that got worse, as it stands on the candidate. */
  why?: string | null;
  divergence: { step: number; kind: string; summary: string } | null;
  baseline: SideSummary;
  candidate: SideSummary;
  overridden: boolean;
}

export interface Pair {
  id: string;
  key: string | null;
  agent: string;
  baseline: string;
  candidate: string;
  state: string;
  done: number;
  total: number;
  created_at: string;
  finished_at: string | null;
  seed: number | string;
  error: string | { message: string } | null;
  comparison: string | null;
}

export interface Run {
  id: string;
  agent: string;
  version: string;
  state: string;
  done: number;
  total: number;
  created_at: string;
  finished_at: string | null;
  verdict?: string | null;
  pair?: string | null;
  error?: string | { message: string } | null;
}

export interface Project {
  id: string;
  name: string;
  title: string;
  retention_days?: number | null;
}

export interface Me {
  project: Project;
  projects: Project[];
  scopes: string[];
  actor: string;
  authentication: boolean;
  workspace: { name: string } | null;
  version: string;
}

export interface Problem {
  line: number | null;
  column: number | null;
  path: string | null;
  code: string;
  message: string;
  hint: string | null;
}
