// All suites that measure with nothing but what `npm run build` makes, in the order in which they run.
import { gunzipSync } from "node:zlib";
import { arraySuite } from "./arrays.mjs";
import { decodeSuite, encodeSuite } from "./codecs.mjs";
import { copySuite } from "./copies.mjs";
import { growthSuite } from "./growth.mjs";
import { httpSuite } from "./http.mjs";
import { pcodecSuite } from "./pcodec.mjs";
import { sizeSuite } from "./sizes.mjs";
import { startupSuite } from "./startup.mjs";
import { writingSuite } from "./writing.mjs";

/** Node's own decoders. */
const nodeDecoders = { "gzip level 5": { "node:zlib": (encoded) => gunzipSync(encoded) } };

/**
 * @param {string} workDir for data that they make
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function packageSuites(workDir) {
  return [
    ...sizeSuite(),
    ...startupSuite(workDir),
    ...arraySuite(),
    ...httpSuite(workDir),
    ...copySuite(workDir),
    ...growthSuite(),
    ...decodeSuite({ peers: nodeDecoders }),
    ...pcodecSuite(),
    ...encodeSuite(),
    ...writingSuite(),
  ];
}
