/** Finds the nearest of many points, on the sphere or on a plane. */

import type { Steps } from "../../util/slices.js";
import { Bands } from "./bands.js";

const radians = Math.PI / 180;

/** Points by number; some may have no coordinates (NaN). */
export interface Points {
  readonly count: number;
  x(point: number): number;
  y(point: number): number;
}

/** Returns the distance of two points: along a great circle in degrees, or on the plane. */
export function distanceOf(areDegrees: boolean, x1: number, y1: number, x2: number, y2: number): number {
  if (!areDegrees) return Math.hypot(x2 - x1, y2 - y1);
  const north = Math.sin(((y2 - y1) / 2) * radians);
  const east = Math.sin(((x2 - x1) / 2) * radians);
  const square = north * north + Math.cos(y1 * radians) * Math.cos(y2 * radians) * east * east;
  return (2 * Math.asin(Math.min(1, Math.sqrt(square)))) / radians;
}

export class PointIndex {
  readonly #bands: Bands;

  constructor(
    private readonly points: Points,
    private readonly areDegrees: boolean,
  ) {
    const low = (point: number) => {
      const y = points.y(point);
      return Number.isFinite(points.x(point)) && Number.isFinite(y) ? y : Number.NaN;
    };
    let [first, last, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    for (let point = 0; point < points.count; point++) {
      const at = low(point);
      if (!Number.isNaN(at)) [first, last, count] = [Math.min(first, at), Math.max(last, at), count + 1];
    }
    const items = { count: points.count, low, high: low };
    this.#bands = result(Bands.make(first, last, Math.ceil(2 * Math.sqrt(count)), items));
  }

  /**
   * Returns the nearest point and its distance; −1 and Infinity if there is none.
   * @param beyond only points farther away count.
   */
  nearest(x: number, y: number, beyond = -1): { point: number; distance: number } {
    let [point, distance] = [-1, Number.POSITIVE_INFINITY];
    const { points, areDegrees } = this;
    const bands = this.#bands;
    const visit = (band: number) => {
      for (const one of bands.items(band)) {
        if (Math.abs(points.y(one) - y) >= distance) continue;
        const far = distanceOf(areDegrees, x, y, points.x(one), points.y(one));
        if (far < distance && far > beyond) [point, distance] = [one, far];
      }
    };
    const middle = bands.at(y);
    visit(middle);
    const slack = 1e-9 * bands.height; // of rounding, when points are sorted into bands
    for (let up = middle + 1; up < bands.count && bands.edge(up) - y <= distance + slack; up++) visit(up);
    for (let down = middle - 1; down >= 0 && y - bands.edge(down + 1) <= distance + slack; down--)
      visit(down);
    return { point, distance };
  }
}

/** Runs steps without interruption. */
function result<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
