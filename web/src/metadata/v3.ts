/** Parses Zarr v3: `zarr.json` of arrays and groups. Spec: Zarr v3 core, version 3.1. */

import { type CodecMetadata, parseCodecs } from "../codecs/definition.js";
import { findCodec, loadCodecs, namesIn } from "../codecs/lookup.js";
import type { DType } from "../dtypes/dtype.js";
import { parseFill } from "../dtypes/fill.js";
import { parseDataType } from "../dtypes/v3.js";
import { invalidMetadata, type OnWarning, unsupported } from "../util/errors.js";
import { isJsonObject, type Json, type JsonObject, showJson, toPlain } from "../util/json.js";
import { lazy, preload } from "../util/lazy.js";
import {
  type Attributes,
  checkFormat,
  type DocumentOptions,
  documentsIn,
  type KeyEncoding,
  member,
  plainAttributes,
  readExtension,
  readLengths,
  readPlainKeys,
  requireKeys,
  v3Key,
} from "./document.js";
import { parseGrid } from "./grid.js";
import { type ArraySpec, completeSpec } from "./spec.js";

const required = ["shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value"] as const;
const arrayKeys = new Set<string>([
  ...required,
  "zarr_format",
  "node_type",
  "codecs",
  "attributes",
  "storage_transformers",
  "dimension_names",
]);
const groupKeys = new Set(["zarr_format", "node_type", "attributes", "consolidated_metadata"]);

/** A group's own metadata. */
export interface V3Group {
  readonly attributes: Attributes;
  /** Documents of the nodes below, by path, if they are consolidated here. */
  readonly consolidated: ReadonlyMap<string, JsonObject> | undefined;
}

/** Returns the kind of node that a document describes. */
export function v3NodeType(object: JsonObject): "array" | "group" {
  requireKeys(object, ["zarr_format", "node_type"], v3Key);
  checkFormat(object, 3, v3Key);
  const type = member(object, "node_type");
  if (type !== "array" && type !== "group")
    throw invalidMetadata(`"node_type" in ${v3Key} must be "array" or "group", not ${showJson(type)}`);
  return type;
}

export function parseV3Group(object: JsonObject, options: DocumentOptions): V3Group {
  checkKeys(object, groupKeys);
  return {
    attributes: plainAttributes(member(object, "attributes"), `"attributes" in ${v3Key}`),
    consolidated: parseConsolidated(member(object, "consolidated_metadata"), options),
  };
}

/** Parses the document of an array, and loads the parsers of its data type, fill value and codecs. */
export async function parseV3Array(object: JsonObject, options: DocumentOptions): Promise<ArraySpec> {
  const names = namesIn(member(object, "codecs"), options.limits.shardDepth);
  preload(() => loadCodecs(names, 3)); // in parallel with the other parts loaded below
  requireKeys(object, required, v3Key);
  checkKeys(object, arrayKeys);
  if (!Object.hasOwn(object, "codecs")) checkDraft(object);
  checkTransformers(member(object, "storage_transformers"), options);
  const shape = readLengths(member(object, "shape"), "shape", 0);
  const keys = await readChunkKeys(member(object, "chunk_key_encoding"), options.onWarning);
  const dtype = parseDataType(toPlain(member(object, "data_type")!));
  await loadCodecs(names, 3);
  const { codecs, isDraft } = await readDraft(object, dtype, options);
  return completeSpec(
    {
      zarrFormat: 3,
      shape,
      grid: parseGrid(member(object, "chunk_grid"), shape),
      dtype,
      fill: parseFill(dtype, member(object, "fill_value")!, "strict", {
        allowNull: isDraft || isNullOfZarrita(object, options),
      }),
      codecs: isLegacyStruct(member(object, "data_type")) ? withEndian(codecs, options) : codecs,
      attributes: plainAttributes(member(object, "attributes"), `"attributes" in ${v3Key}`),
      dimensionNames: readDimensionNames(member(object, "dimension_names")),
      ...keys,
    },
    options,
  );
}

/** Rejects unknown fields unless they are marked with `must_understand: false`. */
function checkKeys(object: JsonObject, known: ReadonlySet<string>): void {
  for (const [key, value] of Object.entries(object)) {
    if (known.has(key) || (isJsonObject(value) && member(value, "must_understand") === false)) continue;
    throw invalidMetadata(
      `${v3Key} has the field "${key}", which is unknown and lacks "must_understand": false; known fields are ${[...known].join(", ")}`,
      { code: "must-understand" },
    );
  }
}

function checkTransformers(json: Json | undefined, { onWarning }: DocumentOptions): void {
  if (json === undefined || json === null) return;
  if (!Array.isArray(json)) throw invalidMetadata('"storage_transformers" must be a list');
  for (const entry of json) {
    const { name, mustUnderstand } = readExtension(entry, "a storage transformer");
    if (mustUnderstand)
      throw unsupported(`storage transformer "${name}" is not supported`, {
        code: "unknown-extension",
      });
    onWarning?.({
      code: "storage-transformer",
      message: `storage transformer "${name}" is ignored, as the metadata allows`,
    });
  }
}

/** The codecs of the 2022 draft. */
const draftCodecs = ["endian", "transpose", "gzip", "blosc"];

/**
 * Parses the codecs, and detects documents of the 2022 draft, as GDAL up to 3.10 and zarrita write them: the
 * chain has either no array-to-bytes codec, which means little-endian bytes, or the codec "endian"; the fill
 * value may be null. Only documents without any later features count as drafts.
 */
async function readDraft(
  object: JsonObject,
  dtype: DType,
  { onWarning }: DocumentOptions,
): Promise<{ codecs: CodecMetadata[]; isDraft: boolean }> {
  const json = member(object, "codecs");
  const codecs = json === undefined ? [] : parseCodecs(toPlain(json), '"codecs"');
  const kinds = codecs.map(({ name }) => findCodec(name, 3)?.definition.kind);
  const lacksBytes = !kinds.includes("array-to-bytes");
  const isDraft =
    !Object.hasOwn(object, "storage_transformers") &&
    codecs.every(({ name }) => draftCodecs.includes(name)) &&
    (lacksBytes || codecs.some(({ name }) => name === "endian"));
  if (!isDraft) return { codecs, isDraft };
  const message = `${v3Key} follows the draft of 2022: bytes are little-endian unless a codec says otherwise, and a fill value may be null`;
  onWarning?.({ code: "v3-draft", message });
  if (lacksBytes) {
    const arrays = kinds.filter((kind) => kind === "array-to-array").length;
    codecs.splice(arrays, 0, await usualBytes(dtype));
  }
  return { codecs, isDraft };
}

/** Returns the default array-to-bytes codec. zarrita omits the codec for arrays of strings, too. */
async function usualBytes(dtype: DType): Promise<CodecMetadata> {
  if (dtype.name !== "string") return { name: "bytes", configuration: { endian: "little" } };
  await loadCodecs(["vlen-utf8"], 3);
  return { name: "vlen-utf8" };
}

/**
 * Whether a null fill value is zarrita's, which writes null for "not given"; the specification does not allow
 * that. zarrita also writes no storage transformers, unlike the writers whose nulls are mistakes.
 */
function isNullOfZarrita(object: JsonObject, { onWarning }: DocumentOptions): boolean {
  if (member(object, "fill_value") !== null || Object.hasOwn(object, "storage_transformers")) return false;
  onWarning?.({ code: "null-fill", message: "fill_value is null: what is not stored is read as zeros" });
  return true;
}

/** Only drafts may lack "codecs". */
function checkDraft(object: JsonObject): void {
  if (Object.hasOwn(object, "storage_transformers")) requireKeys(object, ["codecs"], v3Key);
}

function isLegacyStruct(json: Json | undefined): boolean {
  return isJsonObject(json) && member(json, "name") === "structured";
}

/** Adds the byte order that the legacy data type "structured" omitted: little-endian. */
function withEndian(codecs: readonly CodecMetadata[], { onWarning }: DocumentOptions): CodecMetadata[] {
  return codecs.map((codec) => {
    if (codec.name !== "bytes" || codec.configuration?.["endian"] !== undefined) return codec;
    onWarning?.({
      code: "missing-endian",
      message: 'codec bytes lacks an "endian": data type structured is read as little-endian',
    });
    return { name: "bytes", configuration: { endian: "little" } };
  });
}

function readDimensionNames(json: Json | undefined): (string | null)[] | undefined {
  if (json === undefined || json === null) return undefined;
  if (!Array.isArray(json) || !json.every((name) => name === null || typeof name === "string")) {
    throw invalidMetadata('"dimension_names" must be a list of strings and nulls');
  }
  return json as (string | null)[];
}

/** Parses consolidated metadata inside a group; null, as early zarr-python 3 wrote it, counts as none. */
function parseConsolidated(
  json: Json | undefined,
  { onWarning }: DocumentOptions,
): Map<string, JsonObject> | undefined {
  if (json === undefined || json === null) return undefined;
  const kind = isJsonObject(json) ? member(json, "kind") : undefined;
  const metadata = isJsonObject(json) ? member(json, "metadata") : undefined;
  if (kind !== "inline" || !isJsonObject(metadata)) {
    onWarning?.({
      code: "consolidated",
      message: "the consolidated metadata has an unknown form, and is ignored",
    });
    return undefined;
  }
  return documentsIn(metadata);
}

const rareKeys = lazy("chunk key encodings", () => import("./part.js"));

/** Parses `chunk_key_encoding`. @throws InvalidMetadata, Unsupported, LimitExceeded. */
export async function readChunkKeys(
  json: Json | undefined,
  onWarning: OnWarning | undefined,
): Promise<KeyEncoding> {
  const extension = readExtension(json, '"chunk_key_encoding"');
  return readPlainKeys(extension) ?? (await rareKeys()).readOtherKeys(extension, onWarning);
}
