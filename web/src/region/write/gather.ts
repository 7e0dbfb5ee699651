/** Values, put where they belong in a chunk. */
import { indices, stridesOf } from "../../base/strides.js";
import { copyRun, type MemoryArray } from "../../base/subarray.js";
import type { WritePart } from "./parts.js";
import type { Values } from "./values.js";

/** A chunk of one element has no axis. */
const onlyElement: WritePart = { chunk: 0, start: 0, step: 1, count: 1, out: 0 };

/** Writes the values of a part of a chunk into the chunk's content, row by row. */
export function putValues(values: Values, parts: readonly WritePart[], chunk: MemoryArray): void {
  const { content, width, strides } = values;
  const toStrides = stridesOf(chunk.shape, width);
  const last = parts.at(-1) ?? onlyElement;
  const isRun = !last.listed && last.step === 1;
  for (const index of indices(parts.slice(0, -1).map((part) => part.count))) {
    let [from, to] = [0, 0];
    index.forEach((i, axis) => {
      const part = parts[axis]!;
      from += sourceOf(part, i) * strides[axis]!;
      to += placeOf(part, i) * toStrides[axis]!;
    });
    const stride = strides.at(-1) ?? 0;
    if (isRun) {
      const start = from + last.out * stride;
      copyRun(content, start, chunk.content, to + last.start * width, last.count * width);
      continue;
    }
    for (let i = 0; i < last.count; i++)
      copyRun(
        content,
        from + sourceOf(last, i) * stride,
        chunk.content,
        to + placeOf(last, i) * width,
        width,
      );
  }
}

const sourceOf = ({ listed, out }: WritePart, i: number): number => listed?.from[i] ?? out + i;
const placeOf = ({ listed, start, step }: WritePart, i: number): number => listed?.at[i] ?? start + i * step;
