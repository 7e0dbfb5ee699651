// The suites that run in pages, too, and what their rows are called there.
import { arraySuite } from "../suites/arrays.mjs";
import { decodeSuite } from "../suites/codecs.mjs";

const prefix = "Chromium, ";

/** @returns {import("../measure.mjs").Measurement[]} */
export function pageSuites() {
  return [...arraySuite({ prefix }), ...decodeSuite({ prefix, only: ["microscopy", "field"] })];
}
