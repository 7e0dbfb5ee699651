/** OME-Zarr images as datasets: levels, axes with units, channels, and labels. */

import { isZarrError, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import {
  channelAxis as channelAxisOf,
  labelPaths,
  multiscales,
  type OmeChannel,
  type OmeMultiscale,
} from "zarr-wasm/conventions";
import { Once } from "../base/memo.js";
import { text } from "../language/text.js";
import { omeAttributes, own } from "./attributes.js";
import { linearCoordinates } from "./coordinates.js";
import type { AxisRole, ChannelInfo, Dataset, DatasetAxis, Labels, LabelsList, Level } from "./dataset.js";
import { isInteger } from "./leaf.js";
import type { RenderingDefaults } from "./ome-settings.js";

export interface ImageOptions {
  readonly title: string;
  /** True for an image of labels. */
  readonly isLabel?: boolean | undefined;
  /** The group of the image: its rendering settings, and labels below it. */
  readonly group?: ZarrGroup | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of levels. 54 levels halve the longest possible axis down to one element. */
const maxLevels = 64;

/**
 * An image at several resolutions. Opens the finest level, which gives the size, and the coarsest, which is
 * drawn first; others on demand. Without scales (before 0.4) all are opened, since only their shapes show the
 * factors.
 */
export async function multiscaleDataset(image: OmeMultiscale, options: ImageOptions): Promise<Dataset> {
  const { title, isLabel, group, signal } = options;
  const described = image.levels.slice(0, maxLevels);
  const hasScales = described.every(({ scale }) => scale);
  const wanted = described.map((level, i) => {
    const isFirst = !hasScales || i === 0 || i === described.length - 1;
    return isFirst ? level.open({ signal }) : undefined;
  });
  const [settings, ...arrays] = await Promise.all([import("./ome-settings.js"), ...wanted]);
  const [array] = arrays as [ZarrArray];
  const levels = described.map((level, i) => lazyLevel(image, level, i, array, arrays[i]));
  const left = image.levels.length - described.length;
  const problem = text.sources.levels(image.levels.length, maxLevels);
  const axes = image.axes.map((_, axis) => multiscaleAxis(image, axis, array.shape[axis]!));
  const at = channelAxisOf(image);
  const channelAxis = at >= 0 ? at : undefined;
  const channels = image.channels?.map(channelInfo);
  const list = group && commonTransformations(group);
  const hasSpaces = (image.coordinateSystems?.length ?? 0) > 1 || list?.some(isChange);
  const code = group && hasSpaces ? await import("./affine.js") : undefined;
  const spaces = await code?.imageSpaces(group!, image, list, signal);
  const dataset: Dataset = {
    title,
    affine: spaces && !isLabel ? code!.shearedRows(spaces) : undefined,
    spaces,
    label: image.name !== undefined && image.name !== "" && image.name !== "/" ? image.name : undefined,
    isLabels: isLabel,
    axes,
    dtype: array.dtype,
    array,
    levels: levels as [Level, ...Level[]],
    channelAxis,
    channels,
    problems: left > 0 ? [problem] : undefined,
    labelInfo: isLabel ? settings.labelInfo(group?.attributes) : undefined,
    hints: isLabel
      ? { colormap: "labels" }
      : imageHints(axes, channels, channelAxis, array, settings.renderingDefaults(group?.attributes)),
  };
  return group && !isLabel ? { ...dataset, labels: findLabels(group, dataset) } : dataset;
}

function multiscaleAxis(image: OmeMultiscale, axis: number, length: number): DatasetAxis {
  const { name, type, unit } = image.axes[axis]!;
  const { scale, translation } = image.levels[0]!;
  const step = scale?.[axis];
  const first = translation?.[axis] ?? 0;
  const isTold = step !== undefined && step > 0 && (unit !== undefined || step !== 1 || first !== 0);
  return {
    name,
    type,
    role: multiscaleRole(name, type),
    unit,
    length,
    scale: step,
    translation: translation?.[axis],
    coordinates: isTold && type !== "channel" ? linearCoordinates(first, step) : undefined,
  };
}

function multiscaleRole(name: string, type: string | undefined): AxisRole | undefined {
  if (type === "channel" || type === "time") return type;
  const isPlace = type === "space" || type === undefined;
  return isPlace && (name === "x" || name === "y" || name === "z") ? name : undefined;
}

function channelInfo({ label, color, active, window }: OmeChannel): ChannelInfo {
  const { start, end } = window ?? {};
  const isWindow = start !== undefined && end !== undefined && end > start;
  return { label, color, active, window: isWindow ? [start, end] : undefined };
}

/** Hints of the rendering settings; single-channel images are gray, with the window of the channel. */
function imageHints(
  axes: readonly DatasetAxis[],
  channels: readonly ChannelInfo[] | undefined,
  channelAxis: number | undefined,
  { dtype }: ZarrArray,
  { t, z, isGray }: RenderingDefaults,
): Dataset["hints"] {
  const isSingle = channelAxis === undefined || axes[channelAxis]!.length === 1;
  const active = Math.max(0, channels?.findIndex((channel) => channel.active !== false) ?? 0);
  const index = axes.map(({ role }, axis) => {
    if (axis === channelAxis) return isGray ? active : undefined;
    return role === "time" ? t : role === "z" ? z : undefined;
  });
  const window = channels?.[isSingle ? 0 : active]?.window;
  const isShownGray = isSingle ? channels !== undefined || isInteger(dtype) : isGray;
  return {
    index,
    ...(isShownGray ? { colormap: "gray" } : {}),
    ...(isShownGray && window ? { range: { mode: "manual", low: window[0], high: window[1] } } : {}),
    ...(isShownGray && !isSingle ? { channels: null } : {}),
  };
}

function lazyLevel(
  image: OmeMultiscale,
  { scale, translation, open: openArray }: OmeMultiscale["levels"][number],
  i: number,
  finest: ZarrArray,
  opened: ZarrArray | undefined,
): Level {
  const base = image.levels[0]!;
  const factor = finest.shape.map((length, axis) => {
    const told = scale && base.scale ? scale[axis]! / base.scale[axis]! : Number.NaN;
    if (Number.isFinite(told) && told > 0) return told;
    return opened ? length / opened.shape[axis]! : 2 ** i;
  });
  const origin = factor.map((size, axis) => {
    const shift = (translation?.[axis] ?? 0) - (base.translation?.[axis] ?? 0);
    const elements = shift / (base.scale?.[axis] ?? 1);
    // Translations refer to centres. Without one, all levels begin at the same edge.
    return shift === 0 || !Number.isFinite(elements) ? 0 : elements + 0.5 - size / 2;
  });
  return openedLevel(factor, origin, opened, () => openArray());
}

/** A level that is opened on demand. */
export function openedLevel(
  factor: readonly number[],
  origin: readonly number[],
  opened: ZarrArray | undefined,
  openArray: () => Promise<ZarrArray>,
): Level {
  const array = new Once(openArray, opened);
  return {
    factor,
    origin,
    get array() {
      return array.value;
    },
    open: () => array.load(),
  };
}

/** The labels of an image; searched once, on first use. */
function findLabels(group: ZarrGroup, image: Dataset): LabelsList {
  const found = new Once<readonly Labels[]>(async () => {
    const paths = await labelPaths(group).catch((error: unknown) => {
      // An unreadable list must not keep the image from being shown.
      if (isZarrError(error)) return [];
      throw error;
    });
    return paths.slice(0, maxLabels).map((path) => lazyLabels(group, path, image));
  });
  return {
    get known() {
      return found.value;
    },
    find: () => found.load(),
  };
}

const maxLabels = 100;

/** The transformations of an image as a whole. */
function commonTransformations({ attributes }: ZarrGroup): readonly unknown[] {
  const images = own(omeAttributes(attributes), "multiscales");
  const list = own(Array.isArray(images) ? images[0] : undefined, "coordinateTransformations");
  return Array.isArray(list) ? list : [];
}

/** Whether a transformation leads to other coordinates in a system of SpatialData. */
const isChange = (one: unknown): boolean =>
  own(own(one, "output"), "axes") !== undefined && own(one, "type") !== "identity";

/** Whether an image has transformations to other groups, such as its labels (OME-Zarr 0.6). */
const hasLinks = (group: ZarrGroup): boolean =>
  commonTransformations(group).some((one) =>
    ["input", "output"].some((end) => typeof own(own(one, end), "path") === "string"),
  );

function lazyLabels(group: ZarrGroup, path: string, image: Dataset): Labels {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const placed = new Once(async () => {
    const node = await group.open(path, { kind: "group" });
    const [labels] = multiscales(node);
    const inPlace = hasLinks(group)
      ? await (await import("./label-link.js")).inImage(group, path, labels!)
      : labels!;
    return placedIn(image, await multiscaleDataset(inPlace, { title: name, isLabel: true, group: node }));
  });
  return {
    name,
    path: group.path === "" ? path : `${group.path}/${path}`,
    get dataset() {
      return placed.value?.dataset;
    },
    get imageAxes() {
      return placed.value?.imageAxes ?? [];
    },
    open: async () => (await placed.load()).dataset,
  };
}

/**
 * Returns a dataset with levels placed in elements of the image's level 0. Axes are matched by name, or else
 * by position from the last. An axis without a scale is as long as the image's.
 */
function placedIn(image: Dataset, own: Dataset): { dataset: Dataset; imageAxes: readonly number[] } {
  const isNamed = own.axes.every(({ name }) => name !== undefined);
  const shift = image.axes.length - own.axes.length;
  const imageAxes = own.axes.map(({ name }, axis) =>
    isNamed ? image.axes.findIndex((other) => other.name === name) : Math.max(-1, axis + shift),
  );
  const places = own.axes.map((axis, i) => {
    const other = image.axes[imageAxes[i]!];
    if (!other) return { factor: 1, origin: 0 };
    const isTold = axis.scale !== undefined && other.scale !== undefined && axis.length !== other.length;
    const factor = isTold ? axis.scale / other.scale : other.length / axis.length;
    const moved = (axis.translation ?? 0) - (other.translation ?? 0);
    const elements = moved / (other.scale ?? 1);
    const origin = moved === 0 || !Number.isFinite(elements) ? 0 : elements + 0.5 - factor / 2;
    return { factor: Number.isFinite(factor) && factor > 0 ? factor : 1, origin };
  });
  const levels = own.levels.map((level) => placed(level, places)) as [Level, ...Level[]];
  return { dataset: { ...own, levels }, imageAxes };
}

/** A level whose elements of level 0 are placed along each axis. */
export function placed(level: Level, places: readonly { factor: number; origin: number }[]): Level {
  return {
    factor: level.factor.map((factor, axis) => factor * places[axis]!.factor),
    origin: level.origin.map((origin, axis) => places[axis]!.origin + origin * places[axis]!.factor),
    get array() {
      return level.array;
    },
    open: () => level.open(),
  };
}
