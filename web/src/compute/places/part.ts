/** Lazy part: values at places, along lines and inside areas. */
export { seriesInside } from "./inside.js";
export { seriesAt } from "./series.js";
