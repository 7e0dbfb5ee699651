/** Creates or finds the group of a new image and its arrays, makes their attributes, and lists label images. */

import { changeAttributes } from "../../../edit/attributes.js";
import { createArray, createGroup } from "../../../edit/create.js";
import type { CreateLikeOptions, NewAttributes } from "../../../edit/options.js";
import { isWithin } from "../../../edit/overlap.js";
import { nodeAt, type Place } from "../../../edit/target.js";
import type { ZarrArray } from "../../../hierarchy/array.js";
import type { ZarrGroup } from "../../../hierarchy/group.js";
import { open } from "../../../hierarchy/open.js";
import { isRecord, ownProperty } from "../../../util/arguments.js";
import { alreadyExists, invalidArgument, isZarrError, notFound } from "../../../util/errors.js";
import type { Axis, CheckedMultiscaleOptions, DownsamplingMethod, Level, OmeVersion } from "./options.js";

/** Location of an image, and what exists there. */
export interface ImageLocation extends Pick<Place, "store" | "path"> {
  readonly version: 2 | 3;
  /** Path, relative to the group, of an existing array that is the finest level. */
  readonly inPlace: string | undefined;
}

/**
 * Returns the path of an array below the group.
 * @returns undefined for an array that lies elsewhere and must be copied.
 * @throws InvalidArgument for an array that cannot be a level of an image there.
 */
export function pathInPlace(
  array: ZarrArray,
  { store, path }: Pick<Place, "store" | "path">,
  version: 2 | 3,
  axes: readonly Axis[],
): string | undefined {
  if (array.store !== store) return undefined;
  if (isWithin(path, array.path))
    throw invalidArgument(
      `"/${path}" is the path of the array or inside it; pass another path for the image`,
      { code: "bad-path" },
    );
  if (!isWithin(array.path, path)) return undefined;
  checkInPlace(array, version, axes);
  return path === "" ? array.path : array.path.slice(path.length + 1);
}

function checkInPlace(array: ZarrArray, version: 2 | 3, axes: readonly Axis[]): void {
  const bad = (why: string) =>
    invalidArgument(`the array at "/${array.path}" cannot be used in place as a level: ${why}`);
  if (array.zarrFormat !== version)
    throw bad(`it is Zarr v${array.zarrFormat}, the image is Zarr v${version}`);
  const names = axes.map(({ name }) => name);
  if (version === 3 && array.dimensionNames?.join() !== names.join())
    throw bad(`its dimension names must be those of the axes, ${names.join(", ")}`);
  const key = array.spec.chunkKey(array.shape.map(() => 0));
  if (!key.includes("/")) throw bad('the separator of its chunk keys must be "/"');
}

/** Returns the image metadata in attributes: below `ome` since OME-Zarr 0.5. */
export function multiscalesJson(attributes: unknown): unknown {
  return ownProperty(ownProperty(attributes, "ome") ?? attributes, "multiscales");
}

/** Creates the group, or finds the one that an earlier call has created or that holds the array. */
export async function makeGroup(
  image: ImageLocation,
  array: ZarrArray,
  options: CheckedMultiscaleOptions,
): Promise<ZarrGroup> {
  const { store, path, version, inPlace } = image;
  const { signal, attributes, overwrite, resume } = options;
  const found = await nodeAt(store, path, signal);
  if (!found || (inPlace === undefined && !resume)) {
    const created = { path, zarrFormat: version, attributes, overwrite: overwrite && !inPlace, signal };
    return createGroup(store, created, [array]);
  }
  const group = await openGroup(image, options);
  if (!overwrite && !resume && multiscalesJson(group.attributes) !== undefined)
    throw alreadyExists(`an image already exists at "/${path}"; pass overwrite to replace it`, {
      code: "node-exists",
    });
  return group;
}

/** @throws NotFound; InvalidArgument for a group of another version. */
export async function openGroup(
  { store, path, version }: ImageLocation,
  { signal }: CheckedMultiscaleOptions,
): Promise<ZarrGroup> {
  const group = await open(store, { path, kind: "group", signal });
  if (group.zarrFormat === version) return group;
  const message = `the group at "/${path}" is Zarr v${group.zarrFormat}, the image is Zarr v${version}`;
  throw invalidArgument(message);
}

/** Returns the options that create the array of a level. */
export type LevelOptions = (level: Level, index: number) => CreateLikeOptions;

/**
 * All levels have the properties of the array; in Zarr v2 without shards, and with chunks of one shape. The chunks of
 * smaller levels are no longer than the level.
 */
export function levelOptions(
  array: ZarrArray,
  axes: readonly Axis[],
  version: 2 | 3,
  options: CheckedMultiscaleOptions,
): LevelOptions {
  const { codecs, fillValue, limits, signal } = options;
  const chunkShape = options.chunkShape ?? (array.spec.isRegular ? undefined : array.chunkShape);
  const shardShape = options.shardShape ?? (version === 2 ? null : options.shardShape);
  return ({ shape }, index) => ({
    like: array,
    shape,
    ...(index === 0 ? { chunkShape, shardShape } : clipped(array, shape, chunkShape, shardShape)),
    codecs,
    fillValue,
    limits,
    signal,
    zarrFormat: version,
    dimensionNames: axes.map(({ name }) => name),
    attributes: index === 0 ? undefined : {},
    chunkKeyEncoding: { name: version === 3 ? "default" : "v2", separator: "/" },
  });
}

/** Returns shapes of chunks and shards that are no longer than a level needs. */
function clipped(
  array: ZarrArray,
  shape: readonly number[],
  chunkShape: readonly number[] | undefined,
  shardShape: readonly number[] | null | undefined,
): Pick<CreateLikeOptions, "chunkShape" | "shardShape"> {
  const chunks = chunkShape ?? array.chunkShape;
  const isSame = chunks.join() === array.chunkShape.join();
  const shards = shardShape === undefined && isSame ? array.shardShape : shardShape;
  const isLonger = (lengths: readonly number[]) => lengths.some((length, axis) => length > shape[axis]!);
  if (!isLonger(shards ?? chunks)) return { chunkShape, shardShape };
  const inner = chunks.map((length, axis) => Math.min(length, shape[axis]!));
  const count = (axis: number) =>
    Math.min(shards![axis]! / chunks[axis]!, Math.ceil(shape[axis]! / inner[axis]!));
  return { chunkShape: inner, shardShape: shards && inner.map((length, axis) => length * count(axis)) };
}

/** Creates the array of a level, or finds the one that an earlier call has created. */
export async function makeLevel(
  group: ZarrGroup,
  path: string,
  made: CreateLikeOptions,
  { resume, overwrite }: CheckedMultiscaleOptions,
): Promise<ZarrArray> {
  if (resume) {
    try {
      return await openLevel(group, path, made);
    } catch (error) {
      if (!isZarrError(error, "NotFound")) throw error;
    }
  }
  return createArray(group, { ...made, path, overwrite });
}

/** @throws NotFound; InvalidArgument for an array created with other options. */
export async function openLevel(
  group: ZarrGroup,
  path: string,
  made: Pick<CreateLikeOptions, "like" | "shape" | "signal" | "chunkShape">,
): Promise<ZarrArray> {
  const array = await group.open(path, { kind: "array", signal: made.signal });
  const wanted = made.shape!;
  if (array.shape.join() === wanted.join() && String(array.dtype) === String(made.like.dtype)) return array;
  throw invalidArgument(
    `the array at "/${array.path}" is ${array.dtype} with shape [${array.shape.join(", ")}], expected ${made.like.dtype} with shape [${wanted.join(", ")}]; it was created with other options`,
  );
}

/** @throws NotFound naming the stage that must run first. */
export function missingStage(path: string, cause: unknown): unknown {
  if (!isZarrError(cause, "NotFound")) return cause;
  return notFound(`no image at "/${path}"; run stage "metadata" first`, { cause });
}

export interface Image {
  readonly axes: readonly Axis[];
  readonly levels: readonly (Level & { readonly path: string })[];
  readonly method: DownsamplingMethod;
  readonly name: string | undefined;
}

/** Description of each method in the metadata. */
const descriptions: Readonly<Record<DownsamplingMethod, string>> = {
  mean: "mean of each block of the level before, without NaNs; of integers rounded to the nearest, a half to the even one",
  mode: "most frequent element of each block of the level before; of several the first in C order",
  max: "greatest element of each block of the level before, without NaNs",
  nearest: "first element of each block of the level before",
};

/** Returns the attributes that OME-Zarr defines, as stored: below `ome` in v3. */
export function imageAttributes(
  { axes, levels, method, name }: Image,
  version: OmeVersion,
  more: NewAttributes,
): NewAttributes {
  const hasSystems = version === "0.6rc0";
  const axesJson = axes.map(axisJson);
  const image = {
    ...(version === "0.4" ? { version } : {}),
    ...(name === undefined ? {} : { name }),
    ...(hasSystems ? { coordinateSystems: [{ name: intrinsic, axes: axesJson }] } : { axes: axesJson }),
    datasets: levels.map((level) => ({
      path: level.path,
      coordinateTransformations: hasSystems ? [namedSteps(level)] : steps(level),
    })),
    type: method,
    metadata: {
      description: descriptions[method],
      method: "zarr-wasm writeMultiscale",
      kwargs: { method, factors: levels.slice(1).map(({ factors }) => factors) },
    },
  };
  const all = { multiscales: [image], ...more };
  return version === "0.4" ? all : { ome: { version, ...all } };
}

/** The intrinsic coordinate system, under the name used in the specification. */
const intrinsic = "intrinsic";

type Placed = Pick<Image["levels"][number], "path" | "scale" | "translation">;

/** Returns the transformations from a level's indices to units. */
const steps = ({ scale, translation }: Placed) => [
  { type: "scale", scale },
  ...(translation.some((start) => start !== 0) ? [{ type: "translation", translation }] : []),
];

/** Returns the steps as one transformation between two coordinate systems (0.6). */
function namedSteps(level: Placed) {
  const ends = { input: { path: level.path }, output: { name: intrinsic } };
  const [scale, ...more] = steps(level);
  return more.length === 0
    ? { ...scale, ...ends }
    : { type: "sequence", transformations: [scale, ...more], ...ends };
}

/** Omits undefined properties: the specification does not allow null. */
function axisJson({ name, type, unit }: Axis) {
  return { name, ...(type === undefined ? {} : { type }), ...(unit === undefined ? {} : { unit }) };
}

/**
 * Registers an image that lies in a group named `labels`. Other metadata of that group stays.
 * @throws errors of the store.
 */
export async function registerLabel(
  { store, path, zarrFormat }: Pick<ZarrGroup, "store" | "path" | "zarrFormat">,
  version: OmeVersion,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [, parent, name] = /^((?:.*\/)?labels)\/([^/]+)$/.exec(path) ?? [];
  if (name === undefined) return;
  const labels = await open(store, { path: parent, kind: "group", signal }).catch((error) => {
    if (!isZarrError(error, "NotFound")) throw error;
    return undefined;
  });
  if (labels?.zarrFormat !== zarrFormat) return;
  const add = (attributes: unknown) => {
    const ome = zarrFormat === 2 ? attributes : ownProperty(attributes, "ome");
    const listed = ownProperty(ome, "labels");
    const list = Array.isArray(listed) ? listed : [];
    if (list.includes(name)) return undefined;
    const added = { ...(isRecord(ome) ? ome : {}), labels: [...list, name] };
    return zarrFormat === 2 ? added : { ome: { version, ...added } };
  };
  await changeAttributes(labels, add, { signal });
}
