/** The source of an image: an array, or the finest level of an existing image with its metadata. */
import { type CreateOptions, type OpenedNode, open, type ZarrArray } from "zarr-wasm";
import { isMultiscales, multiscales, type NewAxis } from "zarr-wasm/conventions";
import { type openDestination, placeBelow } from "#internal";
import type { Values } from "../../options/options.js";
import { isMarked, isPipeline } from "../../source/places.js";
import { openOptions, openSource } from "../../source/source.js";

type Destination = Awaited<ReturnType<typeof openDestination>>;

export interface ImageSource {
  readonly array: ZarrArray;
  readonly axes: readonly NewAxis[] | undefined;
  readonly scale: readonly number[] | undefined;
  readonly translation: readonly number[] | undefined;
  readonly name: string | undefined;
  /** Other OME-Zarr metadata of its group. */
  readonly ome: CreateOptions["attributes"];
}

/**
 * Opens the source. A source inside the destination is opened through the destination's store, so that the writer
 * recognises it.
 * @throws an Error if the destination lies in the source's array.
 */
export async function openImage(
  source: string,
  destination: Destination,
  values: Values,
): Promise<ImageSource> {
  const isPlain = !isMarked(source) && !(await isPipeline(source));
  const below = isPlain ? await placeBelow(destination.name, source) : undefined;
  const node =
    below === undefined
      ? await openSource(source, values)
      : await open(destination.store, {
          ...openOptions(values),
          path: [below, values.path].filter((part) => part).join("/"),
        });
  const image = await imageSource(node);
  const folder = values.path === undefined ? source : `${source}/${values.path}`;
  const isInside = (await placeBelow(folder, destination.name)) !== undefined;
  if (node.kind === "array" && below === undefined && isInside)
    throw new Error(`DEST "${destination.name}" lies inside the array to read; choose another DEST`);
  return image;
}

async function imageSource(node: OpenedNode): Promise<ImageSource> {
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
    throw new Error(
      `expected an array or an OME-Zarr image, found a group at "/${node.path}"; name an array in it with --path`,
    );
  const [image] = multiscales(node);
  const [finest] = image!.levels;
  const { scale, translation } = finest!;
  const ome = (node.attributes["ome"] ?? node.attributes) as NonNullable<CreateOptions["attributes"]>;
  const known = ["omero", "image-label"].filter((name) => ome[name] !== undefined);
  return {
    array: await finest!.open(),
    axes: image!.axes.map(({ name, type, unit }) => ({ name, type, unit })),
    name: image!.name,
    ome: Object.fromEntries(known.map((name) => [name, ome[name]])),
    ...{ scale, translation },
  };
}
