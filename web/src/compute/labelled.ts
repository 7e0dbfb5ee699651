/** Results with the names of their dimensions and their coordinates. */

import { groupAbove, isBeside } from "../conventions/shared/beside.js";
import { type Coordinate, coordinatesOf, dimensionsOf } from "../conventions/xarray/xarray.js";
import type { DType } from "../dtypes/dtype.js";
import type { ElementData, Elements } from "../dtypes/elements.js";
import type { Region, ZarrArray } from "../hierarchy/array.js";
import { get } from "../hierarchy/get.js";
import type { ZarrGroup } from "../hierarchy/group.js";
import type { Attributes } from "../metadata/document.js";
import {
  type AxisSelection,
  type DimensionSelection,
  resolveSelection,
  type Selection,
  slice,
} from "../plan/selection.js";
import { invalidArgument } from "../util/errors.js";
import { stridesOf } from "../util/shapes.js";
import { indexAt } from "./axes.js";

/** A region with names, attributes and the coordinates of its dimensions. */
export interface LabelledRegion<T extends Elements = ElementData> extends Region<T> {
  readonly dimensionNames: readonly (string | null)[];
  /** Coordinates by name, as stored: their attributes tell how to decode them. */
  readonly coordinates: Readonly<Record<string, RegionCoordinate>>;
  readonly attributes: Attributes;
}

/** Coordinates of a {@link LabelledRegion}, along some of its dimensions. */
export interface RegionCoordinate extends Region<Elements> {
  readonly dimensionNames: readonly string[];
  readonly attributes: Attributes;
}

/** An array's dimensions, and the arrays that hold its coordinates. */
export class Labels {
  #group: Promise<ZarrGroup | undefined> | undefined;
  #coordinates: Promise<readonly Coordinate[]> | undefined;
  /** Elements of coordinates that were read whole. */
  readonly #whole = new Map<ZarrArray, Promise<Region<Elements>>>();

  /** @param others of arrays that may be in the same group. */
  constructor(
    readonly array: ZarrArray,
    private readonly signal: AbortSignal | undefined,
    private readonly others: readonly Labels[] = [],
  ) {}

  get names(): readonly (string | null)[] {
    const { array } = this;
    return dimensionsOf(array) ?? array.dimensionNames ?? array.shape.map(() => null);
  }

  /** Names the dimensions for messages. */
  get listed(): string {
    const names = this.names.map((name, axis) => (name === null ? String(axis) : JSON.stringify(name)));
    return `the dimensions are ${names.join(", ") || "none"}`;
  }

  /** Returns the axis of a dimension. @throws InvalidArgument. */
  axis(dimension: unknown): number {
    const { names } = this;
    const axis = typeof dimension === "string" ? names.indexOf(dimension) : -1;
    if (axis >= 0 && names.lastIndexOf(dimension as string) === axis) return axis;
    const number = typeof dimension === "number" && dimension < 0 ? dimension + names.length : dimension;
    if (Number.isInteger(number) && (number as number) >= 0 && (number as number) < names.length)
      return number as number;
    throw invalidArgument(`unknown dimension ${JSON.stringify(dimension)}; ${this.listed}`);
  }

  /** Opens the group above the array, once. */
  group(): Promise<ZarrGroup | undefined> {
    const { array, others, signal } = this;
    const same = others.find((other) => isBeside(array, other.array));
    this.#group ??= same ? same.group() : groupAbove(array, signal);
    return this.#group;
  }

  /** Opens the coordinates with the lengths of the dimensions, once; none of arrays that are not in a group. */
  coordinates(): Promise<readonly Coordinate[]> {
    const { array, signal } = this;
    const find = async () => {
      const group = await this.group();
      const all = group ? await coordinatesOf(group, array, { signal }) : [];
      const lengthOf = (name: string) => array.shape[this.names.indexOf(name)];
      return all.filter((one) => one.dimensions.every((name, i) => lengthOf(name) === one.array.shape[i]));
    };
    this.#coordinates ??= find();
    return this.#coordinates;
  }

  /** Returns a coordinate. @throws InvalidArgument that names those that exist. */
  async coordinate(name: string): Promise<Coordinate> {
    const all = await this.coordinates();
    const found = all.find((coordinate) => coordinate.name === name);
    if (found) return found;
    const names = all.map((coordinate) => JSON.stringify(coordinate.name)).join(", ") || "none";
    throw invalidArgument(`no coordinate ${JSON.stringify(name)}; the coordinates are ${names}`);
  }

  /** Reads the elements of a coordinate that belong to a selection. */
  async read(
    { array, dimensions }: Coordinate,
    selections: readonly AxisSelection[],
  ): Promise<Region<Elements>> {
    const own = dimensions.map((name) => selections[this.axis(name)]!);
    if (own.every((selection, axis) => isWhole(selection, array.shape[axis]!)))
      return this.readWhole({ array });
    return get<Elements>(array as never, own.map(selectionOf), { signal: this.signal });
  }

  /** Reads all elements of a coordinate, once. */
  readWhole({ array }: Pick<Coordinate, "array">): Promise<Region<Elements>> {
    const whole = this.#whole.get(array) ?? get<Elements>(array as never, null, { signal: this.signal });
    this.#whole.set(array, whole);
    return whole;
  }
}

const isWhole = (selection: AxisSelection, length: number): boolean =>
  !("indices" in selection) && selection.count === length && selection.step === 1 && !selection.dropped;

export function selectionOf(selection: AxisSelection): DimensionSelection {
  if ("indices" in selection) return selection.indices;
  const { start, count, dropped, step } = selection;
  return dropped ? start : slice(start, count === 0 ? start : start + (count - 1) * step + 1, step);
}

/** One dimension of a result. */
export interface ResultDimension {
  readonly name: string | null;
  readonly length: number;
}

/** Returns a coordinate made of values. */
export function coordinateOf(
  name: string,
  data: Elements,
  dtype: DType,
  attributes: Attributes = {},
): RegionCoordinate {
  return { data, shape: [data.length], stride: [1], dtype, dimensionNames: [name], attributes };
}

/** Reads the coordinates along dimensions that a result keeps. @param gone axes whose coordinates do not apply to it. */
export async function keptCoordinates(
  labels: Labels,
  selections: readonly AxisSelection[],
  gone: ReadonlySet<number>,
): Promise<Record<string, RegionCoordinate>> {
  const all = await labels.coordinates();
  const kept = all.filter(({ dimensions }) => dimensions.every((name) => !gone.has(labels.axis(name))));
  const read = await Promise.all(
    kept.map(async (coordinate) => {
      const region = await labels.read(coordinate, selections);
      const dimensionNames = coordinate.dimensions.filter((name) => !selections[labels.axis(name)]!.dropped);
      const { attributes } = coordinate.array;
      return [coordinate.name, { ...region, dimensionNames, attributes }] as const;
    }),
  );
  return Object.fromEntries(read);
}

/** Reads the coordinates of a selection. `indexAt` returns the index in the array of an element along a dimension. */
export async function selectedCoordinates(array: ZarrArray, selection: Selection) {
  const labels = new Labels(array, undefined);
  const axes = resolveSelection(selection, array.shape, array.dimensionNames);
  const kept = axes.flatMap((axis, i) => (axis.dropped ? [] : [i]));
  return {
    shape: kept.map((axis) => axes[axis]!.count),
    dimensionNames: kept.map((axis) => labels.names[axis]!),
    coordinates: await keptCoordinates(labels, axes, new Set()),
    indexAt: (axis: number, i: number) => indexAt(axes[kept[axis]!]!, i),
  };
}

export function labelled<T extends Elements>(
  data: T,
  dtype: DType,
  dimensions: readonly ResultDimension[],
  coordinates: LabelledRegion["coordinates"],
  attributes: Attributes,
): LabelledRegion<T> {
  const shape = dimensions.map(({ length }) => length);
  const dimensionNames = dimensions.map(({ name }) => name);
  return { data, shape, stride: stridesOf(shape), dtype, dimensionNames, coordinates, attributes };
}
