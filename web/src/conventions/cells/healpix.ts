/**
 * HEALPix: twelve square faces that are divided into nside × nside cells of equal area, numbered along rings of
 * latitude or nested. Spec: Górski et al. 2005, "HEALPix: A Framework for High-Resolution Discretization", section 5.
 */
import { firstIndex } from "../../util/search.js";
import { radians, shiftEast } from "../shared/degrees.js";
import { type CellGrid, Span } from "./grid.js";

export type HealpixScheme = "nested" | "ring";

/** Highest refinement level: numbers of its cells fit into float64. */
export const maxHealpixLevel = 24;

/** Rows from the north, and eighths of a turn, of the southern corner of each face. */
const faceRow = [2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4] as const;
const faceColumn = [1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7] as const;

/** Numbers of cells of one refinement. */
export class Healpix {
  readonly nside: number;
  /** Number of cells. */
  readonly count: number;
  /** Numbers of cells in the northern cap. */
  readonly #cap: number;
  #latitude = Number.NaN;
  /** Sine and cosine of the last latitude: neighbouring points often share it. */
  #z = 0;
  #cosine = 1;

  /** @param nside a power of two for the nested scheme */
  constructor(
    nside: number,
    readonly scheme: HealpixScheme,
  ) {
    this.nside = nside;
    this.count = 12 * nside * nside;
    this.#cap = 2 * nside * (nside - 1);
  }

  /** Returns the number of the cell that contains a point. */
  at(longitude: number, latitude: number): number {
    if (latitude !== this.#latitude) {
      this.#latitude = latitude;
      this.#z = Math.sin(latitude * radians);
      this.#cosine = Math.abs(Math.cos(latitude * radians));
    }
    const quarter = shiftEast(0, longitude) / 90;
    const tt = quarter < 4 ? quarter : 0;
    return Math.abs(this.#z) <= 2 / 3 ? this.#equatorial(tt) : this.#polar(tt);
  }

  #equatorial(tt: number): number {
    const { nside } = this;
    const [along, up] = [nside * (0.5 + tt), nside * this.#z * 0.75];
    // Indices of ascending and of descending borders.
    const [jp, jm] = [Math.floor(along - up), Math.floor(along + up)];
    if (this.scheme === "ring") {
      const ring = nside + 1 + jp - jm;
      const shift = 1 - (ring & 1);
      const column = (jp + jm - nside + shift + 1) / 2;
      return this.#cap + (ring - 1) * 4 * nside + (Math.floor(column) % (4 * nside));
    }
    return this.#crossing(jp, jm);
  }

  /** Returns the number in the nested scheme of an equatorial cell by its ascending and descending borders. */
  #crossing(jp: number, jm: number): number {
    const { nside } = this;
    const [p, m] = [Math.floor(jp / nside), Math.floor(jm / nside)];
    const face = p === m ? (p & 3) + 4 : p < m ? p : m + 8;
    return this.nest(face, jm % nside, nside - (jp % nside) - 1);
  }

  #polar(tt: number): number {
    const { nside } = this;
    const z = this.#z;
    const sector = Math.min(3, Math.floor(tt));
    const share = tt - sector;
    const radius = (nside * this.#cosine) / Math.sqrt((1 + Math.abs(z)) / 3);
    const last = nside - 1;
    const jp = Math.min(last, Math.floor(share * radius));
    const jm = Math.min(last, Math.floor((1 - share) * radius));
    if (this.scheme === "nested")
      return z > 0 ? this.nest(sector, last - jm, last - jp) : this.nest(sector + 8, jp, jm);
    const ring = jp + jm + 1;
    const column = Math.floor(tt * ring) % (4 * ring);
    return z > 0 ? 2 * ring * (ring - 1) + column : this.count - 2 * ring * (ring + 1) + column;
  }

  /** Returns the number of a cell in the nested scheme from its face, and its place north-east and north-west. */
  nest(face: number, x: number, y: number): number {
    const low = spread(x & 0xfff) + 2 * spread(y & 0xfff);
    const high = this.nside > 0x1000 ? spread(x >>> 12) + 2 * spread(y >>> 12) : 0;
    return face * this.nside * this.nside + high * 0x1000000 + low;
  }

  /** The inverse of `nest`. */
  place(nested: number): readonly [face: number, x: number, y: number] {
    const perFace = this.nside * this.nside;
    const face = Math.floor(nested / perFace);
    const own = nested - face * perFace;
    const high = Math.floor(own / 0x1000000);
    const low = own - high * 0x1000000;
    return [
      face,
      gathered(low) + 0x1000 * gathered(high),
      gathered(low >>> 1) + 0x1000 * gathered(high >>> 1),
    ];
  }

  /** Converts a number of the nested scheme to one of the ring scheme. */
  nestedToRing(nested: number): number {
    const { nside } = this;
    const [face, x, y] = this.place(nested);
    const row = faceRow[face]! * nside - x - y - 1;
    let [length, before, shift] = [nside, 0, 0];
    if (row < nside) {
      length = row;
      before = 2 * row * (row - 1);
    } else if (row > 3 * nside) {
      length = 4 * nside - row;
      before = this.count - 2 * (length + 1) * length;
    } else {
      before = this.#cap + (row - nside) * 4 * nside;
      shift = (row - nside) & 1;
    }
    const column = (faceColumn[face]! * length + x - y + 1 + shift) / 2;
    const around = 4 * nside;
    const wrapped = column > around ? column - around : column < 1 ? column + around : column;
    return before + wrapped - 1;
  }

  /** Converts a number of the ring scheme to one of the nested scheme. */
  ringToNested(ring: number): number {
    const { nside, count } = this;
    const cap = this.#cap;
    if (ring >= cap && ring < count - cap) {
      const row = Math.floor((ring - cap) / (4 * nside));
      const column = ring - cap - row * 4 * nside;
      // Twice the place along the two borders, from the centre of the cell.
      const along = 2 * column + 1 - (row & 1) + nside;
      const up = nside - row;
      return this.#crossing((along - up) >> 1, (along + up) >> 1);
    }
    const isNorth = ring < cap;
    const own = isNorth ? ring : count - 1 - ring;
    const row = capRow(own);
    const before = isNorth ? 2 * row * (row - 1) : count - 2 * row * (row + 1);
    const column = ring - before;
    const sector = Math.floor(column / row);
    const share = column - sector * row;
    return isNorth
      ? this.nest(sector, nside - row + share, nside - 1 - share)
      : this.nest(sector + 8, share, row - 1 - share);
  }

  /** Returns the longitude and latitude of a place in a cell; (½, ½) is its centre, (0, 0) its southern corner. */
  pointIn(cell: number, across: number, up: number): readonly [longitude: number, latitude: number] {
    const nested = this.scheme === "nested" ? cell : this.ringToNested(cell);
    const [face, x, y] = this.place(nested);
    const [east, west] = [(x + across) / this.nside, (y + up) / this.nside];
    const row = faceRow[face]! - east - west;
    const isCap = row < 1 || row > 3;
    const length = row < 1 ? row : row > 3 ? 4 - row : 1;
    const squared = (length * length) / 3;
    const latitude = isCap
      ? (Math.sign(2 - row) * Math.acos(Math.sqrt(squared * (2 - squared)))) / radians
      : Math.asin(((2 - row) * 2) / 3) / radians;
    const column = faceColumn[face]! * length + east - west;
    const longitude = length < 1e-15 ? 0 : (45 * column) / length;
    return [shiftEast(0, longitude), latitude];
  }
}

/** Returns the ring of a cell in a polar cap, from 1. */
function capRow(cell: number): number {
  const guess = Math.floor((1 + Math.sqrt(1 + 2 * cell)) / 2);
  // Roots of large numbers may be rounded up.
  return 2 * guess * (guess - 1) > cell ? guess - 1 : guess;
}

/** Spreads 12 bits: a zero after each. */
function spread(bits: number): number {
  let out = (bits | (bits << 8)) & 0x00ff00ff;
  out = (out | (out << 4)) & 0x0f0f0f0f;
  out = (out | (out << 2)) & 0x33333333;
  return (out | (out << 1)) & 0x55555555;
}

/** Gathers every second one of 24 bits. */
function gathered(bits: number): number {
  let out = bits & 0x555555;
  out = (out | (out >> 1)) & 0x333333;
  out = (out | (out >> 2)) & 0x0f0f0f0f;
  out = (out | (out >> 4)) & 0x00ff00ff;
  return (out | (out >> 8)) & 0xfff;
}

/** Converts geodetic latitudes to authalic ones, on a sphere of equal area, and back. */
interface Sphere {
  to(latitude: number): number;
  from(latitude: number): number;
}

const sphere: Sphere = { to: (latitude) => latitude, from: (latitude) => latitude };

/** @param flattening of the ellipsoid */
function authalic(flattening: number): Sphere {
  if (!(flattening > 0 && flattening < 0.1)) return sphere;
  const e = Math.sqrt(flattening * (2 - flattening));
  const q = (sine: number) => {
    const es = e * sine;
    return (1 - e * e) * (sine / (1 - es * es) + Math.atanh(es) / e);
  };
  const pole = q(1);
  const to = (latitude: number) => {
    const sine = q(Math.sin(latitude * radians)) / pole;
    return Math.asin(Math.min(1, Math.max(-1, sine))) / radians;
  };
  const from = (latitude: number) => {
    let guess = latitude;
    // The difference is at most an eighth of a degree, and shrinks by a factor of the flattening.
    for (let i = 0; i < 8; i++) guess += latitude - to(guess);
    return guess;
  };
  return { to, from };
}

/** Cells of a dimension that are not all cells in order. */
export interface CellIds {
  readonly length: number;
  /** Identifier of a cell. */
  at(index: number): number;
  /** Index of an identifier; −1 for none. */
  indexOf(id: number): number;
}

/** The identifiers of a dimension. Repeated ones have the last index. */
export function cellIds(ids: ArrayLike<number | bigint>): CellIds {
  const { length } = ids;
  const own = Float64Array.from(ids as ArrayLike<number>, Number);
  const [first, last] = [own[0] ?? 0, own[length - 1] ?? 0];
  if (own.every((id, i) => id === first + i))
    return { length, at: (i) => own[i]!, indexOf: (id) => (id >= first && id <= last ? id - first : -1) };
  const isSorted = own.every((id, i) => i === 0 || id > own[i - 1]!);
  const order = isSorted ? undefined : Uint32Array.from(own, (_, i) => i).sort((a, b) => own[a]! - own[b]!);
  const sorted = order ? Float64Array.from(order, (i) => own[i]!) : own;
  const indexOf = (id: number) => {
    const last = firstIndex(length, (i) => sorted[i]! > id) - 1;
    if (sorted[last] !== id) return -1;
    return order ? order[last]! : last;
  };
  return { length, at: (i) => own[i]!, indexOf };
}

/** Maximum number of cells that determine bounds: of more, some evenly spaced ones, with wider circles. */
const maxMeasured = 2 ** 18;

function boundsOf({ length }: CellIds, centre: CellGrid["centre"], spacing: number): CellGrid["bounds"] {
  const step = Math.ceil(length / maxMeasured);
  const span = new Span();
  for (let cell = 0; cell < length; cell += step) span.add(...centre(cell), spacing * Math.sqrt(step));
  return span.bounds;
}

export interface HealpixOptions {
  readonly nside: number;
  readonly scheme: HealpixScheme;
  /** Default: all cells in order. */
  readonly ids?: CellIds | undefined;
  /** Of an ellipsoid whose latitudes the coordinates are. Default: 0, a sphere. */
  readonly flattening?: number | undefined;
}

/** Makes the grid of a dimension of HEALPix cells. */
export function healpixGrid({ nside, scheme, ids, flattening = 0 }: HealpixOptions): CellGrid {
  const cells = new Healpix(nside, scheme);
  const latitudes = authalic(flattening);
  const point = (cell: number, across: number, up: number) => {
    const [longitude, latitude] = cells.pointIn(ids ? ids.at(cell) : cell, across, up);
    return [longitude, latitudes.from(latitude)] as const;
  };
  const at = latitudes === sphere ? undefined : latitudes.to;
  let [before, converted] = [Number.NaN, 0];
  const cellAt = (longitude: number, latitude: number): number => {
    if (at && latitude !== before) [before, converted] = [latitude, at(latitude)];
    const id = cells.at(longitude, at ? converted : latitude);
    return ids ? ids.indexOf(id) : id;
  };
  const spacing = Math.sqrt(41252.96 / cells.count);
  return {
    kind: "healpix",
    count: ids?.length ?? cells.count,
    bounds: ids ? boundsOf(ids, (cell) => point(cell, 0.5, 0.5), spacing) : [-180, -90, 180, 90],
    spacing,
    cellAt,
    centre: (cell) => point(cell, 0.5, 0.5),
    outline: (cell) => [point(cell, 0, 0), point(cell, 1, 0), point(cell, 1, 1), point(cell, 0, 1)],
    id: (cell) => (ids ? ids.at(cell) : cell),
  };
}
