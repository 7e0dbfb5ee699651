/** Coordinates of OME-Zarr images: physical units along axes, channel names. */

import type { ZarrArray } from "../../hierarchy/array.js";
import { open } from "../../hierarchy/open.js";
import { isZarrError } from "../../util/errors.js";
import { channelAxis, isMultiscales, multiscales, type OmeLevel, type OmeMultiscale } from "../ome/ome.js";
import { type Coordinates, linearCoordinates, namedCoordinates, type Reading } from "./coordinates.js";
import { noCoordinates, noSuchDimension } from "./types.js";

/** A level of an image, and the shape of its array. */
export interface ImageLevel {
  readonly image: OmeMultiscale;
  readonly level: OmeLevel;
  readonly shape: readonly number[];
  /** −1 if there is none. */
  readonly channelAxis: number;
}

/** Returns the level of an image that an array belongs to; undefined if no image above the array lists it. */
export async function levelOfArray(array: ZarrArray, { signal }: Reading): Promise<ImageLevel | undefined> {
  const segments = array.path.split("/");
  if (array.path === "") return undefined;
  const path = segments.slice(0, -1).join("/");
  const { zarrFormat: version, limits, store, shape } = array;
  try {
    const group = await open(store, { path, kind: "group", version, limits, signal });
    if (!isMultiscales(group)) return undefined;
    const below = segments.at(-1);
    for (const image of multiscales(group)) {
      const level = image.levels.find((one) => one.path === below);
      if (level && image.axes.length === shape.length)
        return { image, level, shape, channelAxis: channelAxis(image) };
    }
  } catch (error) {
    // A node need not have a group above it.
    if (!isZarrError(error, "NotFound")) throw error;
  }
  return undefined;
}

/**
 * Returns the coordinates of the axis with a name, or of the only axis of a type.
 * @throws InvalidSelection (no-such-dimension) if there is none; `coordinates` throws (no-coordinates) if the
 *   image has none for the axis.
 */
export function imageCoordinates(
  { image, level, shape, channelAxis }: ImageLevel,
  name: string,
): { axis: number; coordinates: () => Coordinates } {
  const axis = axisOf(image, name);
  const coordinates = () => {
    const labels = axis === channelAxis ? labelsOf(image, shape[axis]!) : undefined;
    if (labels) return namedCoordinates(name, labels);
    const { scale, translation } = level;
    if (axis === channelAxis) throw noCoordinates(name, 'the image has no "omero" labels for its channels');
    if (!scale || !translation) throw noCoordinates(name, `OME-Zarr ${image.version} has no scales`);
    return linearCoordinates(name, shape[axis]!, { scale: scale[axis]!, translation: translation[axis]! });
  };
  return { axis, coordinates };
}

function axisOf({ axes }: OmeMultiscale, name: string): number {
  const byName = axes.findIndex((axis) => axis.name === name);
  if (byName >= 0) return byName;
  const ofType = axes.flatMap(({ type }, i) => (type === name ? [i] : []));
  if (ofType.length === 1) return ofType[0]!;
  throw noSuchDimension(
    name,
    axes.map((axis) => axis.name),
  );
}

/** Returns the labels of all channels; undefined if a channel lacks one. */
function labelsOf({ channels }: OmeMultiscale, count: number): string[] | undefined {
  const labels = channels?.map(({ label }) => label);
  return labels?.length === count && labels.every((label) => label !== undefined) ? labels : undefined;
}
