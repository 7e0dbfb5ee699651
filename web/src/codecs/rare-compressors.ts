/**
 * Less common codecs of bytes: bz2, lzma, snappy, pcodec, base64, and the checksums of numcodecs (crc32, adler32,
 * fletcher32, jenkins_lookup3), which are verified when a chunk is decoded.
 */

import { packWords } from "../engine/plan.js";
import { isRecord } from "../util/arguments.js";
import { checksum, withChecksum } from "./compressors.js";
import { type CodecDefinition, ConfigReader, formatValue } from "./definition.js";

export const bz2: CodecDefinition = {
  core: "bz2",
  kind: "bytes-to-bytes",
  names: { 1: ["bz2"], 2: ["bz2"], 3: ["bz2", "numcodecs.bz2"] },
  parse: (config) => ({ params: [config.integer("level", 1, 9, 9)] }),
};

export const snappy: CodecDefinition = {
  core: "snappy",
  kind: "bytes-to-bytes",
  names: { 2: ["snappy"] },
  parse: () => ({ params: [] }),
};

/** Data types with a number type in the format; complex numbers are two floats. */
const types = /^(u?int(8|16|32|64)|float(16|32|64)|complex(64|128)|datetime64|timedelta64)$/;

export const pcodec: CodecDefinition = {
  core: "pcodec",
  kind: "array-to-bytes",
  names: {
    2: ["pcodec"],
    3: ["numcodecs.pcodec", "pcodec", "https://codec.zarrs.dev/array_to_bytes/pcodec"],
  },
  parse(config, { array }) {
    if (!types.test(array.dtype.core)) throw config.error(`does not support data type ${array.dtype}`);
    return { params: [] };
  },
};

export const base64: CodecDefinition = {
  core: "base64",
  kind: "bytes-to-bytes",
  names: { 2: ["base64"], 3: ["numcodecs.base64"] },
  parse(config) {
    config.only();
    return { params: [] };
  },
};

const notGiven = 0xffffffff;
const extremePreset = 0x80000000;
const formats = { xz: 1, alone: 2, raw: 3 };
const maxFilters = 4;

const delta = 3;
const lzma1 = 0x4000000000000001n; // beyond 2^53: exact as a bigint only
const lzma1Slot = 1;
const lzma2 = 0x21;
/** x86, PowerPC, IA-64, ARM, ARM-Thumb, SPARC, ARM64. */
const firstBranchFilter = 4;
const lastBranchFilter = 10;

/** Names of an LZMA filter's options, in the order of the core's slots. */
const lzmaOptions = ["preset", "dict_size", "lc", "lp", "pb", "mode", "nice_len", "mf", "depth"] as const;
const slotsPerFilter = 1 + lzmaOptions.length;

function optional(config: ConfigReader, name: string, max = 0xfffffffe): number {
  const value = config.get(name);
  return value === undefined || value === null ? notGiven : config.integer(name, 0, max);
}

function readPreset(config: ConfigReader): number {
  const value = optional(config, "preset");
  const level = value >= extremePreset ? value - extremePreset : value;
  if (value !== notGiven && level > 9)
    throw config.error(`"preset" must be from 0 to 9, not ${formatValue(value)}`);
  return value;
}

/** Parses a filter's identifier. LZMA1's does not fit a slot, and loses its lowest bits as a plain number. */
function readId(config: ConfigReader): number {
  const id = config.get("id");
  if (id === lzma1 || id === Number(lzma1)) return lzma1Slot;
  const valid =
    id === delta ||
    id === lzma2 ||
    (typeof id === "number" && id >= firstBranchFilter && id <= lastBranchFilter);
  if (!valid) throw config.error(`a filter has the unknown id ${formatValue(id)}`);
  return id as number;
}

function readFilter(codec: string, value: unknown): number[] {
  const config = new ConfigReader(codec, isRecord(value) ? value : {});
  const id = readId(config);
  if (id === lzma1Slot || id === lzma2) {
    return [id, readPreset(config), ...lzmaOptions.slice(1).map((name) => optional(config, name))];
  }
  const option =
    id === delta ? config.integer("dist", 1, 256, 1) : config.integer("start_offset", 0, 0xfffffffe, 0);
  return [id, option, ...new Array<number>(slotsPerFilter - 2).fill(notGiven)];
}

export const lzma: CodecDefinition = {
  core: "lzma",
  kind: "bytes-to-bytes",
  names: { 1: ["lzma"], 2: ["lzma"], 3: ["lzma", "numcodecs.lzma"] },
  checkedByCore: "its format, check and filters must fit together",
  parse(config) {
    const format = config.integer("format", formats.xz, formats.raw, formats.xz);
    const check = config.get("check") === -1 ? notGiven : optional(config, "check", 15);
    const filters = config.get("filters") ?? [];
    if (!Array.isArray(filters) || filters.length > maxFilters) {
      throw config.error(
        `"filters" must be a list of at most ${maxFilters} filters, not ${formatValue(filters)}`,
      );
    }
    if (format === formats.raw && filters.length === 0) throw config.error('format 3 (raw) needs "filters"');
    const slots = filters.flatMap((filter) => readFilter(config.codec, filter));
    return { params: [format, check, readPreset(config), ...slots] };
  },
};

/** Returns the names of a checksum of numcodecs. */
const extended = (id: string) => ({ 2: [id], 3: [`numcodecs.${id}`] });

export const crc32 = checksum("crc32", extended("crc32"), "start");
export const adler32 = checksum("adler32", extended("adler32"), "start");

export const fletcher32: CodecDefinition = {
  core: "fletcher32",
  kind: "bytes-to-bytes",
  names: extended("fletcher32"),
  encodedBytes: withChecksum,
  parse(config) {
    config.only();
    return { params: [1] }; // at the end
  },
};

/** Maximum length of a prefix in bytes. */
const maxPrefix = 4096;

export const jenkinsLookup3: CodecDefinition = {
  core: "jenkins_lookup3",
  kind: "bytes-to-bytes",
  names: extended("jenkins_lookup3"),
  encodedBytes: withChecksum,
  parse(config) {
    config.only("initval", "prefix");
    const prefix = readPrefix(config);
    return { params: [config.integer("initval", 0, 2 ** 32 - 1, 0), prefix.length, ...packWords(prefix)] };
  },
};

/** Parses `prefix` as a list of bytes or a base64 string: numcodecs uses bytes, which JSON cannot represent. */
function readPrefix(config: ConfigReader): readonly number[] {
  const value = config.given("prefix", []);
  const bytes = typeof value === "string" ? fromBase64(value) : value;
  const isByte = (item: unknown) =>
    Number.isInteger(item) && (item as number) >= 0 && (item as number) <= 255;
  if (!Array.isArray(bytes) || bytes.length > maxPrefix || !bytes.every(isByte)) {
    const wanted = `at most ${maxPrefix} bytes, as a list of integers or as base64 text`;
    throw config.error(`"prefix" must be ${wanted}, not ${formatValue(value)}`);
  }
  return bytes;
}

function fromBase64(text: string): number[] | undefined {
  try {
    return Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
