/**
 * Metadata of the copies of arrays and groups: that of the source in the target's Zarr version, with the requested
 * changes. The mask of xarray is carried over between Zarr v2 and v3: in v2 xarray masks an array's fill value; in v3 the
 * attribute `_FillValue`, which holds floats as base64 of a little-endian float64.
 */

import type { ZarrVersion } from "../codecs/definition.js";
import { printCodecs } from "../codecs/print.js";
import type { DType } from "../dtypes/dtype.js";
import { printFill } from "../dtypes/fill-print.js";
import type { FillValue } from "../dtypes/fill-value.js";
import { parseScalar } from "../dtypes/plain.js";
import { readScalar } from "../dtypes/scalar.js";
import { arrayLike, leafCodecs } from "../edit/array-options.js";
import type { CodecInput, CreateLikeOptions } from "../edit/options.js";
import type { ZarrArray } from "../hierarchy/array.js";
import {
  type ArrayMetadata,
  attributesIn,
  attributesKey,
  type Documents,
  type GroupMetadata,
  mainDocument,
  readMetadata,
} from "../metadata/model.js";
import { convertMetadata } from "../metadata/new-array.js";
import { jsonEntries, toJson, withEntries } from "../metadata/print.js";
import type { ArraySpec } from "../metadata/spec.js";
import { asString, isRecord, ownProperty } from "../util/arguments.js";
import { decodeBase64, encodeBase64 } from "../util/bytes.js";
import { type Json, showJson } from "../util/json.js";
import { resolveLimits } from "../util/limits.js";
import { badOption } from "./destination.js";
import type { SourceArray } from "./nodes.js";
import type { CheckedOptions } from "./options.js";
import type { View } from "./view.js";

export interface ArrayTarget {
  readonly metadata: ArrayMetadata;
  /** Changes that were not requested. */
  readonly notes: readonly string[];
}

type Changes = Pick<CreateLikeOptions, "shape" | "chunkShape" | "shardShape" | "codecs" | "dimensionNames">;

/** Metadata of a group in a Zarr version, without consolidated metadata. @throws Unsupported. */
export async function groupTarget(source: GroupMetadata, version: ZarrVersion): Promise<GroupMetadata> {
  const options = { limits: resolveLimits(undefined) };
  const converted = (await convertMetadata(source, version, options)) as GroupMetadata;
  const { key, object } = mainDocument(converted.documents);
  const documents = new Map(converted.documents);
  if (version === 3) documents.set(key, withEntries(object, [["consolidated_metadata", undefined]]));
  return { ...converted, documents };
}

/** Note about a group in Zarr v2 with an `ome` attribute, which OME-Zarr defines for Zarr v3 only. */
export function omeNote({ attributes, zarrFormat }: GroupMetadata): string | undefined {
  const ome = ownProperty(attributes, "ome");
  if (zarrFormat === 3 || !isRecord(ome)) return undefined;
  const said = asString(ownProperty(ome, "version"));
  const name =
    said === undefined ? "OME-Zarr" : `OME-Zarr ${said.length > 60 ? `${said.slice(0, 60)}…` : said}`;
  return `its attributes stay those of ${name}, which is stored as Zarr v3: readers may refuse it in Zarr v${zarrFormat}`;
}

/**
 * Metadata of the copy of an array.
 * @throws Unsupported, naming what the version cannot hold; InvalidArgument for options that do not fit the array.
 */
export async function arrayTarget(
  { metadata: source, isInImage }: Pick<SourceArray, "metadata" | "isInImage">,
  view: View,
  options: CheckedOptions,
): Promise<ArrayTarget> {
  const version = options.zarrFormat ?? source.zarrFormat;
  const notes: string[] = [];
  const changes = requestedChanges(source, view, version, options, notes);
  const limits = view.array.limits;
  const masked = maskChanges(source, version, isInImage, options.fill as MaskChanges["fillValue"]);
  notes.push(...masked.notes);
  const like = await arrayLike(source, version, { ...changes, fillValue: masked.fillValue }, limits);
  const made = await withMaskAttributes(like, masked, { limits });
  const own = unknownFields(source);
  if (own.length === 0 || made.documents === source.documents) return { metadata: made, notes };
  if (version !== source.zarrFormat) {
    const names = own.map(([name]) => `"${name}"`).join(", ");
    notes.push(`dropped fields that only Zarr v${source.zarrFormat} has: ${names}`);
    return { metadata: made, notes };
  }
  const { key, object } = mainDocument(made.documents);
  const documents: Documents = new Map(made.documents).set(key, withEntries(object, own));
  return { metadata: (await readMetadata(documents, { limits })) as ArrayMetadata, notes };
}

function requestedChanges(
  source: ArrayMetadata,
  view: View,
  version: ZarrVersion,
  options: CheckedOptions,
  notes: string[],
): Changes {
  const { spec } = source;
  const isReduced = view.kept.length < spec.shape.length;
  const kept = <T>(list: readonly T[]) => view.kept.map((axis) => list[axis]!);
  const chunkShape = options.chunkShape?.length === view.kept.length ? options.chunkShape : undefined;
  const shardShape = shardsFor(source, view, version, { ...options, chunkShape }, notes);
  const hasNewChunks = chunkShape !== undefined || shardShape !== undefined || options.codecs !== undefined;
  if (!spec.isRegular && !chunkShape && (hasNewChunks || isReduced))
    throw badOption("the source has chunks of different lengths; pass `chunkShape`");
  return {
    shape: view.isWhole ? undefined : view.shape,
    chunkShape: chunkShape ?? (isReduced || shardShape !== undefined ? kept(spec.chunkShape) : undefined),
    shardShape,
    codecs: options.codecs
      ? withObjectCodec(source, options.codecs, version)
      : isReduced
        ? reducedCodecs(source, view, version)
        : undefined,
    dimensionNames: dimensionNamesFor(source, view, version, notes),
  };
}

/** Returns the dimension names; undefined to keep those of the source. */
function dimensionNamesFor(
  { spec, zarrFormat }: ArrayMetadata,
  view: View,
  version: ZarrVersion,
  notes: string[],
): readonly (string | null)[] | undefined {
  const names = spec.dimensionNames?.filter((_, axis) => view.kept.includes(axis));
  if (version < 3 && names?.includes(null) && names.some((name) => name !== null)) {
    notes.push(
      `dropped the dimension names ${JSON.stringify(names)}: Zarr v${version} stores all names or none`,
    );
    return names.map(() => null);
  }
  // xarray writes scalars without names in v3, and refuses datasets whose scalars lack an empty list in v2.
  if (zarrFormat === 3 && version === 2 && spec.shape.length === 0) return [];
  return view.kept.length < spec.shape.length ? names : undefined;
}

const objectCodec = /^(numcodecs\.)?(json2|msgpack2|vlen-.*|categorize|pickle)$/;

/** Requested codecs. Data type "object" keeps the codec that makes bytes of its values unless they name another one. */
function withObjectCodec(
  { spec, zarrFormat }: ArrayMetadata,
  codecs: readonly CodecInput[],
  version: ZarrVersion,
): readonly CodecInput[] {
  const codecName = (codec: CodecInput) => (typeof codec === "string" ? codec : codec.name);
  if (spec.dtype.name !== "object" || codecs.some((codec) => objectCodec.test(codecName(codec))))
    return codecs;
  const array = { dtype: spec.dtype, shape: spec.chunkShape };
  const own = printCodecs(leafCodecs(spec.codecs), array, zarrFormat, version);
  return [...own.filter(({ name }) => objectCodec.test(name)), ...codecs];
}

/** Limit for the decoded bytes of automatic shards. */
const autoBytes = 32 * 2 ** 20;

/** Shape of the shards: null for none, undefined to derive it from the other options. */
function shardsFor(
  { spec }: ArrayMetadata,
  view: View,
  version: ZarrVersion,
  { chunkShape, shardShape }: Pick<CheckedOptions, "chunkShape" | "shardShape">,
  notes: string[],
): readonly number[] | null | undefined {
  const kept = (list: readonly number[]) => view.kept.map((axis) => list[axis]!);
  const chunks = chunkShape ?? kept(spec.chunkShape);
  const before = spec.shardShape && kept(spec.shardShape);
  const none = spec.isSharded ? null : undefined;
  if (shardShape === null) return none;
  if (shardShape !== undefined && version < 3)
    throw badOption(`\`shardShape\`: Zarr v${version} does not support shards`);
  if (shardShape === "auto") {
    const shards = autoShards(view.shape, chunks, spec.dtype.itemBytes);
    return shards.every((length, axis) => length === chunks[axis]) ? none : shards;
  }
  if (shardShape?.length === view.kept.length) {
    checkDivides(chunks, shardShape, "choose multiples, or pass `chunkShape`");
    return shardShape;
  }
  if (!before) return undefined;
  if (version < 3) {
    notes.push(`shards of [${before}] become chunks of [${chunks}]: Zarr v${version} has none`);
    return null;
  }
  if (chunkShape) checkDivides(chunks, before, "pass `shardShape`");
  return chunkShape || view.kept.length < spec.shape.length ? before : undefined;
}

/** @throws InvalidArgument ("bad-option") if chunks do not divide shards. */
function checkDivides(chunks: readonly number[], shards: readonly number[], remedy: string): void {
  if (shards.some((length, axis) => length % chunks[axis]! !== 0))
    throw badOption(`chunks of [${chunks}] do not divide shards of [${shards}]; ${remedy}`);
}

/** Returns shards of whole chunks: doubles the axis with most chunks left until shards reach the size limit. */
export function autoShards(
  shape: readonly number[],
  chunks: readonly number[],
  itemBytes: number,
  maxBytes = autoBytes,
): readonly number[] {
  const shard = [...chunks];
  const left = (axis: number) => shape[axis]! / shard[axis]!;
  for (;;) {
    const bytes = shard.reduce((a, b) => a * b, itemBytes || 64);
    const axis = shard.map((_, i) => i).reduce((best, i) => (left(i) >= left(best) ? i : best), 0);
    if (shard.length === 0 || left(axis) <= 1 || 2 * bytes > maxBytes) return shard;
    shard[axis]! *= 2;
  }
}

/** Codecs for fewer axes: transposes permute the remaining ones. */
function reducedCodecs({ spec, zarrFormat }: ArrayMetadata, view: View, version: ZarrVersion): CodecInput[] {
  const codecs = leafCodecs(spec.codecs).flatMap((codec) => {
    if (codec.name !== "transpose") return [codec];
    const order = codec.configuration?.["order"];
    const axes = Array.isArray(order) ? order.map(Number) : spec.shape.map((_, i, all) => all.length - 1 - i);
    const left = axes.filter((axis) => view.kept.includes(axis)).map((axis) => view.kept.indexOf(axis));
    return left.every((axis, i) => axis === i) ? [] : [{ name: "transpose", configuration: { order: left } }];
  });
  const shape = view.kept.map((axis) => spec.chunkShape[axis]!);
  return printCodecs(codecs, { dtype: spec.dtype, shape }, zarrFormat, version, true);
}

const knownFields: Readonly<Record<ZarrVersion, ReadonlySet<string>>> = {
  1: new Set("zarr_format shape chunks dtype compression compression_opts fill_value order".split(" ")),
  2: new Set(
    "zarr_format shape chunks dtype compressor fill_value order filters dimension_separator".split(" "),
  ),
  3: new Set(
    "zarr_format node_type shape data_type chunk_grid chunk_key_encoding fill_value codecs attributes dimension_names storage_transformers".split(
      " ",
    ),
  ),
};

/** Fields of an array document that the specification does not define. */
function unknownFields({ documents, zarrFormat }: ArrayMetadata) {
  const { object } = mainDocument(documents);
  return jsonEntries(object).filter(([name]) => !knownFields[zarrFormat].has(name));
}

const attributeName = "_FillValue";
/** The older attribute for the same purpose, which xarray reads for strings as well. */
const olderName = "missing_value";

/** Changes with which xarray masks the same elements in the copy. */
export interface MaskChanges {
  /** The copy's fill value, null for none. Default: the source's. */
  readonly fillValue?: CreateLikeOptions["fillValue"];
  /** Attributes to set; undefined removes one. */
  readonly attributes?: readonly (readonly [name: string, value: Json | undefined])[];
  readonly notes: readonly string[];
}

/**
 * Returns the changes for an array of an xarray dataset: one all of whose dimensions are named, outside OME-Zarr images,
 * whose readers mask nothing.
 * @param fillValue the option `fill`, which wins; undefined without that option.
 */
export function maskChanges(
  { zarrFormat, spec }: ArrayMetadata,
  version: ZarrVersion,
  isInImage: boolean,
  fillValue: MaskChanges["fillValue"],
): MaskChanges {
  const isFromV2 = zarrFormat === 2 && version === 3 && spec.dimensionNames !== undefined;
  const isFromV3 = zarrFormat === 3 && version === 2 && isNamed(spec) && !isInImage;
  if (isFromV2) return { fillValue, ...maskToV3(spec) };
  return isFromV3 ? maskToV2(spec, fillValue) : { fillValue, notes: [] };
}

const isNamed = ({ dimensionNames, shape }: ArraySpec): boolean =>
  shape.length === 0 || (dimensionNames?.every((name) => name !== null) ?? false);

function maskToV3({ dtype, fill, attributes }: ArraySpec): MaskChanges {
  const given = ownProperty(attributes, attributeName);
  const masked = fill.value === null ? given !== undefined && parseFill(dtype, given) : fill;
  if (masked === false) return { notes: [] };
  const attribute = masked && printAttribute(dtype, masked);
  const changes = [[attributeName, attribute]] as const;
  if (attribute !== undefined || (masked && isMissingValue(dtype, masked)))
    return { attributes: changes, notes: [] };
  const isText = typeof masked?.value === "string" && ownProperty(attributes, olderName) === undefined;
  if (isText) return { attributes: [...changes, [olderName, masked.value as string]], notes: [] };
  const value = masked ? fillText(dtype, masked) : "the attribute's value";
  const note = `xarray masks ${value} in Zarr v2 but not in v3, whose attribute "${attributeName}" it cannot read for data type ${dtype}`;
  return { attributes: changes, notes: [note] };
}

function maskToV2({ dtype, fill, attributes }: ArraySpec, asked: MaskChanges["fillValue"]): MaskChanges {
  const given = ownProperty(attributes, attributeName);
  const masked = given === undefined ? undefined : parseFill(dtype, decodeAttribute(dtype, given));
  if (masked) return maskAsFill(dtype, masked, fill, asked);
  if (asked !== undefined || (given === undefined && isMissingValue(dtype, fill)))
    return { fillValue: asked, notes: [] };
  const note =
    "the fill value becomes null and missing chunks are stored, because xarray masks fill values in Zarr v2; pass `fill` to set one";
  return { fillValue: null, notes: [note] };
}

/** Makes the masked value the fill value of Zarr v2, unless the option `fill` names another one. */
function maskAsFill(
  dtype: DType,
  masked: FillValue,
  fill: FillValue,
  asked: MaskChanges["fillValue"],
): MaskChanges {
  const wanted = asked === undefined ? fill : parseFill(dtype, asked);
  const isSame = wanted && fillText(dtype, wanted) === fillText(dtype, masked);
  const value = fillText(dtype, masked);
  const note =
    asked === undefined
      ? `the fill value ${fillText(dtype, fill)} becomes ${value}, which xarray masks, and missing chunks are stored`
      : `xarray masks the fill value instead of ${value}, because Zarr v2 has one value for both`;
  const notes = isSame ? [] : [note];
  return {
    fillValue: asked === undefined ? masked.value : asked,
    attributes: [[attributeName, undefined]],
    notes,
  };
}

/** Parses a plain value as an element; undefined if the data type has no such element. */
function parseFill(dtype: DType, value: unknown): FillValue | undefined {
  try {
    const scalar = parseScalar(dtype, value);
    return scalar.value === null ? undefined : scalar;
  } catch {
    return undefined;
  }
}

/** Decodes an attribute of Zarr v3. Floats may be plain numbers, which xarray refuses. */
function decodeAttribute({ core, name }: DType, given: unknown): unknown {
  if (/^float(16|32|64)$/.test(core)) return floatIn(given);
  if (core.startsWith("complex") && Array.isArray(given)) return given.map(floatIn);
  return name === "bytes" && typeof given === "string" ? decodeBase64(given) : given;
}

function floatIn(given: unknown): unknown {
  const bytes = typeof given === "string" ? decodeBase64(given, 8) : undefined;
  return bytes?.byteLength === 8 ? new DataView(bytes.buffer).getFloat64(0, true) : given;
}

/** Encodes an attribute of Zarr v3; undefined for data types with which xarray fails to open the dataset. */
function printAttribute(dtype: DType, { item }: FillValue): Json | undefined {
  if (dtype.isVariable || dtype.fields) return undefined;
  const scalar = readScalar(dtype, item, 0);
  if (/^(bool|u?int(8|16|32|64))$/.test(dtype.core)) return toJson(scalar, attributeName);
  if (/^float(16|32|64)$/.test(dtype.core)) return floatText(scalar as number);
  return /^complex(64|128)$/.test(dtype.core) ? (scalar as number[]).map(floatText) : undefined;
}

function floatText(value: number): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return encodeBase64(bytes);
}

/** Whether masking a value has no effect: NaN and NaT are missing values already. */
function isMissingValue(dtype: DType, { item }: FillValue): boolean {
  if (/^(datetime|timedelta)64$/.test(dtype.core)) return readScalar(dtype, item, 0) === -(2n ** 63n);
  if (!/^(float|complex)/.test(dtype.core)) return false;
  return [readScalar(dtype, item, 0)].flat().some(Number.isNaN);
}

const fillText = (dtype: DType, fill: FillValue): string => showJson(printFill(dtype, fill, 3, "little"));

/** Returns an array's metadata with changed attributes. */
export async function withMaskAttributes(
  metadata: ArrayMetadata,
  { attributes: changes = [] }: MaskChanges,
  options: { readonly limits: ZarrArray["limits"] },
): Promise<ArrayMetadata> {
  const { zarrFormat, documents } = metadata;
  const key = attributesKey[zarrFormat];
  const document = documents.get(key);
  if (!document || changes.length === 0) return metadata;
  const attributes = withEntries(attributesIn(document, zarrFormat), changes);
  const changed = zarrFormat === 3 ? withEntries(document, [["attributes", attributes]]) : attributes;
  return (await readMetadata(new Map(documents).set(key, changed), options)) as ArrayMetadata;
}
