/** Lazy part: reductions and statistics. */
export { quantilesOf } from "./quantile.js";
export { reduceArray } from "./reduce.js";
export { statisticsOf } from "./statistics.js";
