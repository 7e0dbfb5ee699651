/** Parses Zarr v3 chunk grids. Spec: Zarr v3 core "regular grid"; zarr-extensions "rectilinear". */
import { invalidMetadata, unsupported } from "../util/errors.js";
import { type AxisGrid, RectilinearAxis, RegularAxis } from "../util/grid.js";
import { type Json, JsonNumber, showJson } from "../util/json.js";
import { checkOptions, known, own, readExtension } from "./document.js";
import { type ArrayDescription, readLengths } from "./spec.js";

/** Known but unsupported grids, with the reason. */
export const unsupportedGrids: Readonly<Record<string, string>> = {
  rectangular: "rectilinear has taken the place of this draft (ZEP 3)",
  "zarrs.regular_bounded": "it is an experiment of zarrs, without a specification",
};

/** Parses `chunk_grid` for an array of a shape. */
export function parseGrid(json: Json | undefined, shape: readonly number[]): ArrayDescription["grid"] {
  const extension = readExtension(json, '"chunk_grid"');
  if (Object.hasOwn(unsupportedGrids, extension.name)) {
    const message = `chunk grid "${extension.name}" is not supported: ${unsupportedGrids[extension.name]}`;
    throw unsupported(message, { code: "unknown-chunk-grid" });
  }
  const { name, configuration } = known(extension, ["regular", "rectilinear"], "chunk grid");
  if (name === "regular") {
    checkOptions(extension, ["chunk_shape"], "chunk grid");
    return { chunkShape: readLengths(own(configuration, "chunk_shape"), "chunk_shape", 1) };
  }
  checkOptions(extension, ["kind", "chunk_shapes"], "chunk grid");
  const kind = own(configuration, "kind");
  const lists = own(configuration, "chunk_shapes");
  if (kind !== "inline" || !Array.isArray(lists) || lists.length !== shape.length) {
    throw invalid(`needs the kind "inline" and "chunk_shapes" for ${shape.length} dimensions`);
  }
  return { axes: lists.map((list, axis) => readAxis(list, shape[axis]!)) };
}

/** Parses the chunk lengths along one axis: a single length, or a list of lengths and of pairs [length, count]. */
function readAxis(json: Json, length: number): AxisGrid {
  if (json instanceof JsonNumber) return new RegularAxis(length, positive(json));
  if (!Array.isArray(json) || json.length === 0) throw invalid(`${showJson(json)} are no chunk lengths`);
  return new RectilinearAxis(length, json.map(readRun));
}

function readRun(json: Json): readonly [size: number, count: number] {
  if (!Array.isArray(json)) return [positive(json), 1];
  if (json.length !== 2) throw invalid(`${showJson(json)} is no pair of a length and a count`);
  return [positive(json[0]!), positive(json[1]!)];
}

function positive(json: Json): number {
  const value = json instanceof JsonNumber && json.isInteger ? json.value : 0;
  if (!Number.isSafeInteger(value) || value < 1) throw invalid(`${showJson(json)} is no positive integer`);
  return value;
}

function invalid(message: string) {
  return invalidMetadata(`chunk grid rectilinear: ${message}`, { code: "bad-chunks" });
}
