// Types of the project's scripts, which are plain JavaScript, and of the command line, which is built without
// types; only the parts that the tests use.
declare module "*/dist/cli/server/server.js" {
  export type { Mount, Server, ServerOptions } from "../../web/cli/server/server.ts";
  export { startServer, viewerPolicy } from "../../web/cli/server/server.ts";
}

declare module "*/scripts/lib/reports.mjs" {
  export function failuresIn(report: {
    numFailedTestSuites?: number;
    testResults?: readonly {
      name: string;
      status: string;
      assertionResults: readonly { status: string; fullName: string }[];
    }[];
  }): string[];

  interface Counts {
    passed: number;
    failed: number;
    /** Reasons. */
    skipped?: string[];
    /** Titles. */
    failures?: string[];
    /** Titles of the tests that passed at the second attempt. */
    flaky?: string[];
    /** Of the whole part. */
    seconds?: number;
    times?: readonly Time[];
  }
  interface Time {
    readonly title: string;
    readonly seconds: number;
  }
  export function count(
    ok: boolean,
    passed: number,
    failed: number,
    skipped?: string[],
    failures?: string[],
    flaky?: string[],
  ): Counts;
  export function runEach(
    names: readonly string[],
    test: (name: string) => Promise<readonly string[]>,
  ): Promise<Counts>;
  export function summarise(results: readonly (Counts & { name: string })[]): 0 | 1;
  export function skipsIn(report: {
    testResults?: readonly {
      assertionResults: readonly { status: string; meta?: { skipReason?: string } }[];
    }[];
  }): string[];
  export function repeatsIn(report: {
    testResults?: readonly {
      name: string;
      assertionResults: readonly { status: string; fullName: string; meta?: { firstError?: string } }[];
    }[];
  }): string[];
  export function timesIn(report: {
    testResults?: readonly {
      name: string;
      assertionResults: readonly { fullName: string; duration?: number }[];
    }[];
  }): Time[];
  export function timesInPlaywright(report: { suites?: readonly object[] }): Time[];
  export function timesInGtest(xml: string): Time[];
  export function skipsInPlaywright(report: { suites?: readonly object[] }): string[];
  export function failuresInPlaywright(
    report: { suites?: readonly object[] },
    wanted?: "unexpected" | "flaky",
  ): string[];
  export function testsInGtest(xml: string): number;
  export function skipsInGtest(xml: string): string[];
  export function failuresInGtest(xml: string): string[];
  export function lastInGtest(output: string): string;
}

declare module "*/examples/samples/samples.mjs" {
  interface Sizes {
    readonly terrain: number;
    readonly volume: number;
    readonly cells: number;
    readonly days: number;
    readonly skeleton: number;
  }
  export const sizes: { readonly full: Sizes; readonly small: Sizes };
  export function makeSamples(folder: string, size: Sizes): Promise<void>;
}

declare module "*/scripts/lib/server.mjs" {
  export const strictPolicy: string;
  export const isolationHeaders: Record<string, string>;
  export function startServer(options: {
    mounts: Record<string, string | { root: string; isData?: boolean }>;
    policy?: string;
    headers?: Record<string, string>;
    route?: (
      request: import("node:http").IncomingMessage,
      response: import("node:http").ServerResponse,
      headers: Record<string, string>,
    ) => boolean;
  }): Promise<{ url: string; close(): Promise<void> }>;
}

declare module "*/scripts/lib/system.mjs" {
  export function findChromium(): string | undefined;
  export function findHeadlessShell(): string | undefined;
  export function findNginx(): string | undefined;
  export function findFirefox(): string | undefined;
  export function findWebKitDriver(): string | undefined;
  export function findMiniBrowser(): string | undefined;
}
