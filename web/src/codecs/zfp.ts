/**
 * zfp: compressed floats and integers of 1 to 4 dimensions. "zfp" of the Zarr extensions has no header and
 * names its mode; "zfpy" of numcodecs has zfp's header, which determines decoding.
 */
import { type CodecArray, type CodecDefinition, type ConfigReader, formatValue } from "./definition.js";

/** zfp's parameters, which express all modes. */
interface Mode {
  minBits: number;
  maxBits: number;
  maxPrecision: number;
  minExponent: number;
}

/** Exponent of the smallest double; lower ones select the reversible mode. */
const lowestExponent = -1074;
const maxPrecision = 64;
/** More bits than a block can take: no limit. */
const noLimit = 16658;
/** Maximum configurable size of a block in bits. */
const maxBlockBits = 32768;
const highestExponent = 16272;

const free: Mode = { minBits: 1, maxBits: noLimit, maxPrecision, minExponent: lowestExponent };
const reversible: Mode = { ...free, minExponent: lowestExponent - 1 };

/** Data types in the library's numbering, and types stored as one of them ("zfp" only). */
const headerTypes = ["int32", "int64", "float32", "float64"];
const plainTypes = [...headerTypes, "int8", "uint8", "int16", "uint16", "uint32", "uint64"];

function readNumber(config: ConfigReader, name: string, fallback?: number): number {
  const value = config.given(name, fallback);
  if (typeof value !== "number" || !Number.isFinite(value))
    throw config.error(`"${name}" must be a number, not ${formatValue(value)}`);
  return value;
}

/** Fixed accuracy: keeps bit planes down to the largest power of two that does not exceed the tolerance. */
function accuracy(tolerance: number): Mode {
  if (tolerance === 0) return free;
  let minExponent = Math.floor(Math.log2(tolerance)); // may be off by one due to rounding
  while (2 ** minExponent > tolerance) minExponent--;
  while (2 ** (minExponent + 1) <= tolerance) minExponent++;
  return { ...free, minExponent };
}

/** Fixed rate, in bits per value; a block takes at least the bits of its exponent. */
function fixedRate(rate: number, { dtype, shape }: CodecArray): Mode {
  const values = 4 ** Math.max(1, shape.length);
  const exponentBits = dtype.core === "float32" ? 9 : dtype.core === "float64" ? 12 : 1;
  const bits = Math.max(Math.floor(values * rate + 0.5), exponentBits);
  return { ...free, minBits: bits, maxBits: bits };
}

function precision(bits: number): Mode {
  return { ...free, maxPrecision: bits === 0 ? maxPrecision : Math.min(bits, maxPrecision) };
}

function checkArray(config: ConfigReader, { dtype, shape }: CodecArray, types: readonly string[]): void {
  if (!types.includes(dtype.core))
    throw config.error(`does not support data type ${dtype}, only ${types.join(", ")}`);
  if (shape.length > 4) throw config.error(`supports at most 4 dimensions, not ${shape.length}`);
}

function params(config: ConfigReader, header: boolean, mode: Mode): number[] {
  if (mode.maxBits > maxBlockBits) throw config.error(`a block cannot take more than ${maxBlockBits} bits`);
  return [header ? 1 : 0, mode.minBits, mode.maxBits, mode.maxPrecision, mode.minExponent];
}

const modes = ["reversible", "expert", "fixed_accuracy", "fixed_rate", "fixed_precision"];
const options: readonly string[][] = [
  [],
  ["minbits", "maxbits", "maxprec", "minexp"],
  ["tolerance"],
  ["rate"],
  ["precision"],
];
const maxUint32 = 2 ** 32 - 1;

function readExpert(config: ConfigReader): Mode {
  const minBits = Math.max(1, config.integer("minbits", 0, maxBlockBits));
  const maxBits = Math.min(config.integer("maxbits", minBits, maxUint32), maxBlockBits);
  const minExponent = config.integer("minexp", -(2 ** 31), 2 ** 31 - 1);
  return {
    minBits,
    maxBits,
    maxPrecision: config.integer("maxprec", 1, maxPrecision),
    minExponent: Math.min(Math.max(minExponent, lowestExponent - 1), highestExponent),
  };
}

/** Parses a non-negative number. */
function readAmount(config: ConfigReader, name: string): number {
  const value = readNumber(config, name);
  if (value < 0) throw config.error(`"${name}" must not be negative, got ${value}`);
  return value;
}

function readMode(config: ConfigReader, array: CodecArray): Mode {
  const mode = config.choice("mode", modes);
  config.only("mode", ...options[mode]!);
  switch (modes[mode]) {
    case "expert":
      return readExpert(config);
    case "fixed_accuracy":
      return accuracy(readAmount(config, "tolerance"));
    case "fixed_rate":
      return fixedRate(readAmount(config, "rate"), array);
    case "fixed_precision":
      return precision(config.integer("precision", 0, maxUint32));
    default:
      return reversible;
  }
}

export const zfp: CodecDefinition = {
  core: "zfp",
  kind: "array-to-bytes",
  names: { 3: ["zfp"] },
  parse(config, { array }) {
    checkArray(config, array, plainTypes);
    return { params: params(config, false, readMode(config, array)) };
  },
};

/**
 * Numbers of zfpy's modes. Parameters that do not apply are -1 in zfpy; if the mode's own is -1, the mode is
 * reversible.
 */
const zfpyModes = { fixedRate: 2, fixedPrecision: 3, fixedAccuracy: 4, reversible: 5 };

function readZfpyMode(config: ConfigReader, array: CodecArray): Mode {
  const { fixedRate: rateMode, fixedPrecision, fixedAccuracy, reversible: exact } = zfpyModes;
  const mode = config.integer("mode", rateMode, exact, fixedAccuracy);
  const tolerance = readNumber(config, "tolerance", -1);
  const rate = readNumber(config, "rate", -1);
  const bits = config.integer("precision", -1, maxUint32, -1);
  if (mode === fixedAccuracy && tolerance >= 0) return accuracy(tolerance);
  if (mode === rateMode && rate >= 0) return fixedRate(rate, array);
  if (mode === fixedPrecision && bits >= 0) return precision(bits);
  return reversible;
}

export const zfpy: CodecDefinition = {
  core: "zfp",
  kind: "array-to-bytes",
  names: { 2: ["zfpy"], 3: ["numcodecs.zfpy"] },
  parse(config, { array }) {
    config.only("mode", "tolerance", "rate", "precision", "compression_kwargs");
    checkArray(config, array, headerTypes);
    if (array.shape.length === 0) throw config.error("does not support arrays without dimensions");
    return { params: params(config, true, readZfpyMode(config, array)) };
  },
};
