/** Points sorted by y: the nearest one, on the sphere or on a plane, and those between two y. */

import { radians } from "../../conventions/shared/degrees.js";
import { firstIndex } from "../../util/search.js";
import type { Span } from "../axes.js";

/** Coordinates of points by number; some may have none (NaN). */
export interface PointCoordinates {
  /** At most 2²⁶. */
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

/** Levels of y that the order distinguishes, and numbers of points. */
const levels = 2 ** 26;

export class Points {
  /** Level of the y of each point, and its number: both fit into a double, whose sort needs no comparator. */
  readonly #keys: Float64Array;
  readonly #first: number;
  readonly #scale: number;

  constructor(
    private readonly points: PointCoordinates,
    private readonly areDegrees: boolean,
  ) {
    const { count } = points;
    const isPoint = (point: number) => Number.isFinite(points.x(point)) && Number.isFinite(points.y(point));
    let [first, last, found] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    const keys = new Float64Array(count);
    for (let point = 0; point < count; point++) {
      if (!isPoint(point)) continue;
      const y = points.y(point);
      [first, last] = [Math.min(first, y), Math.max(last, y)];
      keys[found++] = point;
    }
    this.#first = first;
    this.#scale = (levels - 1) / (last - first || 1);
    this.#keys = keys.subarray(0, found);
    for (const [i, point] of this.#keys.entries())
      this.#keys[i] = this.#level(points.y(point)) * levels + point;
    this.#keys.sort();
  }

  /** Number of points that have coordinates. */
  get length(): number {
    return this.#keys.length;
  }

  /** Returns the point at a position in the order of y, up to rounding. */
  at(position: number): number {
    return this.#keys[position]! % levels;
  }

  /** Returns positions of all points with a y between two, and of some beside them. */
  between(low: number, high: number): Span {
    return { from: this.#position(this.#level(low)), to: this.#position(this.#level(high) + 1) };
  }

  /**
   * Returns the nearest point and its distance; −1 and Infinity if there is none.
   * @param beyond only points farther away count.
   */
  nearest(x: number, y: number, beyond = -1): { point: number; distance: number } {
    let [point, distance] = [-1, Number.POSITIVE_INFINITY];
    const { points, areDegrees } = this;
    /** @returns whether points farther away in y may be nearer. */
    const visit = (position: number): boolean => {
      const one = this.at(position);
      if (Math.abs(points.y(one) - y) > distance + 2 / this.#scale) return false;
      const far = distanceOf(areDegrees, x, y, points.x(one), points.y(one));
      if (far < distance && far > beyond) [point, distance] = [one, far];
      return true;
    };
    const middle = this.#position(this.#level(y));
    let [down, up] = [middle - 1, middle];
    for (let goesOn = true; goesOn; ) {
      const goesUp = up < this.length && visit(up++);
      const goesDown = down >= 0 && visit(down--);
      goesOn = goesUp || goesDown;
    }
    return { point, distance };
  }

  #level(y: number): number {
    return Math.floor(Math.max(-1, Math.min(levels, (y - this.#first) * this.#scale)));
  }

  /** Returns the first position of a level or one above it. */
  #position(level: number): number {
    const [keys, key] = [this.#keys, level * levels];
    return firstIndex(keys.length, (position) => keys[position]! >= key);
  }
}
