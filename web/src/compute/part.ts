/** Lazy part: reductions and statistics. */
export { selectedCoordinates } from "./labelled.js";
export { quantilesOf } from "./quantile.js";
export { reduceArray } from "./reduce.js";
export { statisticsOf } from "./statistics.js";
