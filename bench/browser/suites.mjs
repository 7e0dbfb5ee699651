// The suites that also run in pages, with the names of their rows there.
import { arraySuite } from "../suites/arrays.mjs";
import { decodeSuite } from "../suites/codecs.mjs";

const prefix = "Chromium, ";

/** @returns {import("../measure.mjs").Measurement[]} */
export function pageSuites() {
  return [...arraySuite({ prefix }), ...decodeSuite({ prefix, only: ["microscopy", "field"] })];
}
