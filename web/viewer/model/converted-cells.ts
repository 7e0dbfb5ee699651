/** The cells of projected data: rows and columns of constant y and x in their reference system. */
import type { PointConverter } from "../source/dataset.js";
import type { Rectangle } from "./camera.js";
import { type AxisDegrees, type GridCells, type Samples, sampledRectangle } from "./grid-cells.js";
import { type MapBounds, turned } from "./map-projections.js";

/** Positions between two conversions, and the greatest error in cells of those interpolated between. */
const stride = 16;
const tolerance = 1 / 64;
/** Points per side at which the bounds are measured. */
const measured = 32;

export class ConvertedCells implements GridCells {
  readonly rows: number;
  readonly columns: number;
  readonly step: number;
  readonly bounds: MapBounds;
  /** Longitude in the middle. */
  readonly #meridian: number;
  /** Rows and columns of positions in elements. */
  #down = new Float64Array(0);
  #across = new Float64Array(0);

  /** @param isTurned whether rows are x, and columns y */
  constructor(
    private readonly y: AxisDegrees,
    private readonly x: AxisDegrees,
    private readonly isTurned: boolean,
    private readonly converter: PointConverter,
  ) {
    [this.rows, this.columns] = isTurned ? [x.length, y.length] : [y.length, x.length];
    const middle = converter.inverse(x.at(x.length / 2), y.at(y.length / 2));
    this.#meridian = middle?.[0] ?? 0;
    this.bounds = this.#measure();
    const next = converter.inverse(x.at(x.length / 2), y.at(y.length / 2 + 1));
    const [a, b] = [middle ?? [0, 0], next ?? [0, 1]];
    const across = turned(b[0] - a[0]) * Math.cos((a[1] * Math.PI) / 180);
    this.step = Math.max(1e-9, Math.hypot(across, b[1] - a[1]));
  }

  #measure(): MapBounds {
    const { x, y, converter } = this;
    const [east, north]: [number[], number[]] = [[], []];
    for (let i = 0; i <= measured; i++)
      for (let k = 0; k <= measured; k++) {
        const at = converter.inverse(x.at((i / measured) * x.length), y.at((k / measured) * y.length));
        if (!at) continue;
        east.push(turned(at[0] - this.#meridian));
        north.push(at[1]);
      }
    const poles = [-90, 90].filter((pole) => {
      const at = this.#convert(this.#meridian, pole);
      return at !== undefined && at[0] >= 0 && at[0] <= y.length && at[1] >= 0 && at[1] <= x.length;
    });
    const slack = (Math.max(...north) - Math.min(...north)) / measured;
    const [south, most] = [Math.min(...north, ...poles), Math.max(...north, ...poles)];
    const isAround = poles.length > 0;
    return {
      west: this.#meridian + (isAround ? -180 : Math.max(-180, Math.min(...east) - slack)),
      east: this.#meridian + (isAround ? 180 : Math.min(180, Math.max(...east) + slack)),
      south: Math.max(-90, south - slack),
      north: Math.min(90, most + slack),
    };
  }

  /** Position in elements along y and x. */
  #convert(longitude: number, latitude: number): readonly [down: number, across: number] | undefined {
    const at = this.converter.forward(longitude, latitude);
    return at && [this.y.elementAt(at[1]), this.x.elementAt(at[0])];
  }

  find(longitudes: Float64Array, latitudes: Float64Array, cells: Int32Array, from: number): void {
    const count = longitudes.length;
    if (this.#down.length < count)
      [this.#down, this.#across] = [new Float64Array(count), new Float64Array(count)];
    this.#fill(longitudes, latitudes, 0);
    for (let i = 0; i < count; i += stride) {
      const end = Math.min(i + stride, count - 1);
      if (end <= i) break;
      this.#fill(longitudes, latitudes, end);
      this.#between(longitudes, latitudes, i, end);
    }
    const [perY, perX] = this.isTurned ? [1, this.columns] : [this.columns, 1];
    for (let i = 0; i < count; i++) {
      const [down, across] = [Math.floor(this.#down[i]!), Math.floor(this.#across[i]!)];
      const isIn = down >= 0 && down < this.y.length && across >= 0 && across < this.x.length;
      cells[from + i] = isIn ? down * perY + across * perX : -1;
    }
  }

  #fill(longitudes: Float64Array, latitudes: Float64Array, i: number): void {
    const [longitude, latitude] = [longitudes[i]!, latitudes[i]!];
    const { west, east, south, north } = this.bounds;
    const relative = this.#meridian + turned(longitude - this.#meridian);
    // Beyond the data, conversions may lead anywhere.
    const isIn = relative >= west && relative <= east && latitude >= south && latitude <= north;
    const at = isIn ? this.#convert(longitude, latitude) : undefined;
    this.#down[i] = at ? at[0] : Number.NaN;
    this.#across[i] = at ? at[1] : Number.NaN;
  }

  /** Interpolates between two converted positions, or converts in between if that is not exact enough. */
  #between(longitudes: Float64Array, latitudes: Float64Array, from: number, to: number): void {
    if (to - from < 2) return;
    const [down, across] = [this.#down, this.#across];
    const middle = (from + to) >> 1;
    this.#fill(longitudes, latitudes, middle);
    const share = (middle - from) / (to - from);
    const error = (values: Float64Array) =>
      Math.abs(values[from]! + share * (values[to]! - values[from]!) - values[middle]!);
    const isNone = [from, middle, to].every((at) => Number.isNaN(down[at]!));
    if (isNone || error(down) + error(across) <= tolerance) {
      this.#interpolate(from, middle);
      this.#interpolate(middle, to);
    } else {
      this.#between(longitudes, latitudes, from, middle);
      this.#between(longitudes, latitudes, middle, to);
    }
  }

  #interpolate(from: number, to: number): void {
    for (const values of [this.#down, this.#across])
      for (let i = from + 1; i < to; i++)
        values[i] = values[from]! + ((i - from) / (to - from)) * (values[to]! - values[from]!);
  }

  outline(cell: number): number[] {
    const [first, second] = [Math.floor(cell / this.columns), cell % this.columns];
    const [row, column] = this.isTurned ? [second, first] : [first, second];
    const corners = [
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 0],
    ] as const;
    return corners.flatMap(([down, across]) => [
      ...(this.converter.inverse(this.x.at(column + across), this.y.at(row + down)) ?? []),
    ]);
  }

  parts(samples: Samples): readonly Rectangle[] {
    return sampledRectangle(samples, this.rows, this.columns);
  }
}
