/** Less common compressors and byte codecs: bz2, lzma, snappy, pcodec, base64. */

import { isRecord } from "../util/arguments.js";
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
    if (!types.test(array.dtype.core))
      throw config.error(`does not support data type ${array.dtype}`, "codec-dtype");
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
