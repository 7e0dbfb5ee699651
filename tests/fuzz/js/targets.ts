/** All targets of the JavaScript fuzzer. */
import { chunkTargets } from "./chunks.js";
import { conventionTargets } from "./conventions.js";
import { fileTargets } from "./files.js";
import { metadataTargets } from "./metadata.js";
import { regionTargets } from "./regions.js";
import { storeTargets } from "./stores.js";
import type { FuzzTarget } from "./target.js";
import { typeTargets } from "./types.js";

export const targets: readonly FuzzTarget[] = [
  ...metadataTargets,
  ...typeTargets,
  ...regionTargets,
  ...storeTargets,
  ...chunkTargets,
  ...conventionTargets,
  ...fileTargets,
];
