/**
 * Copies and verifies arrays and groups.
 * @packageDocumentation
 */

export type { CopyProgress, CopyResult } from "./transfer/array-copy.js";
export { copy } from "./transfer/copy.js";
export type {
  CopyOptions,
  SourceOptions,
  VerifyOptions,
  VerifyProblem,
  VerifyProgress,
  VerifyResult,
} from "./transfer/options.js";
export type { Leftovers } from "./transfer/scratch.js";
export { verify } from "./transfer/verify.js";
