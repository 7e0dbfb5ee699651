/** Creates or finds the group of a new image and its arrays. */

import { createArray, createGroup } from "../../../edit/create.js";
import type { CreateLikeOptions } from "../../../edit/options.js";
import { nodeAt, type Place } from "../../../edit/target.js";
import type { ZarrArray } from "../../../hierarchy/array.js";
import type { ZarrGroup } from "../../../hierarchy/group.js";
import { open } from "../../../hierarchy/open.js";
import { ownProperty } from "../../../util/arguments.js";
import { alreadyExists, invalidArgument, isZarrError, notFound } from "../../../util/errors.js";
import type { Checked } from "./arguments.js";
import type { Axis } from "./axes.js";
import type { Level } from "./plan.js";

/** Location of an image, and what exists there. */
export interface ImagePlace extends Pick<Place, "store" | "path"> {
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
  const within = (inner: string, outer: string) =>
    inner === outer || outer === "" || inner.startsWith(`${outer}/`);
  if (within(path, array.path))
    throw invalidArgument(`an image cannot lie at "/${path}", where its array lies`, { code: "bad-path" });
  if (!within(array.path, path)) return undefined;
  checkInPlace(array, version, axes);
  return path === "" ? array.path : array.path.slice(path.length + 1);
}

function checkInPlace(array: ZarrArray, version: 2 | 3, axes: readonly Axis[]): void {
  const bad = (why: string) =>
    invalidArgument(`the array at "/${array.path}" cannot be a level where it lies: ${why}`, {
      code: "bad-level",
    });
  if (array.zarrFormat !== version)
    throw bad(`it is of Zarr v${array.zarrFormat}, the image would be of v${version}`);
  const names = axes.map(({ name }) => name);
  if (version === 3 && array.dimensionNames?.join() !== names.join())
    throw bad(`its dimension names must be those of the axes, ${names.join(", ")}`);
  const key = array.spec.chunkKey(array.shape.map(() => 0));
  if (!key.includes("/")) throw bad('the separator of its chunk keys must be "/"');
}

/** Returns the image metadata in attributes: below `ome` since OME-Zarr 0.5. */
export function imagesOf(attributes: unknown): unknown {
  return ownProperty(ownProperty(attributes, "ome") ?? attributes, "multiscales");
}

/** Creates the group, or finds the one that an earlier call has created or that holds the array. */
export async function makeGroup(image: ImagePlace, array: ZarrArray, options: Checked): Promise<ZarrGroup> {
  const { store, path, version, inPlace } = image;
  const { signal, attributes, overwrite, resume } = options;
  const found = await nodeAt(store, path, signal);
  if (!found || (inPlace === undefined && !resume)) {
    const created = { path, zarrFormat: version, attributes, overwrite: overwrite && !inPlace, signal };
    return createGroup(store, created, [array]);
  }
  const group = await openGroup(image, options);
  if (!overwrite && !resume && imagesOf(group.attributes) !== undefined)
    throw alreadyExists(`there is an image at "/${path}" already`, { code: "node-exists" });
  return group;
}

/** @throws NotFound; InvalidArgument for a group of another version. */
export async function openGroup(
  { store, path, version }: ImagePlace,
  { signal }: Checked,
): Promise<ZarrGroup> {
  const group = await open(store, { path, kind: "group", signal });
  if (group.zarrFormat === version) return group;
  const message = `the group at "/${path}" is of Zarr v${group.zarrFormat}, the image would be of v${version}`;
  throw invalidArgument(message, { code: "mixed-versions" });
}

/** Returns the options that create the array of a level. */
export type LevelOptions = (level: Level, index: number) => CreateLikeOptions;

/** All levels have the properties of the array; in Zarr v2 without shards, and with chunks of one shape. */
export function levelOptions(
  array: ZarrArray,
  axes: readonly Axis[],
  version: 2 | 3,
  options: Checked,
): LevelOptions {
  const { chunkShape, codecs, fillValue, limits, signal } = options;
  const shardShape = options.shardShape ?? (version === 2 ? null : options.shardShape);
  return ({ shape }, index) => ({
    like: array,
    shape,
    chunkShape: chunkShape ?? (array.spec.isRegular ? undefined : array.chunkShape),
    shardShape,
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

/** Creates the array of a level, or finds the one that an earlier call has created. */
export async function makeLevel(
  group: ZarrGroup,
  path: string,
  made: CreateLikeOptions,
  { resume, overwrite }: Checked,
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
    `the array at "/${array.path}" is ${array.dtype} of the shape [${array.shape.join(", ")}], not ${made.like.dtype} of [${wanted.join(", ")}]: it was made with other options`,
    { code: "other-options" },
  );
}

/** @throws NotFound naming the stage that must run first. */
export function missingStage(path: string, cause: unknown): unknown {
  if (!isZarrError(cause, "NotFound")) return cause;
  return notFound(`there is no image at "/${path}" yet, which the stage "metadata" makes`, { cause });
}
