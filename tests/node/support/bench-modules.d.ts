// The benchmarks are plain JavaScript; these are the parts that their test uses.
interface BenchRow {
  name: string;
  unit: string;
  value: number;
  baseline: number;
  ratio: number;
}

declare module "*/bench/download.mjs" {
  export function bundleParts(contents: string): Promise<{ metafile: import("esbuild").Metafile }>;
}

declare module "*/bench/documents.mjs" {
  export const pages: string[];
  export function readResults(): BenchRow[];
  export function documentOf(page: string, document: string, rows: BenchRow[]): string;
  export const glances: [what: string, beside: string, isOfIt: (name: string) => boolean][];
  export const glanceCosts: [what: string, start: string][];
  export function chartsOf(rows: BenchRow[]): Record<string, string>;
}

declare module "*/bench/history.mjs" {
  type Line = { commit: string; date: string; machine: string; ratios: Record<string, number> };
  export const historyRows: Readonly<Record<string, string>>;
  export function readHistory(): Line[];
  export function driftOf(history: readonly Line[]): { key: string; values: number[]; worse: number }[];
  export function warningsOf(history: readonly Line[]): string[];
}

declare module "*/bench/page-sizes.mjs" {
  export const pages: readonly { readonly what: string; readonly measure: () => Promise<number> }[];
}

declare module "*/bench/suites/package.mjs" {
  export function packageSuites(workDir: string): { rows: string[] }[];
}

declare module "*/bench/suites/sizes.mjs" {
  export function viewerDownload(version: 2 | 3): () => Promise<number>;
}

declare module "*/bench/targets.mjs" {
  export const targets: { pattern: RegExp; text: string }[];
  export const viewerTargets: { pattern: RegExp; text: string }[];
  export interface Target {
    pattern: RegExp;
    of: "ratio" | "value";
    sign: string;
    bound: number;
    reason?: string;
  }
  export function targetOf(name: string): Target | undefined;
  export function judge(target: Target, row: BenchRow): "met" | "missed";
}

declare module "*/bench/viewer/suite.mjs" {
  export function viewerSuite(workDir: string): { suite: { rows: string[] }[] };
}
