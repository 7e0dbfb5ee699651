/**
 * Prints codecs for the documents of each Zarr version: converts names and options between versions, and
 * fills in defaults. All codecs must have been loaded (lookup.ts).
 */

import { DType } from "../dtypes/dtype.js";
import { descrJson } from "../dtypes/numpy.js";
import type { Endian } from "../dtypes/typestr.js";
import type { CoreCodec } from "../engine/codec-table.js";
import { unsupported } from "../util/errors.js";
import type { FoundCodec } from "./codec-list.js";
import { compressors, shuffles } from "./compressors.js";
import {
  type CodecArray,
  type CodecContext,
  type CodecDefinition,
  type CodecMetadata,
  ConfigReader,
  type Configuration,
  type ZarrVersion,
} from "./definition.js";
import { findCodec, unknownError } from "./lookup.js";
import { calculableType, parseNumpyName } from "./numpy.js";
import type { ShardingDefinition } from "./sharding.js";

/**
 * Zarr v3 codecs registered under their own names; the others belong to numcodecs, under the names that
 * zarr-python and zarrs support.
 */
const registered = new Set([
  ...["bytes", "transpose", "gzip", "blosc", "crc32c", "zstd", "sharding_indexed", "packbits", "reshape"],
  ...["scale_offset", "cast_value", "vlen-utf8", "vlen-bytes", "n5_default", "zfp", "conditional"],
]);

/**
 * Converts a chain, given in encoding order, from the names and options of one version to those of another.
 * @param isReshaped whether the chain was made for arrays of another shape: options that contain shapes are
 *   recomputed.
 * @throws UnknownCodec; Unsupported, naming the codec, if the other version has no such codec;
 *   InvalidMetadata for an invalid configuration.
 */
export function printCodecs(
  codecs: readonly CodecMetadata[],
  array: CodecArray,
  from: ZarrVersion,
  to: ZarrVersion,
  isReshaped = false,
): CodecMetadata[] {
  const printed: CodecMetadata[] = [];
  let given = array;
  for (const kept of codecs) {
    const found = findCodec(kept.name, from);
    const metadata = found && isReshaped ? withShape(kept, found, given.shape) : kept;
    if (!found && metadata.mustUnderstand !== false) throw unknownError(metadata.name, from);
    if (!found) {
      if (to === 3) printed.push(metadata);
      continue;
    }
    const { codec, encoded } = printCodec(metadata, found, { version: from, array: given }, to);
    printed.push(codec);
    given = encoded ?? given;
  }
  return printed;
}

function withShape(codec: CodecMetadata, found: FoundCodec, shape: readonly number[]): CodecMetadata {
  const { configuration } = codec;
  if (found.type !== "core" || !found.definition.withShape || !configuration) return codec;
  return { ...codec, configuration: found.definition.withShape(configuration, shape) };
}

/** Options of filters that name data types, with their byte orders. */
const typeOptions = ["dtype", "astype", "encode_dtype", "decode_dtype"] as const;

/**
 * Returns a filter with its data types in one byte order. numcodecs reinterprets the input of a filter as the
 * named type. The input has the stored byte order in Zarr v2 and the native one in v3, where the codec
 * `bytes` names the stored one.
 */
export function inByteOrder(codec: CodecMetadata, endian: Endian): CodecMetadata {
  const changed: [option: string, type: unknown][] = [];
  for (const option of typeOptions) {
    const given = new ConfigReader(codec.name, codec.configuration ?? {}).get(option);
    if (typeof given !== "string") continue;
    const { dtype, endian: said } = parseNumpyName(given);
    if (said !== undefined && said !== endian) changed.push([option, descrJson(dtype, endian, 2)]);
  }
  if (changed.length === 0) return codec;
  return { ...codec, configuration: { ...codec.configuration, ...Object.fromEntries(changed) } };
}

interface Printed {
  readonly codec: CodecMetadata;
  /** The output array, if it differs from the input. */
  readonly encoded?: CodecArray | undefined;
}

function printCodec(
  metadata: CodecMetadata,
  found: FoundCodec,
  context: CodecContext,
  to: ZarrVersion,
): Printed {
  const { name, configuration = {} } = metadata;
  const config = new ConfigReader(name, configuration, context.version);
  if (found.type === "shards") {
    const printed = printShards(found.definition, config, context, to);
    return { codec: named(nameIn(found, name, context.version, to), printed) };
  }
  if (found.type === "vlen" || found.type === "blocks") {
    found.definition.parse(config, context);
    return { codec: named(nameIn(found, name, context.version, to), configuration) };
  }
  const { definition } = found;
  const { params, encoded } = definition.parse(config, context);
  const source: Source = { definition, config, params, context, to };
  // Compressors under imagecodecs' names have their own options, the same in all versions.
  const isAlias = name.startsWith("imagecodecs_") && definition.kind === "bytes-to-bytes";
  const options = (isAlias ? undefined : printers[definition.core]?.(source)) ?? configuration;
  const chosen = numcodecsOrNot(nameIn(found, name, context.version, to), options, context.array, to);
  const codec = named(chosen, options);
  return { codec: to === 3 ? inByteOrder(codec, "little") : codec, encoded };
}

/** Codecs of numcodecs always have a configuration: zarr-python requires it. */
function named(name: string, configuration: Configuration): CodecMetadata {
  const isBare = Object.keys(configuration).length === 0 && !name.startsWith("numcodecs.");
  return isBare ? { name } : { name, configuration };
}

function nameIn({ definition }: FoundCodec, given: string, from: ZarrVersion, to: ZarrVersion): string {
  const names = (definition.names as CodecDefinition["names"])[to] ?? [];
  if (names.length === 0) {
    throw unsupported(`Zarr v${to} has no codec ${given}`, { code: "unsupported-codec", codec: given });
  }
  if (to < 3) return names[0]!;
  const isKept = from === 3 && (given === "bitround" || given.startsWith("numcodecs."));
  if (isKept) return given;
  return names.find((name) => registered.has(name)) ?? numcodecsName(names);
}

/** Returns the Zarr v3 name of codecs that differ between numcodecs and the registry. */
function numcodecsOrNot(
  name: string,
  options: Configuration,
  { dtype }: CodecArray,
  to: ZarrVersion,
): string {
  if (to === 3 && name === "crc32c" && Object.hasOwn(options, "location")) return "numcodecs.crc32c";
  // numcodecs rounds floats only: it decodes integers as floats with the same bits.
  const isIntegers = name === "numcodecs.bitround" && !/float|complex/.test(dtype.core);
  return isIntegers ? "bitround" : name;
}

const numcodecsName = (names: readonly string[]): string =>
  names.find((name) => name.startsWith("numcodecs.")) ?? names[0]!;

/** Input of an option printer. */
interface Source {
  readonly definition: CodecDefinition;
  readonly config: ConfigReader;
  /** Parameters of the core. */
  readonly params: readonly number[];
  readonly context: CodecContext;
  readonly to: ZarrVersion;
}

/** Returns the options of one codec, for the version `to`. */
type Printer = (source: Source) => Configuration;

/** Prints a single number, the codec's only parameter. */
const number =
  (name: string): Printer =>
  ({ params }) => ({ [name]: params[0]! });

const printers: Readonly<Partial<Record<CoreCodec, Printer>>> = {
  bytes: printEndian,
  transpose: ({ params }) => ({ order: params }),
  // −1 is zlib's own default, for which v1 has no number.
  zlib: ({ params, to }) => ({ level: params[0] === -1 && to === 1 ? 6 : params[0]! }),
  gzip: number("level"),
  bz2: number("level"),
  lz4: number("acceleration"),
  shuffle: number("elementsize"),
  // Older versions of numcodecs have no checksum option.
  zstd: ({ params: [level, checksum], to }) =>
    to === 3 || checksum === 1 ? { level: level!, checksum: checksum === 1 } : { level: level! },
  blosc: printBlosc,
  lzma: printLzma,
  crc32c: printLocation,
  crc32: printLocation,
  adler32: printLocation,
  delta: withDtype("dtype"),
  fixedscaleoffset: withDtype("dtype"),
  quantize: withDtype("dtype"),
  astype: withDtype("decode_dtype", "any"),
  horizontal_delta: printPredictor,
  floatpred: printPredictor,
};

function printEndian({ config, to }: Source): Configuration {
  const endian = config.get("endian");
  if (to === 3 && Array.isArray(endian)) {
    throw unsupported("Zarr v3 requires the same byte order for all fields of a structured type", {
      code: "not-in-version",
      codec: "bytes",
    });
  }
  return endian === undefined || endian === null ? {} : { endian };
}

/**
 * Prints Blosc's options: v3 names the shuffle and the element size; numcodecs numbers the shuffle and infers
 * the size.
 */
function printBlosc({ params, context: { array }, config, to }: Source): Configuration {
  const [compressor, clevel, shuffle, , blocksize] = params;
  const cname = compressors[compressor!]!;
  if (to === 1) return { cname, clevel, shuffle };
  if (to === 2 || config.codec === "numcodecs.blosc") return { cname, clevel, shuffle, blocksize };
  const typesize = config.get("typesize") ?? (array.dtype.itemBytes || 1);
  return { cname, clevel, shuffle: shuffles[shuffle!]!, typesize, blocksize };
}

/** Python accepts a list of filters, even an empty one, only with format RAW. */
function printLzma({ config: { values } }: Source): Configuration {
  const { filters, ...options } = values;
  const isEmpty = Array.isArray(filters) && filters.length === 0;
  return { format: 1, check: -1, preset: null, ...options, filters: isEmpty ? null : (filters ?? null) };
}

/** Prints the location of a checksum if it is not the default. */
function printLocation({ definition, params, context }: Source): Configuration {
  const [usual] = definition.parse(new ConfigReader(definition.core, {}, context.version), context).params;
  return params[0] === usual ? {} : { location: params[0] === 0 ? "start" : "end" };
}

/** numcodecs requires the data type of a filter. Default: the type that the filter calculates with. */
function withDtype(name: string, arithmetic?: "any"): Printer {
  return ({ config: { values }, context: { array } }) => {
    const dtype = arithmetic === "any" ? array.dtype : calculableType(array.dtype);
    return Object.hasOwn(values, name) ? values : { ...values, [name]: descrJson(dtype, "little", 2) };
  };
}

/**
 * Zarr v2 requires the shape and data type of chunks for TIFF's predictors; in v3 imagecodecs takes them from
 * the array.
 */
function printPredictor({ config: { values }, context: { array }, to }: Source): Configuration {
  const { shape, dtype, ...options } = values;
  const ofArray = { shape: shape ?? array.shape, dtype: dtype ?? descrJson(array.dtype, "little", 2) };
  const isOfArray = JSON.stringify(ofArray.shape) === JSON.stringify(array.shape);
  return to === 3 && isOfArray ? options : { ...ofArray, ...options };
}

function printShards(
  definition: ShardingDefinition,
  config: ConfigReader,
  context: CodecContext,
  to: ZarrVersion,
): Configuration {
  const { version, array } = context;
  const { chunkShape, counts, codecs, indexCodecs, indexLocation } = definition.parse(config, context);
  const index = { dtype: DType.simple("uint64"), shape: [...counts, 2] };
  return {
    chunk_shape: chunkShape,
    codecs: printCodecs(codecs, { dtype: array.dtype, shape: chunkShape }, version, to),
    index_codecs: printCodecs(indexCodecs, index, version, to),
    index_location: indexLocation,
  };
}
