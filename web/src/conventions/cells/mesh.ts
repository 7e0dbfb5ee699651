/** Unstructured grids: polygons on a sphere whose sides are arcs of great circles, with an index of their places. */
import { limitExceeded } from "../../util/errors.js";
import { inSlices, type Steps } from "../../util/slices.js";
import { radians, shiftEast } from "../shared/degrees.js";
import { type CellGrid, halfWidth, Span } from "./grid.js";

/** Corners of polygons. */
export interface Polygons {
  /** Number of cells. */
  readonly count: number;
  /** Maximum number of corners. */
  readonly corners: number;
  /** Degrees of nodes. */
  readonly longitudes: ArrayLike<number>;
  readonly latitudes: ArrayLike<number>;
  /** Nodes of the cells, `corners` for each; negative for none. Default: own ones for each cell, in order. */
  readonly nodes?: ArrayLike<number> | undefined;
}

/** Cells of the index per mean polygon, along each side. */
const coarseness = 1.4;
const maxBuckets = 2 ** 23;
/** Maximum number of buckets that a cell touches in the mean, and of cells in a bucket: hostile cells are everywhere. */
const maxTouched = 64;
const maxInBucket = 2 ** 16;
/** Numbers of nodes above which positions are float32: exact to half a metre on the earth. */
const maxDoubles = 2 ** 21;

/** Makes the grid of polygons, in slices. @throws the signal's reason */
export async function meshGrid(polygons: Polygons, signal?: AbortSignal): Promise<CellGrid | undefined> {
  const mesh = new Mesh(polygons);
  return (await inSlices(mesh.prepare(), signal)) ? mesh : undefined;
}

class Mesh implements CellGrid {
  readonly kind = "mesh";
  readonly count: number;
  bounds: CellGrid["bounds"] = [0, 0, 0, 0];
  spacing = 1;
  /** x, y and z of the nodes on a sphere. */
  readonly #places: Float32Array | Float64Array;
  /** Cells by bucket: those of bucket i begin at `#starts[i]`. */
  #starts = new Uint32Array(1);
  #cells = new Uint32Array(0);
  /** Rows of buckets from the south: the first bucket, and the number, of each. */
  #rows: { readonly first: number; readonly count: number }[] = [];
  #height = 1;
  /** The cell found last: neighbouring points share it. */
  #last = -1;
  readonly #disc = { x: 0, y: 0, z: 0, radius: 0, longitude: 0, latitude: 0 };

  constructor(private polygons: Polygons) {
    this.count = polygons.count;
    const { length } = polygons.longitudes;
    this.#places = new (length > maxDoubles ? Float32Array : Float64Array)(3 * length);
  }

  /** @returns whether any cell has a place */
  *prepare(): Steps<boolean> {
    const { longitudes, latitudes } = this.polygons;
    for (let i = 0; i < longitudes.length; i++) {
      if (i % 4096 === 0) yield;
      const [longitude, latitude] = [longitudes[i]! * radians, latitudes[i]! * radians];
      const across = Math.cos(latitude);
      this.#places[3 * i] = across * Math.cos(longitude);
      this.#places[3 * i + 1] = across * Math.sin(longitude);
      this.#places[3 * i + 2] = Math.sin(latitude);
    }
    // Positions on the sphere replace the degrees, which take as much memory.
    this.polygons = { ...this.polygons, longitudes: [], latitudes: [] };
    const isAny = yield* this.#measure();
    if (isAny) yield* this.#fill();
    return isAny;
  }

  /** Node of a corner; negative for none. */
  #node(cell: number, corner: number): number {
    const { corners, nodes } = this.polygons;
    const at = cell * corners + corner;
    const node = nodes ? nodes[at]! : at;
    return node < this.#places.length / 3 ? node : -1;
  }

  /** The circle around a cell; false if the cell has fewer than three corners. */
  #enclose(cell: number): boolean {
    const disc = this.#disc;
    let [x, y, z, count] = [0, 0, 0, 0];
    for (let corner = 0; corner < this.polygons.corners; corner++) {
      const node = this.#node(cell, corner);
      if (!(node >= 0)) continue;
      x += this.#places[3 * node]!;
      y += this.#places[3 * node + 1]!;
      z += this.#places[3 * node + 2]!;
      count++;
    }
    const length = Math.hypot(x, y, z);
    if (count < 3 || !(length > 0)) return false;
    [disc.x, disc.y, disc.z] = [x / length, y / length, z / length];
    let far = 0;
    for (let corner = 0; corner < this.polygons.corners; corner++) {
      const node = this.#node(cell, corner);
      if (!(node >= 0)) continue;
      const [dx, dy, dz] = [
        this.#places[3 * node]! - disc.x,
        this.#places[3 * node + 1]! - disc.y,
        this.#places[3 * node + 2]! - disc.z,
      ];
      far = Math.max(far, dx * dx + dy * dy + dz * dz);
    }
    disc.radius = 2 * Math.asin(Math.min(1, Math.sqrt(far) / 2)) + 1e-7;
    disc.longitude = Math.atan2(disc.y, disc.x);
    disc.latitude = Math.asin(Math.min(1, Math.max(-1, disc.z)));
    return true;
  }

  /** Determines bounds, and the size of buckets. */
  *#measure(): Steps<boolean> {
    const span = new Span();
    let [radius, logarithms, count] = [0, 0, 0];
    const disc = this.#disc;
    for (let cell = 0; cell < this.count; cell++) {
      if (cell % 4096 === 0) yield;
      if (!this.#enclose(cell)) continue;
      span.add(disc.longitude / radians, disc.latitude / radians, disc.radius / radians);
      radius += disc.radius;
      logarithms += Math.log(disc.radius);
      count++;
    }
    if (count === 0) return false;
    this.bounds = span.bounds;
    this.spacing = Math.max(1e-9, (1.4 * radius) / count / radians);
    // Not the mean size: most cells may be much smaller.
    this.#divide((1.4 * Math.exp(logarithms / count)) / radians);
    return true;
  }

  /** @param size of usual cells */
  #divide(size: number): void {
    const [west, south, east, north] = this.bounds;
    const area = ((east - west) * (Math.sin(north * radians) - Math.sin(south * radians))) / radians;
    this.#height = Math.max(coarseness * size, Math.sqrt(area / maxBuckets), (north - south) / 2 ** 20);
    const rows = Math.max(1, Math.ceil((north - south) / this.#height));
    let first = 0;
    for (let row = 0; row < rows; row++) {
      const middle = (south + (row + 0.5) * this.#height) * radians;
      const count = Math.max(1, Math.ceil(((east - west) * Math.max(0, Math.cos(middle))) / this.#height));
      this.#rows.push({ first, count });
      first += count;
    }
    this.#starts = new Uint32Array(first + 2);
  }

  /** Sorts cells into the buckets that they touch. */
  *#fill(): Steps<void> {
    const starts = this.#starts;
    const places = yield* this.#each((bucket) => starts[bucket + 2]!++);
    for (let i = 2; i < starts.length; i++) {
      if (starts[i]! > maxInBucket) throw limitExceeded(`more than ${maxInBucket} cells of the mesh overlap`);
      starts[i]! += starts[i - 1]!;
    }
    this.#cells = new Uint32Array(places);
    yield* this.#each((bucket, cell) => {
      this.#cells[starts[bucket + 1]!++] = cell;
    });
  }

  *#each(visit: (bucket: number, cell: number) => void): Steps<number> {
    const disc = this.#disc;
    let count = 0;
    const limit = maxTouched * this.count + maxBuckets;
    const [west, south, east] = this.bounds;
    for (let cell = 0; cell < this.count; cell++) {
      if (cell % 4096 === 0) yield;
      if (!this.#enclose(cell)) continue;
      const half = halfWidth(disc.latitude / radians, disc.radius / radians);
      const [latitude, radius] = [disc.latitude / radians, disc.radius / radians];
      const left = shiftEast(west, disc.longitude / radians - half) - west;
      const row = (at: number) => Math.floor((at - south) / this.#height);
      for (let y = Math.max(0, row(latitude - radius)); y <= row(latitude + radius); y++) {
        const { first, count: columns } = this.#rows[y] ?? { first: 0, count: 0 };
        const perDegree = columns / (east - west);
        const from = Math.floor(left * perDegree);
        const to = Math.min(from + columns - 1, Math.floor((left + 2 * half) * perDegree));
        for (let x = from; x <= to; x++) {
          visit(first + (x % columns), cell);
          count++;
        }
        if (count > limit) throw limitExceeded("cells of the mesh are too large for their number");
      }
    }
    return count;
  }

  cellAt(longitude: number, latitude: number): number {
    const [west, south, east] = this.bounds;
    const row = this.#rows[Math.min(this.#rows.length - 1, Math.floor((latitude - south) / this.#height))];
    const along = shiftEast(west, longitude) - west;
    if (!row || !(along <= east - west)) return -1;
    const [lambda, phi] = [longitude * radians, latitude * radians];
    const frame = [Math.cos(lambda), Math.sin(lambda), Math.cos(phi), Math.sin(phi)] as const;
    if (this.#last >= 0 && this.#contains(this.#last, ...frame)) return this.#last;
    const bucket = row.first + Math.min(row.count - 1, Math.floor((along / (east - west)) * row.count));
    const end = this.#starts[bucket + 1]!;
    for (let at = this.#starts[bucket]!; at < end; at++)
      if (this.#contains(this.#cells[at]!, ...frame)) {
        this.#last = this.#cells[at]!;
        return this.#last;
      }
    return -1;
  }

  /**
   * Whether a polygon contains a point, by the parity of the sides that a ray crosses, in the plane that touches the
   * sphere at the point: there, great circles are straight.
   */
  #contains(cell: number, cosL: number, sinL: number, cosP: number, sinP: number): boolean {
    const places = this.#places;
    const { corners } = this.polygons;
    let isIn = false;
    let [isAny, firstX, firstY, x, y] = [false, 0, 0, 0, 0];
    for (let corner = 0; corner <= corners; corner++) {
      let [nextX, nextY] = [firstX, firstY];
      if (corner < corners) {
        const node = this.#node(cell, corner);
        if (!(node >= 0)) continue;
        const [px, py, pz] = [places[3 * node]!, places[3 * node + 1]!, places[3 * node + 2]!];
        const out = px * cosL + py * sinL;
        const depth = out * cosP + pz * sinP;
        if (!(depth > 0)) return false;
        nextX = (py * cosL - px * sinL) / depth;
        nextY = (pz * cosP - out * sinP) / depth;
        if (!isAny) [isAny, firstX, firstY, x, y] = [true, nextX, nextY, nextX, nextY];
      }
      // The same for both polygons of a side, whatever its direction.
      const turn = x * nextY - nextX * y;
      if (y > 0 !== nextY > 0 && (nextY > y ? turn : -turn) > 0) isIn = !isIn;
      [x, y] = [nextX, nextY];
    }
    return isIn;
  }

  centre(cell: number): readonly [longitude: number, latitude: number] {
    if (!this.#enclose(cell)) return [Number.NaN, Number.NaN];
    return [this.#disc.longitude / radians, this.#disc.latitude / radians];
  }

  outline(cell: number): readonly (readonly [longitude: number, latitude: number])[] {
    const { corners } = this.polygons;
    const nodes = Array.from({ length: corners }, (_, corner) => this.#node(cell, corner)).filter(
      (at) => at >= 0,
    );
    return nodes.map((node) => {
      const [x, y, z] = [0, 1, 2].map((i) => this.#places[3 * node + i]!) as [number, number, number];
      return [Math.atan2(y, x) / radians, Math.atan2(z, Math.hypot(x, y)) / radians] as const;
    });
  }
}
