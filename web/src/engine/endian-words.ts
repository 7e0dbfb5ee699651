/** Encodes the byte order of the core's `bytes` codec as plan parameters, which src/codecs/bytes.cpp reads. */
import type { Component } from "../dtypes/dtype.js";
import type { Endian } from "../dtypes/typestr.js";

export const endianWords: Readonly<Record<Endian, number>> = { little: 1, big: 2 };
/** For single-byte elements. */
export const noEndian = 0;
/** As the first parameter: one word for each component run follows. */
export const perComponent = 3;

/** Whether a `bytes` codec with these parameters swaps any bytes of elements with these component runs. */
export function swapsBytes(params: readonly number[], runs: readonly Component[]): boolean {
  const endianOf = (i: number) => (params[0] === perComponent ? params[1 + i] : params[0]);
  return runs.some((run, i) => run.bytes > 1 && endianOf(i) === endianWords.big);
}
