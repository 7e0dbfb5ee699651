/** Folded dimensions: blocks of the folded array have the elements of the stored one. */

import { describe, expect, test } from "vitest";
import { create, type get, MapStore, set, slice } from "zarr-wasm";
import { foldAlong, foldedArray } from "../../../web/viewer/source/fold.js";
import { folds, storedIndex, storedParts } from "../../../web/viewer/source/folds.js";

async function cellArray(shape: number[], chunkShape: number[]) {
  const array = await create(new MapStore(), { shape, chunkShape, dtype: "int32" });
  const count = shape.reduce((a, b) => a * b);
  await set(
    array,
    null,
    Int32Array.from({ length: count }, (_, i) => i),
  );
  return array;
}

describe.each([
  ["last", [3, 1000], [1, 240], 1],
  ["first", [1000, 3], [240, 2], 0],
  ["prime chunks of", [2, 500], [2, 101], 1],
  ["single chunk of", [700], [700], 0],
] as const)("the %s dimension", (_, shape, chunkShape, axis) => {
  test("is read in rows and in chunks", async () => {
    const array = await cellArray([...shape], [...chunkShape]);
    const fold = foldAlong(axis, shape[axis]!, chunkShape[axis]!, 4);
    const folded = foldedArray(array, fold);
    const { columns } = fold;
    expect(folded.shape.length).toBe(shape.length + 1);
    const stride = shape.map((__, i) => shape.slice(i + 1).reduce((a, b) => a * b, 1));
    const valueAt = (index: readonly number[]) =>
      storedIndex({ array: folded }, index).reduce((sum, at, i) => sum + at * stride[i]!, 0);
    const check = (region: Awaited<ReturnType<typeof get>>, start: readonly number[]) => {
      const at = start.map(() => 0);
      for (;;) {
        const index = at.map((own, i) => own + start[i]!);
        const cell = index[axis]! * columns + index[axis + 1]!;
        const isIn = index.every((own, i) => own < folded.shape[i]!) && cell < shape[axis]!;
        const place = at.reduce((sum, own, i) => sum + own * region.stride[i]!, 0);
        if (isIn) expect(region.data[place]).toBe(valueAt(index));
        let i = at.length - 1;
        while (i >= 0 && ++at[i]! === region.shape[i]) at[i--] = 0;
        if (i < 0) return;
      }
    };
    const whole = folded.shape.map((length) => slice(0, length));
    check(
      await folds.get(folded)!.get(folded, whole),
      whole.map(() => 0),
    );
    const rows = folded.shape[axis]!;
    const part = whole.map((one, i) => (i === axis ? slice(rows >> 1, rows) : one));
    check(
      await folds.get(folded)!.get(folded, part),
      part.map(({ start }) => start ?? 0),
    );
    for (const [number] of folded.gridShape.map((count, i) => [i === axis ? count - 1 : 0])) {
      const at = folded.gridShape.map((__, i) => (i === axis ? number! : 0));
      check(
        await folded.getChunk(at),
        at.map((own, i) => own * folded.chunkShape[i]!),
      );
    }
    const interval = storedParts<number | readonly [number, number]>(
      folded,
      folded.shape.map((__, i) => (i === axis ? ([1, 2] as const) : 0)),
      (from, to) => [from, to],
    );
    expect(interval[axis]).toEqual([columns, 2 * columns]);
  });
});
