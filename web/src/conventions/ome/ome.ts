/**
 * OME-Zarr images: reads resolution levels, axes and channels from a group's attributes.
 *
 * Versions 0.4 (attribute `multiscales`), 0.5 and 0.6 (`ome.multiscales`) follow their specifications; 0.1 to
 * 0.3 have no scales. Spec: https://ngff.openmicroscopy.org, "multiscales", "coordinateSystems",
 * "coordinateTransformations", "omero", "labels", "plate", "well".
 */

import type { ZarrArray } from "../../hierarchy/array.js";
import type { ZarrGroup } from "../../hierarchy/group.js";
import { openPlain } from "../../hierarchy/open.js";
import { joinPath } from "../../store/path.js";
import { asString, checkObject, checkSignalIn, isRecord, ownProperty } from "../../util/arguments.js";
import { invalidArgument, invalidMetadata, isZarrError, notFound, unsupported } from "../../util/errors.js";
import { badAttribute, checkNode, finiteNumber, pathBelow } from "../shared/attributes.js";
import {
  combine,
  type OmeAxis,
  type OmeCoordinateSystem,
  outputName,
  readAxes,
  readCoordinateSystems,
  readLevelTransform,
  readTransforms,
  type Transform,
} from "./coordinates.js";

/** One resolution level of an image. */
export interface OmeLevel {
  /** Path of the array, relative to the group. */
  readonly path: string;
  /** Units per step along each axis; undefined in versions before 0.4, which do not state it. */
  readonly scale: readonly number[] | undefined;
  /**
   * Position of element 0 along each axis, in the axis' unit; zeros if not stated; undefined in versions
   * before 0.4.
   */
  readonly translation: readonly number[] | undefined;
  /**
   * Opens the array.
   * @throws the errors of `ZarrGroup.open`; InvalidMetadata if the array does not have one dimension per
   *   axis.
   */
  open(options?: { signal?: AbortSignal | undefined }): Promise<ZarrArray>;
}

/** Display settings of a channel; missing or malformed ones are undefined. */
export interface OmeChannel {
  readonly label: string | undefined;
  /** Six hexadecimal digits: red, green, blue. */
  readonly color: string | undefined;
  readonly active: boolean | undefined;
  /** Range of values: `min` to `max` are possible, `start` to `end` are shown. */
  readonly window:
    | { readonly min?: number; readonly max?: number; readonly start?: number; readonly end?: number }
    | undefined;
}

/** One image: the same data in several resolutions, finest first. */
export interface OmeMultiscale {
  readonly name: string | undefined;
  /** OME-Zarr version as stated; if an old image omits it, "0.4", or "0.5" in Zarr v3. */
  readonly version: string;
  /** Axes; since 0.6, those of the intrinsic coordinate system. */
  readonly axes: readonly OmeAxis[];
  readonly levels: readonly OmeLevel[];
  /** Channels as `omero` describes them, in the order of the channel axis. */
  readonly channels: readonly OmeChannel[] | undefined;
  /**
   * Name of the coordinate system that the scales and translations of the levels lead to; undefined before
   * 0.6.
   */
  readonly intrinsic: string | undefined;
  /**
   * All coordinate systems of the image, in the listed order; undefined before 0.6. See `coordinateGraph`.
   */
  readonly coordinateSystems: readonly OmeCoordinateSystem[] | undefined;
}

/** Returns the attributes defined by OME-Zarr: those under `ome` if it exists, otherwise all. */
export function omeAttributes(group: ZarrGroup): unknown {
  checkNode(group, "a group");
  const { attributes } = group;
  const ome = ownProperty(attributes, "ome");
  return isRecord(ome) ? ome : attributes;
}

/** Whether a group's attributes describe an OME-Zarr image; they may still turn out to be invalid. */
export function isMultiscales(group: ZarrGroup): boolean {
  const images = ownProperty(omeAttributes(group), "multiscales");
  return images !== undefined && ownProperty(images, "layout") === undefined; // GeoZarr has a layout
}

/**
 * Returns the images of an OME-Zarr group, usually one.
 *
 * Reads attributes only; `open` of a level opens its array.
 * @throws NotFound if the group is not an OME-Zarr image; InvalidMetadata for attributes that do not follow
 *   the specification; Unsupported for versions after 0.6 and for scales and translations stored as arrays.
 */
export function multiscales(group: ZarrGroup): OmeMultiscale[] {
  const attributes = omeAttributes(group);
  const list = ownProperty(attributes, "multiscales");
  if (list === undefined)
    throw notFound(`the group at "/${group.path}" has no attribute "multiscales" (OME-Zarr)`, {
      code: "no-convention",
    });
  if (!Array.isArray(list) || list.length === 0)
    throw badAttribute('"multiscales" must be a list of at least one image', list);
  const channels = readChannels(ownProperty(attributes, "omero"));
  return list.map((image: unknown, i) => ({
    ...readImage(group, image, `multiscales[${i}]`),
    channels,
  }));
}

function readImage(group: ZarrGroup, image: unknown, where: string): Omit<OmeMultiscale, "channels"> {
  const said = readVersion(group, image, where);
  const version = said ?? (group.zarrFormat === 3 ? "0.5" : "0.4");
  const minor = said === undefined ? impliedMinor(group, ownProperty(image, "axes")) : minorVersion(said);
  const systems =
    minor >= 6 ? readCoordinateSystems(ownProperty(image, "coordinateSystems"), where) : undefined;
  const ownAxes = systems ? undefined : readAxes(ownProperty(image, "axes"), where, minor < 3);
  const datasets = ownProperty(image, "datasets");
  if (!Array.isArray(datasets) || datasets.length === 0)
    throw badAttribute(`${where}: "datasets" must be a list of at least one level`, datasets);
  const intrinsic = systems && findIntrinsic(systems, datasets, where);
  const axes = ownAxes ?? intrinsic!.axes;
  const steps = minor >= 6 ? steps6 : minor >= 4 ? steps4(image, axes, where) : undefined;
  const levels = datasets.map((dataset: unknown, i): OmeLevel => {
    const place = `${where}.datasets[${i}]`;
    const path = readPath(ownProperty(dataset, "path"), place);
    const open = (options?: { signal?: AbortSignal | undefined }) => openLevel(group, path, axes, options);
    if (!steps) return { path, scale: undefined, translation: undefined, open };
    return { path, ...combine(steps(dataset, axes.length, place), axes.length), open };
  });
  const name = asString(ownProperty(image, "name"));
  return { name, version, axes, levels, intrinsic: intrinsic?.name, coordinateSystems: systems };
}

/** Returns the transformations from a level's indices to coordinates. */
type LevelSteps = (dataset: unknown, rank: number, place: string) => Transform[];

/** 0.4 and 0.5: the level's transformations, then those of the image. */
function steps4(image: unknown, axes: readonly OmeAxis[], where: string): LevelSteps {
  const common = readTransforms(ownProperty(image, "coordinateTransformations"), axes.length, where, "whole");
  return (dataset, rank, place) => [
    ...readTransforms(ownProperty(dataset, "coordinateTransformations"), rank, place, "level"),
    ...common,
  ];
}

/** Since 0.6: the level's transformations. Those of the image lead to other coordinate systems. */
const steps6: LevelSteps = (dataset, rank, place) =>
  readLevelTransform(ownProperty(dataset, "coordinateTransformations"), rank, place);

/** Returns the coordinate system that all levels lead to. */
function findIntrinsic(
  systems: readonly OmeCoordinateSystem[],
  datasets: readonly unknown[],
  where: string,
): OmeCoordinateSystem {
  const names = datasets.map((dataset) => outputName(ownProperty(dataset, "coordinateTransformations")));
  const found = systems.find(({ name }) => name === names[0]);
  if (found && names.every((name) => name === found.name)) return found;
  throw badAttribute(
    `${where}: the transformations of all levels must have the same one of its coordinate systems as their output`,
    names,
  );
}

/**
 * Returns the version stated by an image or its group; in `ome`, which was introduced in 0.5, it is required.
 * @param image undefined for a group that is not an image.
 * @returns undefined if an old image omits it.
 * @throws InvalidMetadata if `ome` has no version, and for a version that is not a string.
 */
export function readVersion(group: ZarrGroup, image: unknown, where: string): string | undefined {
  const attributes = omeAttributes(group);
  const isInOme = attributes !== group.attributes;
  // Next to `multiscales` of old versions, "version" may belong to other software.
  const shared = isInOme ? versionIn(attributes, '"ome"') : asString(ownProperty(attributes, "version"));
  const version = versionIn(image, where) ?? shared;
  if (version === undefined && isInOme) throw badVersion('"ome"', version);
  return version;
}

function versionIn(holder: unknown, where: string): string | undefined {
  const version = ownProperty(holder, "version");
  if (version === undefined || typeof version === "string") return version;
  throw badVersion(where, version);
}

const badVersion = (where: string, found: unknown) =>
  badAttribute(`${where}: "version" must be a string such as "0.5"`, found);

/** Returns the minor version, 1 to 6. @throws Unsupported for later ones. */
export function minorVersion(version: string): number {
  // Writers append suffixes: "0.5-dev-spatialdata", "0.6rc0", "0.6.dev3".
  const minor = Number(/^0\.([1-6])(?!\d)/.exec(version)?.[1] ?? Number.NaN);
  if (Number.isNaN(minor))
    throw unsupported(`OME-Zarr version ${JSON.stringify(version)} is not supported; expected 0.1 to 0.6`, {
      code: "unsupported-ome",
    });
  return minor;
}

/** An image without a version is read as the newest version that it can be. */
function impliedMinor({ zarrFormat }: ZarrGroup, axes: unknown): number {
  if (Array.isArray(axes) && axes.every((axis) => typeof axis === "string")) return 3;
  return axes === undefined && zarrFormat < 3 ? 2 : 4;
}

/** Returns a path below the group. */
export function readPath(path: unknown, where: string): string {
  const normal = pathBelow(path);
  if (normal !== undefined) return normal;
  throw badAttribute(`${where}: "path" must be the path of an array in the group`, path);
}

async function openLevel(
  group: ZarrGroup,
  path: string,
  axes: readonly OmeAxis[],
  options: { signal?: AbortSignal | undefined } = {},
): Promise<ZarrArray> {
  const array = await group.open(path, { ...options, kind: "array" });
  if (array.shape.length === axes.length) return array;
  const names = axes.map(({ name }) => name).join(", ");
  throw invalidMetadata(
    `the array at "/${array.path}" has ${array.shape.length} dimensions, the image has ${axes.length} axes (${names})`,
    { code: "bad-convention" },
  );
}

function readChannels(omero: unknown): OmeChannel[] | undefined {
  const list = ownProperty(omero, "channels");
  return Array.isArray(list) ? list.map(readChannel) : undefined;
}

/** Malformed display settings are omitted: they are not a reason to reject an image. */
function readChannel(channel: unknown): OmeChannel {
  const label = ownProperty(channel, "label");
  const color = asString(ownProperty(channel, "color"));
  const active = ownProperty(channel, "active");
  const range = ownProperty(channel, "window");
  const bounds = (["min", "max", "start", "end"] as const).map((name) => [
    name,
    finiteNumber(ownProperty(range, name)),
  ]);
  const known = bounds.filter(([, value]) => value !== undefined);
  return {
    // Some writers use numbers as labels.
    label: typeof label === "number" ? String(label) : asString(label),
    color: color !== undefined && /^[0-9a-fA-F]{6}$/.test(color) ? color : undefined,
    active: typeof active === "boolean" ? active : undefined,
    window: known.length > 0 ? Object.fromEntries(known) : undefined,
  };
}

/**
 * Returns the paths of an image's label images, relative to its group, as listed by the group `labels`.
 * @returns an empty list if there is no such group.
 * @throws InvalidMetadata for an invalid list; errors of the store.
 */
export async function labelPaths(
  image: ZarrGroup,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<string[]> {
  checkNode(image, "a group");
  checkSignalIn(options);
  let labels: ZarrGroup;
  try {
    // An image has no labels of another Zarr version: most have none, and each version costs requests.
    const { store, path, zarrFormat: version, isConsolidated } = image;
    labels = isConsolidated
      ? await image.open("labels", { ...options, kind: "group" })
      : await openPlain(store, { ...options, path: joinPath(path, "labels"), kind: "group", version });
  } catch (error) {
    if (isZarrError(error, "NotFound")) return [];
    throw error;
  }
  const list = ownProperty(omeAttributes(labels), "labels") ?? [];
  if (!Array.isArray(list)) throw badAttribute('"labels" must be a list of paths', list);
  return list.map((path: unknown, i) => `labels/${readPath(path, `labels[${i}]`)}`);
}

/**
 * Returns the paths of a plate's wells, relative to its group; undefined if the group is not a plate.
 * @throws InvalidMetadata for a plate whose wells have no paths.
 */
export function wellPaths(plate: ZarrGroup): string[] | undefined {
  return listedPaths(plate, "plate", "wells");
}

/**
 * Returns the paths of a well's images (fields of view), relative to its group; undefined if the group is not
 * a well.
 */
export function fieldPaths(well: ZarrGroup): string[] | undefined {
  return listedPaths(well, "well", "images");
}

function listedPaths(group: ZarrGroup, name: string, items: string): string[] | undefined {
  const described = ownProperty(omeAttributes(group), name);
  if (described === undefined) return undefined;
  const list = ownProperty(described, items);
  if (!Array.isArray(list)) throw badAttribute(`"${name}.${items}" must be a list`, list);
  return list.map((entry: unknown, i) => readPath(ownProperty(entry, "path"), `${name}.${items}[${i}]`));
}

/** Returns the channel axis, found by type or name; −1 if there is none. */
export function channelAxis(image: Pick<OmeMultiscale, "axes">): number {
  checkObject(image, "an image");
  const { axes } = image;
  if (!Array.isArray(axes)) throw invalidArgument("an image must have a list of axes");
  const byType = axes.findIndex(({ type }) => type === "channel");
  return byType >= 0 ? byType : axes.findIndex(({ name, type }) => name === "c" && type === undefined);
}
