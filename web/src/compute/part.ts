/** Lazy part: reductions and statistics. */
export { reduceArray } from "./reduce.js";
