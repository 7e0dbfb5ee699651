/**
 * Copies and verifies arrays and groups.
 * @packageDocumentation
 */

export { copy } from "./transfer/copy.js";
export type {
  CopyOptions,
  CopyProgress,
  CopyResult,
  Leftovers,
  SourceOptions,
  VerifyOptions,
  VerifyProblem,
  VerifyProgress,
  VerifyResult,
} from "./transfer/options.js";
export { verify } from "./transfer/verify.js";
