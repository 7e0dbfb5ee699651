/**
 * Copies and verifies arrays and groups.
 * @packageDocumentation
 */

export { copy } from "./transfer/copy.js";
export type {
  CopyOptions,
  CopyProgress,
  CopyResult,
  SourceOptions,
  VerifyOptions,
  VerifyProblem,
  VerifyProgress,
  VerifyResult,
} from "./transfer/options.js";
export type { Leftovers } from "./transfer/scratch.js";
export { verify } from "./transfer/verify.js";
