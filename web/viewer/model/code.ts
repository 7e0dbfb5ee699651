/** Generates a program that reads the current view. */
import { text } from "../language/text.js";
import type { Dataset, Level } from "../source/dataset.js";
import { storedParts } from "../source/folds.js";
import { dtypeLeaves, type Leaf } from "../source/leaf.js";
import type { Rectangle } from "./camera.js";
import { channelsRead } from "./layers.js";
import type { Interval, ViewState } from "./state.js";

/** The view that a program reads. */
export interface CodeRequest {
  /** The absolute address. */
  readonly source: string;
  readonly v1Order?: "spec" | "writer" | undefined;
  readonly dataset: Dataset;
  readonly state: ViewState;
  /** The visible rectangle in elements of level 0; everything if unknown. */
  readonly seen?: Rectangle | undefined;
  /** The level in use. */
  readonly level?: number | undefined;
}

/** A program, or the reason why there is none. */
export type Code = { readonly text: string } | { readonly reason: string };

/**
 * Selection along an axis, in elements of the level in use: one index, an interval, or a list of channels.
 */
type AxisIndex = number | Interval | { readonly list: readonly number[] };

/** Formats a selection in the program's language. */
function partText(part: AxisIndex, interval: (part: Interval) => string): string {
  if (typeof part === "number") return String(part);
  return "list" in part ? `[${part.list.join(", ")}]` : interval(part);
}

const isList = (part: AxisIndex): boolean => typeof part === "object" && "list" in part;
const sliceCall = (part: Interval) => `slice(${part.join(", ")})`;

export function javascriptCode(request: CodeRequest): Code {
  const { source, v1Order, dataset, state } = request;
  const { path, parts } = partCode(request);
  const isDecoded = dataset.decode !== undefined && !state.isRaw;
  const leaf = leafIn(dataset, state);
  const hasField = leaf.path.length > 0;
  const hasSlices = parts.some((part) => typeof part !== "number" && !isList(part));
  const names = ["get", "open", ...(hasField ? ["field"] : [])];
  if (hasSlices) names.push("slice");
  const options = [
    'kind: "array"',
    ...(path ? [`path: ${quoted(path)}`] : []),
    ...(v1Order === "writer" ? ['v1Order: "writer"'] : []),
  ];
  const selection = parts.map((part) => partText(part, sliceCall));
  const lines = [
    `import { ${names.sort().join(", ")} } from "zarr-wasm";`,
    ...(isDecoded ? ['import { decodeCF } from "zarr-wasm/conventions";'] : []),
    "",
    `const array = await open(${quoted(source)}, { ${options.join(", ")} });`,
    `const ${isDecoded || hasField ? "stored" : "region"} = await get(array, [${selection.join(", ")}]);`,
    ...(isDecoded ? ["const region = decodeCF(array, stored);"] : []),
    ...(hasField && !isDecoded ? [`const region = field(stored, ${JSON.stringify(leaf.path)});`] : []),
    "console.log(region.shape, region.data);",
  ];
  return { text: `${lines.join("\n")}\n` };
}

export function pythonCode(request: CodeRequest): Code {
  const { source, v1Order, dataset, state } = request;
  const { array } = dataset;
  if (array.zarrFormat === 1) return { reason: text.code.v1 };
  if (v1Order === "writer") return { reason: text.code.order };
  if (source.includes("|")) return { reason: text.code.pipeline };
  if (arrayFile.test(source)) return { reason: text.code.files };
  if (isZip(source)) return { reason: text.code.archive };
  return { text: usesXarray(dataset, state) ? xarrayCode(request) : zarrCode(request) };
}

/** Whether the view needs decoding by xarray: scale, offset, missing values, times. */
function usesXarray(dataset: Dataset, state: ViewState): boolean {
  return dataset.decode !== undefined && !state.isRaw && dataset.axes.every(({ name }) => name !== undefined);
}

function zarrCode(request: CodeRequest): string {
  const { dataset, state, source } = request;
  const { path, parts } = partCode(request);
  const leaf = leafIn(dataset, state);
  const selection = parts.map((part) => partText(part, (interval) => interval.join(":")));
  const steps = [
    ...leaf.path.map((name) => `[${quoted(name)}]`),
    ...(leaf.items > 1 ? [`.reshape(*values.shape, -1)[..., ${leaf.item}]`] : []),
  ];
  const isTurned = state.axes.length > 1 && state.axes[0]! > state.axes[1]!;
  const numpy = complexPart(leaf, state);
  const lines = [
    ...(numpy.startsWith("np.") ? ["import numpy as np"] : []),
    "import zarr",
    "",
    ...remoteNote(source),
    `array = zarr.open_array(${quoted(source)}, mode="r"${path ? `, path=${quoted(path)}` : ""})`,
    `values = array${parts.some(isList) ? ".oindex" : ""}[${selection.join(", ") || "()"}]`,
    ...steps.map((step) => `values = values${step}`),
    ...(numpy ? [`values = ${numpy}`] : []),
    ...(isTurned ? [`values = values.${turn(parts, state)}  # rows and columns as shown`] : []),
    "print(values.shape, values.dtype)",
    "print(values)",
  ];
  return `${lines.join("\n")}\n`;
}

function xarrayCode(request: CodeRequest): string {
  const { dataset, state, source } = request;
  const { path, parts } = partCode(request);
  const { group, name } = variableName(source, path);
  const indexers = parts.map((part, axis) => {
    const dimension = quoted(dataset.axes[axis]!.name!);
    return `${dimension}: ${partText(part, sliceCall)}`;
  });
  const channels = parts.flatMap((part, axis) =>
    typeof part === "number" || state.axes.includes(axis) ? [] : [axis],
  );
  const shown = [...channels, ...state.axes].map((axis) => quoted(dataset.axes[axis]!.name!));
  const lines = [
    "import xarray",
    "",
    ...remoteNote(source),
    `dataset = xarray.open_zarr(${quoted(group.source)}${group.path ? `, group=${quoted(group.path)}` : ""}, consolidated=None)`,
    `values = dataset[${quoted(name)}].isel({${indexers.join(", ")}})`,
    ...(shown.length > 1 ? [`values = values.transpose(${shown.join(", ")})`] : []),
    "print(values)",
  ];
  return `${lines.join("\n")}\n`;
}

/** Columns before rows; channels stay in place. */
function turn(parts: readonly AxisIndex[], { axes }: ViewState): string {
  const kept = parts.flatMap((part, axis) => (typeof part === "number" ? [] : [axis]));
  return kept.length > 2 ? `swapaxes(${kept.indexOf(axes[1]!)}, ${kept.indexOf(axes[0]!)})` : "T";
}

/** The group of a variable; if the address is the array's own, its parent group. */
function variableName(
  source: string,
  path: string,
): { group: { source: string; path: string }; name: string } {
  const at = path.lastIndexOf("/");
  if (path !== "")
    return { group: { source, path: path.slice(0, Math.max(0, at)) }, name: path.slice(at + 1) };
  const [, above = "", last = "", query = ""] = /^([^?#]*)\/([^/?#]+)\/?([?#].*)?$/.exec(source) ?? [];
  return { group: { source: above + query, path: "" }, name: decodeURIComponent(last) };
}

function remoteNote(source: string): string[] {
  return /^https?:/i.test(source)
    ? ["# Addresses are read by way of fsspec: pip install fsspec aiohttp"]
    : [];
}

/** NumPy's name of the shown part of a complex number. */
function complexPart({ dtype }: Leaf, { part }: ViewState): string {
  if (!dtype.core.startsWith("complex")) return "";
  return {
    magnitude: "np.abs(values)",
    phase: "np.angle(values)",
    real: "values.real",
    imaginary: "values.imag",
  }[part];
}

/** The path of the shown array, and the visible part of it. */
function partCode({ dataset, state, seen, level = 0 }: CodeRequest): {
  path: string;
  parts: readonly AxisIndex[];
} {
  const chosen = dataset.levels[level]?.array ? dataset.levels[level]! : dataset.levels[0];
  const array = chosen.array ?? dataset.array;
  const channels = channelsRead(dataset, state);
  const parts = array.shape.map((length, axis): AxisIndex => {
    const position = state.axes.indexOf(axis);
    if (axis === channels?.axis && channels.indices.length > 0) return listed(channels.indices);
    if (position < 0) return within(ownIndex(chosen, axis, state.index[axis]! + 0.5), length);
    if (!seen) return [0, length];
    const isAcross = position === state.axes.length - 1;
    const [from, to] = isAcross ? [seen.left, seen.right] : [seen.top, seen.bottom];
    const first = within(ownIndex(chosen, axis, from), length);
    return [first, Math.max(first + 1, Math.min(length, Math.ceil(ownIndex(chosen, axis, to))))];
  });
  return {
    path: array.path.replace(/^\//, ""),
    parts: storedParts<AxisIndex>(array, parts, (from, to) => [from, to]),
  };
}

/** Ascending indices; an interval if they are contiguous. */
function listed(indices: readonly number[]): AxisIndex {
  const [first, last] = [indices[0]!, indices.at(-1)!];
  if (indices.length === 1) return first;
  return last - first === indices.length - 1 ? [first, last + 1] : { list: indices };
}

const ownIndex = ({ origin, factor }: Level, axis: number, at: number) =>
  (at - origin[axis]!) / factor[axis]!;
const within = (at: number, length: number) => Math.min(Math.max(Math.floor(at), 0), length - 1);

function leafIn({ dtype }: Dataset, { field }: ViewState): Leaf {
  const leaves = dtypeLeaves(dtype);
  return leaves.find(({ name }) => name === field) ?? leaves[0]!;
}

/** Matches URLs of files of other formats, by their extension. */
const arrayFile =
  /\.(?:nc[34]?|netcdf|cdf|he?5|h5ad|hdf5?|mat|tiff?|tf[28]|btf|svs|gri?b2?|fi?ts?|nii(?:\.gz)?)(?:[?#]|$)/i;

const isZip = (source: string) => /\.(zip|ozx)([?#]|$)/i.test(source);

/** A string literal for both languages: they accept JSON's escapes. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
