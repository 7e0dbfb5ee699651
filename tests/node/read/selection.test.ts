import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slice } from "zarr-wasm";
import { RectilinearAxis, RegularAxis } from "#src/metadata/grid.js";
import { combinations, groupByObject, projectRange } from "#src/plan/projections.js";
import { type AxisRange, resolveSelection } from "#src/plan/selection.js";
import { chooseSlabAxis, copyToPlace } from "#src/plan/slabs.js";
import { amount } from "../support/amounts.js";
import { errorOf } from "../support/support.js";

/** Python's own semantics of a[start:stop:step], by brute force. */
function pythonSlice(
  length: number,
  start: number | null,
  stop: number | null,
  step: number | null,
): number[] {
  const wrap = (position: number) =>
    Math.min(Math.max(position < 0 ? position + length : position, 0), length);
  const indices: number[] = [];
  for (let i = wrap(start ?? 0); i < wrap(stop ?? length); i += step ?? 1) indices.push(i);
  return indices;
}

describe("selections", () => {
  it("slice as Python does", () => {
    const bound = fc.option(fc.integer({ min: -30, max: 30 }));
    fc.assert(
      fc.property(
        fc.nat(20),
        bound,
        bound,
        fc.option(fc.integer({ min: 1, max: 7 })),
        (length, start, stop, step) => {
          const [range] = resolveSelection([slice(start, stop, step)], [length]) as AxisRange[];
          const chosen = Array.from({ length: range!.count }, (_, i) => range!.start + i * range!.step);
          expect(chosen).toEqual(pythonSlice(length, start, stop, step));
        },
      ),
      { numRuns: amount(500, 2000) },
    );
  });

  it("have short forms", () => {
    expect(slice(5)).toEqual({ start: null, stop: 5, step: null });
    expect(slice(2, 5)).toEqual({ start: 2, stop: 5, step: null });
    expect(slice(null)).toEqual({ start: null, stop: null, step: null });
    expect(resolveSelection(null, [3, 4])).toEqual(resolveSelection([], [3, 4]));
    expect(resolveSelection([-1], [3, 4])).toEqual([
      { start: 2, step: 1, count: 1, dropped: true },
      { start: 0, step: 1, count: 4, dropped: false },
    ]);
  });

  it.each([
    [[3]],
    [[-4]],
    [[1.5]],
    [[Number.NaN]],
    [[0, 0, 0]],
    [[slice(0, 2, 0)]],
    [[slice(0, 2, -1)]],
    [[slice(0, 2, 1.5)]],
    [[slice(0.5, 2)]],
    [["x"]],
    [[true]],
    [[[1, 3]]],
    [[[0, 1.5]]],
    [[[true, false]]],
    [[[true, false, 1]]],
    [["...", "..."]],
    [[0, 0, "...", 0]],
    [{ y: 0 }],
    ["x"],
    [[undefined, 9]],
  ])("%j is refused", async (selection) => {
    const error = await errorOf(() => resolveSelection(selection as never, [3, 4]));
    expect(error._tag).toBe("InvalidSelection");
  });
});

/** The chunk lengths of an axis, one by one. */
const everySize = (runs: readonly (readonly [number, number])[]) =>
  runs.flatMap(([size, count]) => Array<number>(count).fill(size));

describe("grids", () => {
  const run = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 4 }));

  it("of unequal chunks match a list of all chunks", () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), fc.nat(5), (runs, overhang) => {
        const sizes = everySize(runs);
        const covered = sizes.reduce((a, b) => a + b);
        const axis = new RectilinearAxis(Math.max(0, covered - overhang), runs);
        expect(axis.count).toBe(sizes.length);
        let start = 0;
        sizes.forEach((size, chunk) => {
          expect([axis.start(chunk), axis.size(chunk)]).toEqual([start, size]);
          for (let i = 0; i < size; i++) expect(axis.find(start + i)).toBe(chunk);
          start += size;
        });
      }),
    );
  });

  it("keep counts as they are written", async () => {
    const axis = new RectilinearAxis(4e9, [
      [1, 4e9 - 7],
      [7, 2 ** 40],
    ]);
    expect([axis.find(4e9 - 1), axis.start(4e9 - 6), axis.size(4e9 - 7)]).toEqual([4e9 - 7, 4e9, 7]);
    const error = await errorOf(() => new RectilinearAxis(5, [[2 ** 27, 2 ** 27]]));
    expect(error._tag).toBe("InvalidMetadata");
    expect((await errorOf(() => new RectilinearAxis(5, [[2, 2]])))._tag).toBe("InvalidMetadata");
  });
});

describe("projections", () => {
  it("cover a range exactly, chunk by chunk", () => {
    const run = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 5 }));
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(30),
        fc.oneof(fc.integer({ min: 1, max: 50 }), fc.array(run, { minLength: 1, maxLength: 5 })),
        (start, step, count, chunks) => {
          const length = start + step * count;
          const axis =
            typeof chunks === "number"
              ? new RegularAxis(length, chunks)
              : new RectilinearAxis(length, [...chunks, [2, length]]);
          const projections = projectRange({ start, step, count, dropped: false }, axis);
          const covered = projections.flatMap((projection) =>
            Array.from({ length: projection.count }, (_, i) => [
              projection.out + i,
              axis.start(projection.chunk) + projection.start + i * projection.step,
            ]),
          );
          expect(covered).toEqual(Array.from({ length: count }, (_, i) => [i, start + i * step]));
          for (const projection of projections)
            expect(projection.start + (projection.count - 1) * projection.step).toBeLessThan(
              axis.size(projection.chunk),
            );
          expect(new Set(projections.map((projection) => projection.chunk)).size).toBe(projections.length);
        },
      ),
      { numRuns: amount(500, 2000) },
    );
  });

  it("gather by the objects that hold them", () => {
    const [inner, outer] = [new RegularAxis(100, 5), new RegularAxis(100, 20)];
    const projections = projectRange({ start: 3, step: 12, count: 8, dropped: false }, inner);
    const parts = groupByObject(projections, inner, outer);
    expect(parts.flatMap((part) => part.projections)).toEqual(projections);
    expect(parts.map(({ object, out, count }) => [object, out, count])).toEqual([
      [0, 0, 2],
      [1, 2, 2],
      [2, 4, 1],
      [3, 5, 2],
      [4, 7, 1],
    ]);
  });

  it("gather into slabs of long runs, within bounds", () => {
    const cut = (shape: number[], chunk: number) =>
      shape.map((count) =>
        projectRange({ start: 0, step: 1, count, dropped: false }, new RegularAxis(count, chunk)).map(
          (projection) => projection.count,
        ),
      );
    const axis = (shape: number[], chunk: number, itemBytes: number) =>
      chooseSlabAxis(shape, cut(shape, chunk), itemBytes);
    expect(axis([256, 256, 256], 64, 2)).toBe(2); // 128-byte rows: 64 whole rows of 512 bytes make a run
    expect(axis([1024, 1024], 1024, 4)).toBe(2); // rows of a chunk are long enough
    expect(axis([100_000, 100_000], 10, 8)).toBe(1); // a slab of ten whole rows is 8 MB
    expect(axis([4, 3_000_000], 10, 8)).toBe(2); // four whole rows would be too large
    expect(axis([10], 3, 1)).toBe(0);
    expect(axis([], 1, 8)).toBe(0);
  });

  it("combine in C order", () => {
    expect([...combinations([[1, 2], [3], [4, 5]])]).toEqual([
      [1, 3, 4],
      [1, 3, 5],
      [2, 3, 4],
      [2, 3, 5],
    ]);
    expect([...combinations([])]).toEqual([[]]);
    expect([...combinations([[1], []])]).toEqual([]);
  });
});

describe("copying a box to its place in the result", () => {
  it("moves each element to its index", () => {
    const axis = fc
      .record({ whole: fc.integer({ min: 1, max: 6 }), origin: fc.nat(5), length: fc.nat(6) })
      .filter(({ whole, origin, length }) => origin + length <= whole);
    fc.assert(
      fc.property(fc.array(axis, { maxLength: 4 }), fc.integer({ min: 1, max: 3 }), (axes, itemBytes) => {
        const [origin, shape, whole] = (["origin", "length", "whole"] as const).map((name) =>
          axes.map((one) => one[name]),
        ) as [number[], number[], number[]];
        const count = shape.reduce((product, length) => product * length, 1);
        const box = Uint8Array.from({ length: count * itemBytes }, (_, i) => i + 1);
        const result = new Uint8Array(whole.reduce((product, length) => product * length, itemBytes));
        const expected = result.slice();
        for (let element = 0; element < count; element++) {
          let [rest, at, stride] = [element, 0, 1];
          for (let i = axes.length - 1; i >= 0; i--) {
            at += (origin[i]! + (rest % shape[i]!)) * stride;
            rest = Math.floor(rest / shape[i]!);
            stride *= whole[i]!;
          }
          expected.set(box.subarray(element * itemBytes, (element + 1) * itemBytes), at * itemBytes);
        }
        copyToPlace(box, { origin, shape, whole, itemBytes }, result);
        expect(result).toEqual(expected);
      }),
      { numRuns: amount(125, 500) },
    );
  });
});
