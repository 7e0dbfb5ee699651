/** Points, lines and areas with properties: the content of layers of points and shapes. */
import { formatCount } from "../base/format.js";
import { applied, type Matrix } from "../base/matrix.js";
import { text } from "../language/text.js";

/** A source that is not a layer, or exceeds its limits. */
export class InvalidLayer extends Error {
  override readonly name = "InvalidLayer";
}

/** Values of a property by feature. */
export type FeatureColumn =
  | {
      readonly kind: "numbers";
      readonly values: Float64Array;
      /** The values of a second quantity: both have a colour each, which are added. */
      readonly second?: Float64Array | undefined;
    }
  | {
      readonly kind: "categories";
      /** Indices into `names`; −1 for none. */
      readonly codes: Int32Array;
      readonly names: readonly string[];
      /** Colours of the names given by the source, as 0xrrggbb. */
      readonly colors?: readonly number[] | undefined;
    };

export interface Points {
  /** x and y of each point. */
  readonly xy: Float64Array;
  /** The feature of each point. */
  readonly features: Uint32Array;
  /** In units of the coordinates; undefined for symbols of a constant size. */
  readonly radii?: Float64Array | undefined;
}

/** Rings of areas, and lines. Outer rings and holes run in opposite directions. */
export interface Paths {
  /** x and y of each vertex. */
  readonly xy: Float64Array;
  /** First vertex of each path, and the end of the last. */
  readonly starts: Uint32Array;
  readonly features: Uint32Array;
  /** 1 for rings. */
  readonly isRing: Uint8Array;
  /** Left, top, right, bottom of each path. */
  readonly bounds: Float64Array;
}

export interface Features {
  readonly count: number;
  readonly points: Points;
  readonly paths: Paths;
  /** Names of the properties. */
  readonly columns: readonly string[];
  /** A column; undefined if there is none, or it has not been read. */
  column(name: string): FeatureColumn | undefined;
  /** Properties of a feature as text; "" for none. */
  text(feature: number): string;
  /** Colours of features given by the source, as 0xrrggbb; −1 for none. */
  readonly colors?: Int32Array | undefined;
  /** Whether coordinates count elements from the edge of the first one, instead of its centre. */
  readonly isFromEdge: boolean;
  /** Identifiers of the features, by which tables refer to them. */
  readonly index?: FeatureColumn | undefined;
  /** Number of features without geometry because their coordinates are not finite. Default: 0 */
  readonly leftOut?: number | undefined;
}

/** Limits of a layer. */
export const featureLimits = {
  ...{ features: 2_000_000, vertices: 8_000_000, columns: 256, bytes: 128 * 2 ** 20 },
  /** Rows of all columns together. */
  cells: 2 ** 26,
};

class NumberList<T extends Float64Array | Uint32Array | Uint8Array> {
  length = 0;
  /** The length that `reset` restores. */
  #kept = 0;

  constructor(private array: T) {}

  push(value: number): void {
    if (this.length === this.array.length) {
      const longer = new (this.array.constructor as new (length: number) => T)(2 * this.length);
      longer.set(this.array);
      this.array = longer;
    }
    this.array[this.length++] = value;
  }

  keep(): void {
    this.#kept = this.length;
  }

  reset(): void {
    this.length = this.#kept;
  }

  get values(): T {
    return this.array.slice(0, this.length) as T;
  }

  at(index: number): number {
    return this.array[index]!;
  }

  set(index: number, value: number): void {
    this.array[index] = value;
  }
}

/** Collects the geometry of features; omits features with coordinates that are not finite. @throws InvalidLayer above the limits. */
export class GeometryBuilder {
  readonly #points = new NumberList(new Float64Array(64));
  readonly #pointFeatures = new NumberList(new Uint32Array(32));
  readonly #xy = new NumberList(new Float64Array(64));
  readonly #starts = new NumberList(new Uint32Array(32));
  readonly #features = new NumberList(new Uint32Array(32));
  readonly #isRing = new NumberList(new Uint8Array(32));
  /** The feature that geometry is added to. */
  feature = 0;
  /** Number of omitted features. */
  leftOut = 0;
  /** Whether all coordinates of the feature are finite. */
  #isFinite = true;
  readonly #lists = [
    this.#points,
    this.#pointFeatures,
    this.#xy,
    this.#starts,
    this.#features,
    this.#isRing,
  ] as const;

  /** Starts the next feature. */
  next(): void {
    if (this.#isFinite) for (const list of this.#lists) list.keep();
    else {
      this.leftOut++;
      this.#isFinite = true;
      for (const list of this.#lists) list.reset();
    }
    if (++this.feature > featureLimits.features)
      throw new InvalidLayer(text.invalidLayer.features(formatCount(featureLimits.features)));
  }

  point(x: number, y: number): void {
    this.#add(this.#points, x, y);
    this.#pointFeatures.push(this.feature);
  }

  begin(isRing: boolean): void {
    this.#starts.push(this.#xy.length / 2);
    this.#features.push(this.feature);
    this.#isRing.push(isRing ? 1 : 0);
  }

  vertex(x: number, y: number): void {
    this.#add(this.#xy, x, y);
  }

  /** Ends a path. Rings are turned: clockwise ones are holes. */
  end(isHole = false): void {
    const list = this.#xy;
    const from = this.#starts.at(this.#starts.length - 1);
    const to = list.length / 2;
    if (this.#isRing.at(this.#isRing.length - 1) === 0) return;
    let area = 0;
    for (let i = from, k = to - 1; i < to; k = i++)
      area += list.at(2 * k) * list.at(2 * i + 1) - list.at(2 * i) * list.at(2 * k + 1);
    const isPositive = area >= 0;
    if (isPositive !== isHole) return;
    for (let i = from, k = to - 1; i < k; i++, k--)
      for (const side of [0, 1]) {
        const first = list.at(2 * i + side);
        list.set(2 * i + side, list.at(2 * k + side));
        list.set(2 * k + side, first);
      }
  }

  #add(list: NumberList<Float64Array>, x: number, y: number): void {
    this.#isFinite &&= Number.isFinite(x) && Number.isFinite(y);
    if ((this.#points.length + this.#xy.length) / 2 >= featureLimits.vertices)
      throw new InvalidLayer(text.invalidLayer.vertices(formatCount(featureLimits.vertices)));
    list.push(x);
    list.push(y);
  }

  /** @throws InvalidLayer if all features are omitted. */
  get geometry(): Pick<Features, "points" | "paths" | "leftOut"> {
    const { leftOut } = this;
    if (leftOut > 0 && leftOut === this.feature) throw new InvalidLayer(text.invalidLayer.infinite);
    const xy = this.#xy.values;
    this.#starts.push(xy.length / 2);
    const starts = this.#starts.values;
    const features = this.#features.values;
    const points = { xy: this.#points.values, features: this.#pointFeatures.values };
    return {
      points,
      paths: { xy, starts, features, isRing: this.#isRing.values, bounds: boundsOf(xy, starts) },
      leftOut,
    };
  }
}

function boundsOf(xy: Float64Array, starts: Uint32Array): Float64Array {
  const bounds = new Float64Array(4 * (starts.length - 1));
  for (let path = 0; path < starts.length - 1; path++) {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = starts[path]!; i < starts[path + 1]!; i++) {
      const [x, y] = [xy[2 * i]!, xy[2 * i + 1]!];
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
    bounds.set([left, top, right, bottom], 4 * path);
  }
  return bounds;
}

/** Geometry after an affine transformation. */
export function transformed(
  { points, paths }: Pick<Features, "points" | "paths">,
  matrix: Matrix,
): Pick<Features, "points" | "paths"> {
  const [a, b, c, d] = matrix;
  const map = (xy: Float64Array) => {
    const out = new Float64Array(xy.length);
    for (let i = 0; i < xy.length; i += 2) out.set(applied(matrix, xy[i]!, xy[i + 1]!), i);
    return out;
  };
  const factor = Math.sqrt(Math.abs(a * d - b * c));
  const xy = map(paths.xy);
  return {
    points: { ...points, xy: map(points.xy), radii: points.radii?.map((radius) => radius * factor) },
    paths: { ...paths, xy, bounds: boundsOf(xy, paths.starts) },
  };
}
