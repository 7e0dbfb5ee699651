/** Skipped tests: each has a reason, which the last lines of `npm test` count. */
import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    skipReason?: string;
  }
}

/** Options of a test, or of a block of tests, that is skipped if there is a reason. */
export const skipFor = (reason: string | undefined) =>
  reason === undefined ? {} : { skip: true, meta: { skipReason: reason } };

/** Ends a running test that turns out to be impossible here. */
export function skipNow(context: TestContext, reason: string): never {
  context.task.meta.skipReason = reason;
  return context.skip(reason);
}

/** The reason to skip a test that runs a program; undefined if it is on PATH. */
export function missingProgram(name: string): string | undefined {
  return spawnSync("sh", ["-c", `command -v ${name}`]).status === 0 ? undefined : `${name} is not installed`;
}

/** The reason to skip a test on some systems: names as `process.platform` has them. */
export const unsupportedSystem = (isSupported: boolean): string | undefined =>
  isSupported ? undefined : `does not run on ${process.platform}`;
