/** Places a dataset from another source over a picture: by scales and translations of both, in one unit. */
import type { Dataset, DatasetAxis } from "./dataset.js";
import { placed } from "./placing.js";

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
  /** Bounds along each axis of the layer, in elements of the picture's level 0. */
  readonly bounds: readonly (readonly [from: number, to: number])[];
}

/** The picture's axes that a layer's rows and columns follow. */
export function planeAxes({ axes, channelAxis }: Dataset): readonly [down: number, across: number] {
  const find = (...roles: readonly string[]) => axes.findIndex(({ role }) => roles.includes(role ?? ""));
  const [down, across] = [find("y", "latitude"), find("x", "longitude")];
  if (down >= 0 && across >= 0) return [down, across];
  const others = axes.flatMap((_, axis) => (axis === channelAxis ? [] : [axis]));
  return [others.at(-2) ?? 0, others.at(-1) ?? 0];
}

/** @throws Error if the layer lacks an axis of the picture. */
export function placeLayer(image: Dataset, own: Dataset, transform: Transform): PlacedDataset {
  const imageAxes = matchingAxes(image, own);
  const plane = planeAxes(image);
  for (const axis of plane)
    if (!imageAxes.includes(axis)) throw new Error(`it has no axis ${image.axes[axis]!.name ?? axis}`);
  const places = own.axes.map((axis, i) => {
    const other = image.axes[imageAxes[i]!];
    const side = plane.indexOf(imageAxes[i]!);
    if (!other) return { factor: 1, origin: 0 };
    const scale = transform.scale?.[side as 0 | 1];
    return moved(declaredPlace(axis, other, scale !== undefined), other, {
      scale: scale ?? 1,
      shift: side < 0 ? 0 : transform.translation[side as 0 | 1],
    });
  });
  const wrong = places.findIndex(({ factor, origin }) => !(factor > 0 && Number.isFinite(factor + origin)));
  if (wrong >= 0) throw new Error(`its axis ${own.axes[wrong]!.name ?? wrong} runs in the other direction`);
  const levels = own.levels.map((level) => placed(level, places)) as unknown as Dataset["levels"];
  const bounds = own.axes.map(({ length }, axis) => {
    const { factor, origin } = places[axis]!;
    return [origin, origin + factor * length] as const;
  });
  return { dataset: { ...own, levels }, imageAxes, bounds };
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
