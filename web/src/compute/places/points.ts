/** Points sorted by y: the nearest one, on the sphere or on a plane, and those between two y. */

import type { Coordinates } from "../../conventions/sel/coordinates.js";
import { radians } from "../../conventions/shared/degrees.js";
import { firstIndex } from "../../util/search.js";
import type { Span } from "../axes.js";

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

  /** @param x and y of each point, at most 2²⁶; some may have none (NaN). */
  constructor(
    private readonly x: Coordinates,
    private readonly y: Coordinates,
  ) {
    let [first, last, found] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    const keys = new Float64Array(y.length);
    for (let point = 0; point < y.length; point++) {
      const at = y.at(point);
      if (!Number.isFinite(x.at(point)) || !Number.isFinite(at)) continue;
      [first, last] = [Math.min(first, at), Math.max(last, at)];
      keys[found++] = point;
    }
    this.#first = first;
    this.#scale = (levels - 1) / (last - first || 1);
    this.#keys = keys.subarray(0, found);
    for (const [i, point] of this.#keys.entries()) this.#keys[i] = this.#level(y.at(point)) * levels + point;
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
    /** @returns whether points farther away in y may be nearer. */
    const visit = (position: number): boolean => {
      const one = this.at(position);
      if (Math.abs(this.y.at(one) - y) > distance + 2 / this.#scale) return false;
      const far = distanceOf(this.x.isLongitude, x, y, this.x.at(one), this.y.at(one));
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
