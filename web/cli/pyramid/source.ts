/** What an image is made of: an array, or the finest level of an image that is there, with what is known of it. */
import { realpathSync } from "node:fs";
import path from "node:path";
import {
  isMultiscales,
  multiscales,
  type NewAttributes,
  type NewAxis,
  type OpenedNode,
  open,
  type ZarrArray,
} from "zarr-wasm";
import type { Destination } from "../destination.js";
import { openOptions, openSource, type Values } from "../usage.js";

export interface ImageSource {
  readonly array: ZarrArray;
  readonly axes: readonly NewAxis[] | undefined;
  readonly scale: readonly number[] | undefined;
  readonly translation: readonly number[] | undefined;
  readonly name: string | undefined;
  /** What its group says in OME-Zarr's terms besides. */
  readonly ome: NewAttributes | undefined;
}

/**
 * Opens the source; through the destination's store where it lies there, so that it is known to be the same place.
 * @throws an Error where the destination lies in the source's array.
 */
export async function openImage(
  source: string,
  destination: Destination,
  values: Values,
): Promise<ImageSource> {
  const below = placeBelow(destination.name, source);
  const node =
    below === undefined
      ? await openSource(source, values)
      : await open(destination.store, {
          ...openOptions(values),
          path: [below, values.path].filter((part) => part).join("/"),
        });
  const image = await imageOf(node);
  const folder = values.path === undefined ? source : `${source}/${values.path}`;
  if (node.kind === "array" && below === undefined && placeBelow(folder, destination.name) !== undefined)
    throw new Error("DEST lies in the array that is read");
  return image;
}

/** The path of a place below another one, of the same kind; undefined where it lies elsewhere. */
function placeBelow(outer: string, inner: string): string | undefined {
  const isUrl = (text: string) => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
  if (isUrl(outer) !== isUrl(inner)) return undefined;
  const [from, to] = [outer, inner].map((text) =>
    isUrl(text) ? text.replace(/\/*$/, "/") : realPath(path.resolve(text)) + path.sep,
  ) as [string, string];
  if (!to.startsWith(from)) return undefined;
  return to.slice(from.length, -1).replaceAll(path.sep, "/");
}

/** A path without symbolic links, as far as it leads to anything. */
function realPath(text: string): string {
  try {
    return realpathSync(text);
  } catch {
    const folder = path.dirname(text);
    return folder === text ? text : path.join(realPath(folder), path.basename(text));
  }
}

async function imageOf(node: OpenedNode): Promise<ImageSource> {
  if (node.kind === "array") {
    return {
      array: node,
      axes: undefined,
      scale: undefined,
      translation: undefined,
      name: undefined,
      ome: undefined,
    };
  }
  if (!isMultiscales(node))
    throw new Error(`there is a group at "/${node.path}", and no image; name an array in it with --path`);
  const [image] = multiscales(node);
  const [finest] = image!.levels;
  const { scale, translation } = finest!;
  const ome = (node.attributes["ome"] ?? node.attributes) as NewAttributes;
  const known = ["omero", "image-label"].filter((name) => ome[name] !== undefined);
  return {
    array: await finest!.open(),
    axes: image!.axes.map(({ name, type, unit }) => ({ name, type, unit })),
    name: image!.name,
    ome: Object.fromEntries(known.map((name) => [name, ome[name]])),
    ...{ scale, translation },
  };
}
