/** The documents by the names the app calls them; their shapes are generated in schema.ts. */
import type { components } from "./schema";

type S = components["schemas"];

export type Classification = S["CaseDocument"]["classification"];
export type Case = S["CaseWhole"];
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

/** A comparison without its cases. */
export type Head = S["ComparisonHead"];

export type Version = S["VersionItem"];
export type ComparisonItem = S["ComparisonItem"];
export type CaseItem = S["CaseItem"];
export type Pair = S["PairOut"];
export type Run = S["RunOut"];
export type SingleCase = S["SingleCaseDocument"];
export type Result = S["ResultItem"];
export type ScenarioDocument = S["ScenarioWhole"];
export type ScenarioVersion = S["ScenarioVersion"];
export type TrendPoint = S["TrendItem"];
export type Problem = S["ProblemOut"];

export type Me = S["Me"];
export type Project = S["Project"];
export type Key = S["KeyOut"];
export type KeyMade = S["KeyMade"];
export type AuditItem = S["AuditItem"];
