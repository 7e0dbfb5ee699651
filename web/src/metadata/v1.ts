/**
 * Parses Zarr v1: one array per store, with `meta` and `attrs` next to the chunks.
 * Spec: Zarr storage specification version 1.
 */

import type { CodecMetadata } from "../chain/chain.js";
import { endianConfiguration } from "../codecs/bytes.js";
import { codecNames, findCodec, loadCodecs, loadEveryCodec } from "../codecs/lookup.js";
import { parseFill } from "../dtypes/fill.js";
import { parseDescr } from "../dtypes/typestr.js";
import { invalidMetadata, unknownCodec } from "../util/errors.js";
import { isJsonObject, type Json, JsonNumber, showJson, toPlain } from "../util/json.js";
import {
  type Attributes,
  checkFormat,
  type DocumentOptions,
  plainAttributes,
  plainKeys,
  readDocument,
  readLengths,
  requireKeys,
  v1AttrsKey,
  v1MetaKey,
} from "./document.js";
import { type ArraySpec, completeSpec } from "./spec.js";

/** The eight required keys of `meta`. Other keys are ignored. */
const required = [
  "zarr_format",
  "shape",
  "chunks",
  "dtype",
  "compression",
  "compression_opts",
  "fill_value",
  "order",
] as const;

export interface V1Options extends DocumentOptions {
  /**
   * Layout of `order: "F"` chunks. "spec": as specified. "writer": as zarr-python 1.x actually wrote them, in
   * C order for every compressor except blosc.
   */
  readonly order: "spec" | "writer";
}

/**
 * Parses a `meta` document and an `attrs` document, if there is one, and loads the parsers of its fill value
 * and codec.
 */
export async function parseV1(
  meta: Uint8Array,
  attrs: Uint8Array | undefined,
  options: V1Options,
): Promise<ArraySpec> {
  const object = await readDocument(meta, v1MetaKey, options);
  requireKeys(object, required, v1MetaKey);
  checkFormat(object, 1, v1MetaKey);

  const shape = readLengths(object["shape"], "shape", 0);
  const chunkShape = readLengths(object["chunks"], "chunks", 1);
  const { dtype, endians } = parseDescr(object["dtype"], false, { genericTimes: true });
  const order = readOrder(object["order"]);
  const compression = await readCompression(object["compression"], object["compression_opts"]);
  const isTransposed = order === "F" && shape.length > 1 && !isWrittenInC(compression, options);
  const codecs: CodecMetadata[] = [
    ...(isTransposed
      ? [{ name: "transpose", configuration: { order: shape.map((_, axis) => shape.length - 1 - axis) } }]
      : []),
    { name: "bytes", configuration: endianConfiguration(endians) },
    ...(compression ? [compression] : []),
  ];
  return completeSpec(
    {
      zarrFormat: 1,
      shape,
      grid: { chunkShape },
      dtype,
      fill: parseFill(dtype, object["fill_value"]!, "plain", { endian: endians }),
      codecs,
      attributes: await parseAttributes(attrs, options),
      dimensionNames: undefined,
      ...plainKeys("v2", "."),
    },
    options,
  );
}

async function parseAttributes(attrs: Uint8Array | undefined, options: V1Options): Promise<Attributes> {
  if (attrs) return plainAttributes(await readDocument(attrs, v1AttrsKey, options), v1AttrsKey);
  const message = "the key attrs is missing; the specification asks for it even when there are no attributes";
  options.onWarning?.({ code: "missing-attrs", message });
  return plainAttributes(undefined, v1AttrsKey);
}

function readOrder(json: Json | undefined): "C" | "F" {
  if (json !== "C" && json !== "F")
    throw invalidMetadata(`"order" in meta must be "C" or "F", not ${showJson(json)}`);
  return json;
}

/** Whether `order: "F"` chunks are read as the C-order chunks that zarr-python 1.x wrote. */
function isWrittenInC(compression: CodecMetadata | undefined, { order, onWarning }: V1Options): boolean {
  if (compression?.name === "blosc") return false;
  if (order === "writer") return true;
  onWarning?.({
    code: "v1-order",
    message:
      'order is "F" and the compressor is not blosc: zarr-python 1.x wrote such chunks in C order. They are read in F order, ' +
      'as the specification says; v1Order: "writer" (--v1-order writer) reads them as they were written',
  });
  return false;
}

/** Parses the compressor as a codec; undefined for none. */
async function readCompression(
  name: Json | undefined,
  opts: Json | undefined,
): Promise<CodecMetadata | undefined> {
  if (name === "none" || name === null) {
    readOptions("none", [], opts);
    return undefined;
  }
  if (typeof name !== "string")
    throw invalidMetadata(`"compression" in meta must be a string, not ${showJson(name)}`);
  await loadCodecs([name], 1);
  if (findCodec(name, 1)?.definition.kind !== "bytes-to-bytes") {
    await loadEveryCodec();
    const known = ["none", ...codecNames(1, "bytes-to-bytes")].join(", ");
    throw unknownCodec(`unknown compression "${name}" for Zarr v1; expected one of ${known}`, {
      codec: name,
    });
  }
  return { name, configuration: readCompressionOpts(name, opts) };
}

/** Compressors with an object of options; the others have a level. */
const withObjects = ["blosc", "lzma"];

/**
 * Parses `compression_opts`: a level or an object of options, depending on the compressor; null for the
 * defaults. The specification also allows a string, but the only strings in use are levels in quotes.
 */
function readCompressionOpts(name: string, opts: Json | undefined): Record<string, unknown> {
  const text = opts instanceof JsonNumber ? opts.text : opts;
  const isLevel = name !== "lzma" && typeof text === "string" && /^-?\d+$/.test(text);
  const options = isLevel
    ? { level: Number(text) }
    : readOptions(name, withObjects.includes(name) ? undefined : ["level"], opts);
  if (name !== "blosc" || !Object.hasOwn(options, "level")) return options;
  // A bare level, or the option "level" of other compressors, is Blosc's clevel.
  const { level, ...rest } = options;
  return { clevel: level, ...rest };
}

/** Parses an object of options, limited to `names` if given; null means no options. */
function readOptions(
  name: string,
  names: readonly string[] | undefined,
  opts: Json | undefined,
): Record<string, unknown> {
  if (opts === null || opts === undefined) return {};
  if (isJsonObject(opts) && Object.keys(opts).every((key) => names?.includes(key) ?? true))
    return toPlain(opts) as Record<string, unknown>;
  throw invalidMetadata(`"compression_opts" in meta are not valid for ${name}: ${showJson(opts)}`, {
    codec: name,
  });
}
