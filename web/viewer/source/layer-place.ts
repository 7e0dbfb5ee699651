/** Places a dataset from another source over a picture: by scales and translations of both, in one unit. */

import { inverse, type Matrix, product } from "../base/matrix.js";
import { text } from "../language/text.js";
import type { Dataset, DatasetAxis } from "./dataset.js";
import { InvalidLayer } from "./features.js";
import { placed } from "./multiscale.js";
import { toPicture } from "./spaces.js";

/** A scale and a translation in coordinates of the picture: [down, across]. */
export interface Transform {
  /** Null for 1, or to stretch a layer without coordinates over the picture. */
  readonly scale: readonly [number, number] | null;
  readonly translation: readonly [number, number];
}

/** A layer placed over a picture: `levels` are in elements of the picture's level 0. */
export interface PlacedDataset {
  readonly dataset: Dataset;
  /** For each axis of the layer, the picture's axis; −1 if it has none. */
  readonly imageAxes: readonly number[];
  /**
   * Bounds along each axis of the layer, in elements of the picture's level 0; of a turned layer, along rows and columns
   * in its own.
   */
  readonly bounds: readonly (readonly [from: number, to: number])[];
  /** Undefined unless rows and columns are turned, sheared or mirrored: their levels are in own elements then. */
  readonly turn?: Turn | undefined;
}

export interface Turn {
  /** From own elements to elements of the picture: x across, y down. */
  readonly matrix: Matrix;
  /** The layer's axes of rows and columns. */
  readonly down: number;
  readonly across: number;
}

/** The picture's axes that a layer's rows and columns follow. */
export function planeAxes({ axes, channelAxis }: Dataset): readonly [down: number, across: number] {
  const find = (...roles: readonly string[]) => axes.findIndex(({ role }) => roles.includes(role ?? ""));
  const [down, across] = [find("y", "latitude"), find("x", "longitude")];
  if (down >= 0 && across >= 0) return [down, across];
  const others = axes.flatMap((_, axis) => (axis === channelAxis ? [] : [axis]));
  return [others.at(-2) ?? 0, others.at(-1) ?? 0];
}

/** Whether two shown axes are those of rows and columns, in any order. */
export const isPlaneOf = (image: Dataset, shown: readonly number[]): boolean =>
  shown.length === 2 && planeAxes(image).every((axis) => shown.includes(axis));

/** @throws Error if the layer lacks an axis of the picture; InvalidLayer if they have no affine relation. */
export function placeLayer(image: Dataset, own: Dataset, transform: Transform): PlacedDataset {
  const imageAxes = matchingAxes(image, own);
  const plane = planeAxes(image);
  for (const axis of plane)
    if (!imageAxes.includes(axis)) throw new Error(text.layerErrors.noAxis(image.axes[axis]!.name ?? axis));
  const matrix = elementMatrix(image, own, plane, imageAxes, transform);
  const isTurned = matrix && !isUpright(matrix);
  const places = own.axes.map((axis, i): Place => {
    const other = image.axes[imageAxes[i]!];
    const side = plane.indexOf(imageAxes[i]!);
    if (isTurned && side >= 0) return { factor: 1, origin: 0 };
    if (matrix && side >= 0)
      return { factor: matrix[side === 0 ? 3 : 0], origin: matrix[side === 0 ? 5 : 4] };
    if (!other) return { factor: 1, origin: 0 };
    const scale = transform.scale?.[side as 0 | 1];
    return moved(declaredPlace(axis, other, scale !== undefined), other, {
      scale: scale ?? 1,
      shift: side < 0 ? 0 : transform.translation[side as 0 | 1],
    });
  });
  const wrong = places.findIndex(({ factor, origin }) => !(factor > 0 && Number.isFinite(factor + origin)));
  if (wrong >= 0) throw new Error(text.layerErrors.direction(own.axes[wrong]!.name ?? wrong));
  const levels = own.levels.map((level) => placed(level, places)) as unknown as Dataset["levels"];
  const bounds = own.axes.map(({ length }, axis) => {
    const { factor, origin } = places[axis]!;
    return [origin, origin + factor * length] as const;
  });
  const [down, across] = plane.map((axis) => imageAxes.indexOf(axis)) as [number, number];
  return {
    dataset: { ...own, levels },
    imageAxes,
    bounds,
    ...(isTurned ? { turn: { matrix, down, across } } : {}),
  };
}

const isUpright = ([a, b, c, d]: Matrix): boolean => b === 0 && c === 0 && a > 0 && d > 0;

/** From elements of a layer to elements of the picture; undefined if scales and translations alone place it. */
function elementMatrix(
  image: Dataset,
  own: Dataset,
  plane: readonly [number, number],
  imageAxes: readonly number[],
  { scale, translation }: Transform,
): Matrix | undefined {
  const names = own.axes.map(({ name }) => name ?? "");
  const between = toPicture(image, own.spaces, names);
  if (!between) return undefined;
  const [down, across] = plane.map((axis) => own.axes[imageAxes.indexOf(axis)]!) as [
    DatasetAxis,
    DatasetAxis,
  ];
  const half = (own.spaces ?? image.spaces)!.isFromEdge ? 0 : 0.5;
  const moved: Matrix = [scale?.[1] ?? 1, 0, 0, scale?.[0] ?? 1, translation[1], translation[0]];
  const back = inverse(coordinateMatrix(image.axes[plane[0]]!, image.axes[plane[1]]!, half));
  const matrix =
    back && product(back, product(moved, product(between, coordinateMatrix(down, across, half))));
  if (!matrix || !inverse(matrix)) throw new InvalidLayer(text.layerErrors.noInverse);
  return matrix;
}

/** From elements to coordinates. @param half position of coordinate 0 in the first element */
function coordinateMatrix(down: DatasetAxis, across: DatasetAxis, half: number): Matrix {
  const [a, d] = [across.scale ?? 1, down.scale ?? 1];
  return [a, 0, 0, d, (across.translation ?? 0) - half * a, (down.translation ?? 0) - half * d];
}

/** Matches axes by their meaning or name, or else by position from the last. Channels match none. */
function matchingAxes(image: Dataset, own: Dataset): number[] {
  const isChannel = ({ channelAxis, axes }: Dataset, axis: number) =>
    axis === channelAxis || axes[axis]!.type === "channel";
  const free = (dataset: Dataset) =>
    dataset.axes.flatMap((_, axis) => (isChannel(dataset, axis) ? [] : [axis]));
  const [theirs, ours] = [free(image), free(own)];
  const isAnonymous = [image, own].some(({ axes }) => axes.every(({ name }) => name === undefined));
  return own.axes.map((axis, i) => {
    if (!ours.includes(i)) return -1;
    if (isAnonymous) return theirs[ours.indexOf(i) + theirs.length - ours.length] ?? -1;
    const isSame = ({ role, name }: DatasetAxis) =>
      role !== undefined && axis.role !== undefined ? role === axis.role : name === axis.name;
    return theirs.find((other) => isSame(image.axes[other]!)) ?? -1;
  });
}

interface Place {
  /** Elements of the picture per element of the layer. */
  readonly factor: number;
  /** Position of the edge of the layer's first element, in elements of the picture. */
  readonly origin: number;
}

/**
 * The place that the metadata declare. Translations refer to centres; layers with the same one begin at the
 * same edge. Without scales, a layer is as long as the picture, unless elements are wanted.
 */
function declaredPlace(axis: DatasetAxis, other: DatasetAxis, isInElements: boolean): Place {
  const { scale, translation = 0 } = axis;
  if (scale === undefined || other.scale === undefined || other.scale === 0)
    return { factor: isInElements ? 1 : other.length / axis.length, origin: 0 };
  const ratio = unitRatio(axis.unit, other.unit);
  const factor = (scale * ratio) / other.scale;
  const shift = translation * ratio - (other.translation ?? 0);
  return { factor, origin: shift === 0 ? 0 : shift / other.scale + 0.5 - factor / 2 };
}

/** A place after a transformation in coordinates of the picture. */
function moved(
  { factor, origin }: Place,
  { scale: unit = 1, translation = 0 }: DatasetAxis,
  { scale, shift }: { readonly scale: number; readonly shift: number },
): Place {
  return { factor: scale * factor, origin: scale * origin + ((scale - 1) * translation + shift) / unit };
}

const powers: Readonly<Record<string, number>> = {
  ...{ femto: -15, pico: -12, nano: -9, micro: -6, milli: -3, centi: -2, deci: -1, "": 0, kilo: 3 },
};
const symbols: Readonly<Record<string, number>> = { nm: -9, um: -6, µm: -6, mm: -3, cm: -2, m: 0, km: 3 };

/** The power of ten of a length in metres; undefined for other units. */
function powerOf(unit: string): number | undefined {
  const [, prefix] = /^(\w*?)met(?:er|re)s?$/.exec(unit) ?? [];
  if (unit === "angstrom") return -10;
  return prefix === undefined ? symbols[unit] : powers[prefix];
}

/** Units of the second kind per unit of the first; 1 if they cannot be compared. */
export function unitRatio(from: string | undefined, to: string | undefined): number {
  if (from === to || from === undefined || to === undefined) return 1;
  const [a, b] = [powerOf(from), powerOf(to)];
  return a === undefined || b === undefined ? 1 : 10 ** (a - b);
}
