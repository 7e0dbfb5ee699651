/** Opens the source of a layer over a picture. */

import { HttpStore, type Source } from "zarr-wasm";
import { text } from "../language/text.js";
import { decodedName } from "./address-rules.js";
import type { Dataset } from "./dataset.js";
import type { TableLink } from "./feature-table.js";
import { type Features, featureLimits, InvalidLayer } from "./features.js";
import { parseGeoJson } from "./geojson.js";
import { ifReadable, maxRequests, openNode, storeFor } from "./nodes.js";
import { openTarget, resolveTarget } from "./open.js";
import { isSpatial, type LinkedFeatures, openSpatial, parquetFile } from "./spatial.js";

interface LayerTarget {
  readonly source: string | Exclude<Source, string | URL>;
  readonly path: string;
  readonly kind: "auto" | "image" | "labels" | "points" | "shapes";
}

/** The content of a layer, in its own coordinates. */
export type LayerContent =
  | { readonly kind: "image"; readonly dataset: Dataset }
  | { readonly kind: "features"; readonly features: Features; readonly link?: TableLink | undefined };

/**
 * @param image the picture
 * @throws as `openTarget` does; InvalidLayer for sources without content of the wanted kind.
 */
export async function openLayerContent(
  target: LayerTarget,
  image: Dataset,
  signal: AbortSignal,
): Promise<LayerContent> {
  const { source } = target;
  if (typeof source === "string") {
    const path = pathOf(source);
    if (/\.(geo)?json$/i.test(path)) return featuresFrom(source, signal, geoJson);
    if (/\.(geo)?parquet$/i.test(path)) return featuresFrom(source, signal, parquetFile);
  }
  const isFeatures = target.kind !== "image" && target.kind !== "labels";
  const found = isFeatures ? await spatial(target, image, signal) : undefined;
  return found ? { kind: "features", ...found } : { kind: "image", dataset: await openImage(target, signal) };
}

async function featuresFrom(
  source: string,
  signal: AbortSignal,
  parse: (bytes: Uint8Array, signal: AbortSignal) => Promise<Features>,
): Promise<LayerContent> {
  return { kind: "features", features: await parse(await readFile(source, signal), signal) };
}

const geoJson = (bytes: Uint8Array, signal: AbortSignal): Promise<Features> =>
  parseGeoJson(new TextDecoder().decode(bytes), signal);

/** Points or shapes of a group; undefined if it has none. */
async function spatial(
  { source, path }: LayerTarget,
  image: Dataset,
  signal: AbortSignal,
): Promise<LinkedFeatures | undefined> {
  const { target } = resolveTarget({ source, path: path === "" ? undefined : path });
  const opening = storeFor(target.source).then((store) =>
    openNode({ source: store, path: target.path }, { signal, onWarning: () => {} }),
  );
  const group = await ifReadable(opening, signal);
  if (group?.kind !== "group" || !isSpatial(group)) return undefined;
  const below = group.path === "" ? "/" : `/${group.path}/`;
  const read = async (name: string) =>
    group.store.get(`${below}${name}`, { signal, maxBytes: featureLimits.bytes });
  return openSpatial(group, image, read, signal);
}

/** The path of an address, without query. */
function pathOf(source: string): string {
  const base = globalThis.location?.href;
  return URL.canParse(source, base) ? new URL(source, base).pathname : source;
}

/** Reads a file over HTTP. */
async function readFile(source: string, signal: AbortSignal): Promise<Uint8Array> {
  const url = new URL(source, globalThis.location?.href);
  const [, folder, name] = /^(.*\/)([^/]*)$/.exec(url.pathname) ?? [];
  url.pathname = folder!;
  const store = new HttpStore(url, { concurrency: maxRequests });
  const bytes = await store.get(`/${decodedName(name!)}`, { signal, maxBytes: featureLimits.bytes });
  if (!bytes) throw new InvalidLayer(text.layerErrors.missing);
  return bytes;
}

async function openImage({ source, path, kind }: LayerTarget, signal: AbortSignal): Promise<Dataset> {
  const { target } = resolveTarget({ source, path: path === "" ? undefined : path });
  const opened = await openTarget(target, { signal, onWarning: () => {} });
  if (opened.kind !== "dataset") throw new InvalidLayer(text.layerErrors.noImage);
  const { dataset } = opened;
  const isLabels = kind === "labels" || (kind === "auto" && dataset.isLabels === true);
  return isLabels ? { ...dataset, isLabels, hints: { ...dataset.hints, colormap: "labels" } } : dataset;
}
