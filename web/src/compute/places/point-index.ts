/** Finds the nearest of many points, on the sphere or on a plane. */

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

/** Points sorted into bands by y, of which a search visits only the nearest. */
export class PointIndex {
  readonly #first: number;
  readonly #height: number;
  /** Start of each band in the order. */
  readonly #starts: Uint32Array;
  readonly #order: Uint32Array;

  constructor(
    private readonly points: Points,
    private readonly areDegrees: boolean,
  ) {
    const { count } = points;
    let [first, last, found] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    const has = (i: number) => Number.isFinite(points.x(i)) && Number.isFinite(points.y(i));
    for (let i = 0; i < count; i++) {
      if (!has(i)) continue;
      [first, last] = [Math.min(first, points.y(i)), Math.max(last, points.y(i))];
      found++;
    }
    const bands = Math.max(1, Math.ceil(2 * Math.sqrt(found)));
    [this.#first, this.#height] = [first, (last - first) / bands || 1];
    this.#starts = new Uint32Array(bands + 1);
    this.#order = new Uint32Array(found);
    for (let i = 0; i < count; i++) if (has(i)) this.#starts[this.#band(points.y(i)) + 1]!++;
    for (let band = 0; band < bands; band++) this.#starts[band + 1]! += this.#starts[band]!;
    const next = this.#starts.slice();
    for (let i = 0; i < count; i++) if (has(i)) this.#order[next[this.#band(points.y(i))]!++] = i;
  }

  /**
   * Returns the nearest point and its distance; −1 and Infinity if there is none.
   * @param beyond only points farther away count.
   */
  nearest(x: number, y: number, beyond = -1): { point: number; distance: number } {
    let [point, distance] = [-1, Number.POSITIVE_INFINITY];
    const { points, areDegrees } = this;
    const visit = (band: number) => {
      for (let at = this.#starts[band]!; at < this.#starts[band + 1]!; at++) {
        const one = this.#order[at]!;
        if (Math.abs(points.y(one) - y) >= distance) continue;
        const far = distanceOf(areDegrees, x, y, points.x(one), points.y(one));
        if (far < distance && far > beyond) [point, distance] = [one, far];
      }
    };
    const middle = this.#band(y);
    const last = this.#starts.length - 2;
    visit(middle);
    const slack = 1e-9 * this.#height; // of rounding, when points are sorted into bands
    const edge = (band: number) => this.#first + band * this.#height;
    for (let up = middle + 1; up <= last && edge(up) - y <= distance + slack; up++) visit(up);
    for (let down = middle - 1; down >= 0 && y - edge(down + 1) <= distance + slack; down--) visit(down);
    return { point, distance };
  }

  #band(y: number): number {
    const band = Math.floor((y - this.#first) / this.#height);
    return Math.min(Math.max(band, 0), this.#starts.length - 2);
  }
}
