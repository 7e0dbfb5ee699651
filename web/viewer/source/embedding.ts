/** Embeddings of AnnData, such as `obsm/X_umap`, as datasets: each column is an axis, observations are points. */

import { get, slice, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { formatCount } from "../base/format.js";
import { keptFor } from "../base/memo.js";
import { text } from "../language/text.js";
import { textAt } from "./attributes.js";
import type { Collection } from "./collection.js";
import { linearCoordinates } from "./coordinates.js";
import type { Dataset, DatasetAxis, Embedding } from "./dataset.js";
import { type Features, featureLimits, GeometryBuilder, InvalidLayer } from "./features.js";
import { groupAt, ifReadable } from "./nodes.js";
import { annDataObservations } from "./observations.js";
import { factsOfNode } from "./tree.js";

/** Maximum number of columns that are read. */
const maxColumns = 64;
/** Elements along the longer side of the first plane. They determine how far it can be enlarged. */
const sideLength = 4096;
/** Share of the extent that is left free around the points. */
const margin = 0.04;

/** The path of the AnnData group whose `obsm` has an array. */
const tablePath = (path: string): string | undefined => {
  const [, table, name] = /^(?:(.*)\/)?obsm\/([^/]+)$/.exec(path) ?? [];
  return name === undefined ? undefined : (table ?? "");
};

/** Whether an array can be an embedding: `obsm/…` with two columns of numbers or more. */
export function isEmbedding({ path, shape, dtype }: ZarrArray): boolean {
  return (
    tablePath(path) !== undefined &&
    shape.length === 2 &&
    shape[0]! > 0 &&
    shape[0]! <= featureLimits.features &&
    shape[1]! >= 2 &&
    /^(u?int|float)/.test(dtype.core)
  );
}

/** Undefined if the array is not part of AnnData. @throws as `get` does. */
export async function embeddingDataset(
  array: ZarrArray,
  title: string,
  signal: AbortSignal,
): Promise<Dataset | undefined> {
  const group = await groupAt(array.store, tablePath(array.path)!, array.zarrFormat, signal);
  if (textAt(group?.attributes, "encoding-type") !== "anndata") return undefined;
  const rows = array.shape[0]!;
  const [columns, observations] = await Promise.all([
    readColumns(array, signal),
    annDataObservations(group!, rows, signal),
  ]);
  const extents = columns.map(extentOf);
  const step = stepOf(extents);
  const axes = extents.map((extent, i) => axisOf(extent, axisTitle(title, i), step));
  const level = {
    factor: axes.map(() => 1),
    origin: axes.map(() => 0),
    array,
    open: async () => array,
  };
  return {
    title,
    axes,
    dtype: array.dtype,
    levels: [level],
    array,
    hints: { axes: [1, 0], index: axes.map(({ length }) => length >> 1) },
    embedding: { columns, observations },
  };
}

async function readColumns(array: ZarrArray, signal: AbortSignal): Promise<Float64Array[]> {
  const [rows, all] = array.shape as [number, number];
  const count = Math.min(all, maxColumns);
  if (rows * count > 2 * featureLimits.vertices)
    throw new InvalidLayer(text.invalidLayer.elements(formatCount(2 * featureLimits.vertices)));
  const { data, stride } = await get(array, [null, slice(0, count)], { signal });
  return Array.from({ length: count }, (_, column) =>
    Float64Array.from({ length: rows }, (_row, row) => Number(data[row * stride[0]! + column * stride[1]!])),
  );
}

type Extent = readonly [low: number, high: number];

function extentOf(values: Float64Array): Extent {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values)
    if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low <= high ? [low, high] : [0, 1];
}

/** Units per element, the same along all axes: distances can be compared. */
function stepOf(extents: readonly Extent[]): number {
  const [across, down] = extents.map(([low, high]) => high - low);
  const longest = Math.max(across!, down!);
  return (longest > 0 && Number.isFinite(longest) ? longest : 1) / sideLength;
}

function axisOf([low, high]: Extent, name: string, step: number): DatasetAxis {
  const around = Math.max(high - low, step * sideLength * 0.1) * margin;
  const length = Math.max(1, Math.ceil((high - low + 2 * around) / step));
  const translation = low - around + step / 2;
  return {
    name,
    length,
    scale: step,
    translation,
    goesUp: true,
    coordinates: linearCoordinates(translation, step),
  };
}

/** Names of the methods, as plots write them. */
const methods: Readonly<Record<string, string>> = { pca: "PC", umap: "UMAP", tsne: "tSNE" };

/** "UMAP1" for the first column of X_umap. */
function axisTitle(name: string, column: number): string {
  const method = name.replace(/^X_/, "");
  const short = methods[method.toLowerCase()] ?? method;
  return `${short}${/\d$/.test(short) ? " " : ""}${column + 1}`;
}

/** The embeddings of an AnnData group that can be found without a listing. */
const usual = ["X_umap", "X_tsne", "X_pca", "X_diffmap", "X_draw_graph_fa", "spatial"];

/** The arrays of `obsm` that are embeddings. */
export async function findEmbeddings(group: ZarrGroup, signal: AbortSignal): Promise<ZarrArray[]> {
  const obsm = await ifReadable(group.open("obsm", { kind: "group", signal }), signal);
  if (!obsm) return [];
  const listed = await ifReadable(obsm.members({ signal }), signal);
  const names = listed?.flatMap(({ name, kind }) => (kind === "array" ? [name] : [])) ?? usual;
  const found = await Promise.all(
    names.slice(0, maxColumns).map((name) => ifReadable(obsm.open(name, { kind: "array", signal }), signal)),
  );
  return found.filter((array) => array !== undefined).filter(isEmbedding);
}

/** The other embeddings of a table. */
export async function embeddingCollection(
  { store, path, zarrFormat }: ZarrArray,
  signal: AbortSignal,
): Promise<Collection | undefined> {
  const group = await groupAt(store, tablePath(path)!, zarrFormat, signal);
  return group && embeddingsOf(group, signal);
}

/** The embeddings of an AnnData group. */
export async function embeddingsOf(group: ZarrGroup, signal: AbortSignal): Promise<Collection> {
  const arrays = await findEmbeddings(group, signal);
  const entries = arrays.map((array) => ({
    name: array.path.slice(array.path.lastIndexOf("/") + 1),
    path: array.path,
    facts: factsOfNode(array),
  }));
  return { title: text.features.embeddings, entries, others: [] };
}

const { paths: noPaths } = new GeometryBuilder().geometry;

const made = keptFor((_embedding: Embedding) => new Map<string, Features>());

/** The points of a plane. Skips those without a finite position. */
export function embeddingFeatures(embedding: Embedding, down: number, across: number): Features {
  const key = `${down} ${across}`;
  const known = made(embedding).get(key);
  if (known) return known;
  const { columns, observations } = embedding;
  const [xs, ys] = [columns[across]!, columns[down]!];
  const [xy, rows] = [new Float64Array(2 * xs.length), new Uint32Array(xs.length)];
  let count = 0;
  for (let row = 0; row < xs.length; row++) {
    if (!Number.isFinite(xs[row]!) || !Number.isFinite(ys[row]!)) continue;
    xy[2 * count] = xs[row]!;
    xy[2 * count + 1] = ys[row]!;
    rows[count++] = row;
  }
  const features: Features = {
    count: xs.length,
    points: { xy: xy.subarray(0, 2 * count), features: rows.subarray(0, count) },
    paths: noPaths,
    columns: observations.names,
    column: (name) => observations.column(name),
    text: (row) => observations.text(row),
    isFromEdge: false,
  };
  made(embedding).set(key, features);
  return features;
}
