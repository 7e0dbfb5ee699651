/** How plans say the byte order of the core's `bytes` codec: its parameters, as src/codecs/bytes.cpp reads them. */
import type { Component } from "../dtypes/dtype.js";
import type { Endian } from "../dtypes/typestr.js";

export const endianWords: Readonly<Record<Endian, number>> = { little: 1, big: 2 };
/** Elements of single bytes need none. */
export const noEndian = 0;
/** In the first place: one word for each component run follows. */
export const perComponent = 3;

/** Whether the parameters of a `bytes` codec swap anything of elements with these component runs. */
export function swapsBytes(params: readonly number[], runs: readonly Component[]): boolean {
  const endianOf = (i: number) => (params[0] === perComponent ? params[1 + i] : params[0]);
  return runs.some((run, i) => run.bytes > 1 && endianOf(i) === endianWords.big);
}
