/** Lazy part: expressions and anomalies. */
export { makeAnomaly, makeExpression } from "./expression.js";
