/** The filter H5Z-ZFP as the codec `zfp`: its parameters hold the header of a zfp stream, its chunks the rest. */

import { badFile } from "../file/cursor.js";
import type { FilterCodec } from "./types.js";

/** The bytes "zfp" and 5 as a word, and as a machine with the other byte order writes it. */
const magic = 0x0570667a;
const swappedMagic = 0x7a667005;

const lowestExponent = -1074;
const free = { minbits: 1, maxbits: 16658, maxprec: 64, minexp: lowestExponent };

/** Returns the codecs of an array. @param values a version, and the header's words. */
export function zfpCodecs(values: readonly number[], chunk: readonly number[]): readonly FilterCodec[] {
  const [, first] = values;
  const words = first === swappedMagic ? values.map(swapped) : values;
  if (words[1] !== magic || words.length < 4) throw badFile("a ZFP filter has an invalid header");
  // The lowest bits come first.
  let bits = words.slice(2).reduce((sum, word, i) => sum | (BigInt(word) << BigInt(32 * i)), 0n);
  const take = (count: number): number => {
    const value = Number(BigInt.asUintN(count, bits));
    bits >>= BigInt(count);
    return value;
  };
  take(2); // the type
  const rank = take(2) + 1;
  const lengths = Array.from({ length: rank }, () => take(48 / rank) + 1);
  const codec = { name: "zfp", configuration: { mode: "expert", ...readMode(take) } };
  // The header omits lengths of 1.
  const shape = lengths.reverse();
  return shape.join() === chunk.join() ? [codec] : [{ name: "reshape", configuration: { shape } }, codec];
}

const swapped = (word: number): number =>
  ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;

/** Reads the mode: 12 bits, or 64 bits for the expert mode. */
function readMode(take: (bits: number) => number): Record<string, number> {
  const mode = take(12);
  if (mode < 2048) return { ...free, minbits: mode + 1, maxbits: mode + 1 };
  if (mode < 2176) return { ...free, maxprec: mode - 2047 };
  if (mode < 4095) return { ...free, minexp: mode - 2177 + lowestExponent }; // 2176: reversible
  return { minbits: take(15) + 1, maxbits: take(15) + 1, maxprec: take(7) + 1, minexp: take(15) - 16495 };
}
