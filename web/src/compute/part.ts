/** Lazy part: reductions, statistics and series. */
export { seriesInside } from "./inside.js";
export { quantilesOf } from "./quantile.js";
export { reduceArray } from "./reduce.js";
export { seriesAt } from "./series.js";
export { statisticsOf } from "./statistics.js";
