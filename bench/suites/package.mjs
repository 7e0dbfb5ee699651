// All suites that need only the output of `npm run build`, in order of execution.
import { gunzipSync } from "node:zlib";
import { arraySuite } from "./arrays.mjs";
import { decodeSuite, encodeSuite } from "./codecs.mjs";
import { computeSuite } from "./compute.mjs";
import { copySuite } from "./copies.mjs";
import { growthSuite } from "./growth.mjs";
import { httpSuite } from "./http.mjs";
import { multiscaleSuite } from "./multiscale.mjs";
import { pcodecSuite } from "./pcodec.mjs";
import { poolSuite } from "./pools.mjs";
import { sizeSuite } from "./sizes.mjs";
import { startupSuite } from "./startup.mjs";
import { writingSuite } from "./writing.mjs";

/** Node's own decoders. */
const nodeDecoders = { "gzip level 5": { "node:zlib": (encoded) => gunzipSync(encoded) } };

/**
 * @param {string} workDir for generated data
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function packageSuites(workDir) {
  return [
    ...sizeSuite(),
    ...startupSuite(workDir),
    ...arraySuite(),
    ...httpSuite(workDir),
    ...copySuite(workDir),
    ...computeSuite(workDir),
    ...multiscaleSuite(workDir),
    ...growthSuite(),
    ...decodeSuite({ peers: nodeDecoders }),
    ...pcodecSuite(),
    ...encodeSuite(),
    ...writingSuite(),
    ...poolSuite(workDir),
  ];
}
