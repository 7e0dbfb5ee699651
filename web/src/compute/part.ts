/** Lazy part: reductions, statistics and expressions. */
export { makeAnomaly, makeExpression } from "./expression/expression.js";
export { quantilesOf } from "./quantile.js";
export { reduceArray } from "./reduce.js";
export { statisticsOf } from "./statistics.js";
