/** The codecs of H5Z-ZFP (filter 32013), whose parameters are the header of a zfp stream. */

import type { CodecMetadata } from "../../codecs/definition.js";
import { unsupported } from "../../util/errors.js";

const magic = 0x0570667a; // "zfp" 05
const types = ["int32", "int64", "float32", "float64"];
/** Bits of a length in the header, by the number of dimensions. */
const lengthBits = [48, 24, 16, 12];

const longMode = 0xfff;
/** Short modes: fixed rate, fixed precision, reversible, fixed accuracy. */
const firstPrecision = 2048;
const reversible = firstPrecision + 128;
const lowestExponent = -1074;
const noLimit = 16658;
const longBias = 16495;

/** Reads bits of little-endian words, lowest first. */
class BitReader {
  #bits: bigint;

  constructor(words: readonly number[]) {
    this.#bits = words.reduceRight((bits, word) => (bits << 32n) | BigInt(word), 0n);
  }

  next(count: number): number {
    const value = this.#bits & ((1n << BigInt(count)) - 1n);
    this.#bits >>= BigInt(count);
    return Number(value);
  }
}

/** zfp's four parameters, with a name of its own for each mode. */
function readMode(bits: BitReader) {
  const free = { minbits: 1, maxbits: noLimit, maxprec: 64, minexp: lowestExponent };
  const mode = bits.next(12);
  if (mode === longMode) {
    const [minbits, maxbits, maxprec] = [bits.next(15) + 1, bits.next(15) + 1, bits.next(7) + 1];
    return { minbits, maxbits, maxprec, minexp: bits.next(15) - longBias };
  }
  if (mode < firstPrecision) return { ...free, minbits: mode + 1, maxbits: mode + 1 };
  if (mode < reversible) return { ...free, maxprec: mode + 1 - firstPrecision };
  return { ...free, minexp: mode - (reversible + 1) + lowestExponent };
}

/**
 * Returns the codecs of a chunk: `zfp`, after a `reshape` if the chunk has dimensions of length 1, which the filter
 * drops.
 * @param values the parameters of the filter, as stored.
 * @throws Unsupported for parameters of other versions of zfp, and for those that do not fit the chunk.
 */
export function zfpCodecs(
  values: readonly number[],
  shape: readonly number[],
  dataType: string,
): CodecMetadata[] {
  const refuse = (what: string) => unsupported(`filter zfp: ${what}`, { code: "unsupported-file" });
  const [, version, ...words] = values;
  if (version !== magic || words.length < 2)
    throw refuse("only headers of zfp's codec version 5, by a little-endian computer, are supported");
  const bits = new BitReader(words);
  const type = types[bits.next(2)]!;
  const rank = bits.next(2) + 1;
  const lengths = Array.from({ length: rank }, () => bits.next(lengthBits[rank - 1]!) + 1).reverse();
  bits.next(48 - rank * lengthBits[rank - 1]!);
  const stored = shape.filter((length) => length > 1);
  const expected = stored.length > 0 ? stored : [1];
  if (type !== dataType || String(lengths) !== String(expected))
    throw refuse(`its header states ${type} and the shape ${lengths.join(", ")}, unlike the dataset`);
  const zfp = { name: "zfp", configuration: { mode: "expert", ...readMode(bits) } };
  const isSame = lengths.length === shape.length;
  return isSame ? [zfp] : [{ name: "reshape", configuration: { shape: lengths } }, zfp];
}
