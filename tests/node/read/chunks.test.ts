// array.chunks: the same elements as get of each chunk, with bounded read-ahead, and nothing left running after the loop.
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type ArrayChunk,
  create,
  get,
  MapStore,
  open,
  type Selection,
  type Store,
  set,
  slice,
  WorkerPool,
  type ZarrArray,
  ZarrError,
} from "zarr-wasm";
import { errorOf, product } from "../support/support.js";

const numbers = (shape: readonly number[]) => Int32Array.from({ length: product(shape) }, (_, i) => i + 1);

async function collect(chunks: AsyncIterable<ArrayChunk<never>>): Promise<ArrayChunk<never>[]> {
  const all = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

/** Positions along an axis that a selection without names selects. */
function selected(selection: Selection | undefined, array: ZarrArray, axis: number): number[] {
  const all = Array.from({ length: array.shape[axis]! }, (_, i) => i);
  const entry = (selection as readonly unknown[] | null | undefined)?.[axis] ?? null;
  if (entry === null) return all;
  if (typeof entry === "number") return [all.at(entry)!];
  if (Array.isArray(entry))
    return typeof entry[0] === "boolean" ? all.filter((i) => entry[i]) : entry.map((i) => all.at(i)!);
  const { start, stop, step } = entry as ReturnType<typeof slice>;
  return all.slice(start ?? 0, stop ?? undefined).filter((_, i) => i % (step ?? 1) === 0);
}

/** What `chunks` yields, by `get` of every chunk of the grid that contains a selected element. */
async function slowTwin(array: ZarrArray, selection?: Selection) {
  const wanted = array.shape.map((_, axis) => selected(selection, array, axis));
  const { gridShape, chunkShape, shape } = array;
  const found = [];
  for (let number = 0; number < product(gridShape); number++) {
    let rest = number;
    const coordinates = gridShape.map(() => 0);
    for (let axis = gridShape.length - 1; axis >= 0; axis--) {
      coordinates[axis] = rest % gridShape[axis]!;
      rest = Math.floor(rest / gridShape[axis]!);
    }
    const start = coordinates.map((at, axis) => at * chunkShape[axis]!);
    const stop = start.map((from, axis) => Math.min(from + chunkShape[axis]!, shape[axis]!));
    if (!wanted.every((list, axis) => list.some((i) => i >= start[axis]! && i < stop[axis]!))) continue;
    const region = await get(
      array,
      start.map((from, axis) => slice(from, stop[axis]!)),
    );
    const slices = start.map((from, axis) => slice(from, stop[axis]!, 1));
    found.push({ coordinates, start, selection: slices, ...region });
  }
  return found;
}

const layouts = {
  plain: { shape: [7, 5], chunkShape: [3, 2] },
  sharded: { shape: [13, 9], shardShape: [8, 4], chunkShape: [4, 2] },
  "in three dimensions": { shape: [3, 4, 5], chunkShape: [2, 3, 2] },
  "of one chunk larger than the array": { shape: [3, 3], chunkShape: [8, 8] },
  "without dimensions": { shape: [], chunkShape: [] },
  empty: { shape: [0, 4], chunkShape: [2, 2] },
};

const selections: Record<string, Selection | undefined> = {
  everything: undefined,
  null: null,
  "an index": [-1],
  slices: [slice(1, 3), slice(2, 4)],
  "a step longer than a chunk": [slice(0, null, 5)],
  "lists, out of order and repeated": [[2, 0, 2], null],
  booleans: [null, [false, true, false, false, true]],
  nothing: [slice(2, 2)],
};

describe("the chunks that a selection touches, as get reads them", () => {
  for (const [layout, options] of Object.entries(layouts)) {
    for (const [name, selection] of Object.entries(selections)) {
      const rank = options.shape.length;
      const isInRange = !selection || (rank >= (selection as unknown[]).length && options.shape[0] !== 0);
      const flags = (selection as unknown[] | undefined)?.[1];
      if (!isInRange || (Array.isArray(flags) && flags.length !== options.shape[1])) continue;
      it(`${layout}: ${name}`, async () => {
        const array = await create(new Map(), { ...options, dtype: "int32" });
        await set(array, null, numbers(options.shape));
        const expected = await slowTwin(array, selection);
        for (const concurrency of [1, 4, 100])
          expect(await collect(array.chunks(selection, { concurrency }))).toEqual(expected);
        if (selection == null) expect(expected).toHaveLength(product(array.gridShape));
      });
    }
  }

  it("of strings, complex numbers and by dimension name", async () => {
    const words = await create(new Map(), { shape: [3, 3], chunkShape: [2, 2], dtype: "string" });
    await set(words, null, [..."abcdefghi"]);
    expect(await collect(words.chunks())).toEqual(await slowTwin(words));
    const complex = await create(new Map(), {
      shape: [3, 3],
      chunkShape: [2, 2],
      dtype: "complex64",
      dimensionNames: ["y", "x"],
    });
    await set(
      complex,
      null,
      Float32Array.from({ length: 18 }, (_, i) => i),
    );
    expect(await collect(complex.chunks())).toEqual(await slowTwin(complex));
    expect(await collect(complex.chunks({ x: 2 }))).toEqual(await slowTwin(complex, [null, 2]));
  });

  it("decoded by a pool, and missing ones as the fill value", async () => {
    const shape = [300, 300];
    const array = await create(new Map(), { shape, chunkShape: [128, 128], dtype: "int32", fillValue: 7 });
    await set(array, [slice(0, 128)], numbers([128, 300]));
    const pool = new WorkerPool({ size: 2 });
    const missing: (readonly number[])[] = [];
    const onMissing = (at: readonly number[]) => void missing.push(at);
    expect(await collect(array.chunks(null, { pool, onMissing }))).toEqual(await slowTwin(array));
    expect(missing.sort()).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
      [2, 0],
      [2, 1],
      [2, 2],
    ]);
    pool.destroy();
  });

  it("can be written elsewhere chunk by chunk, and are typed by the array", async () => {
    const from = await create(new Map(), { shape: [5, 5], chunkShape: [2, 3], dtype: "float32" });
    await set(from, null, Float32Array.from({ length: 25 }, Math.sqrt));
    const to = await create(new Map(), { shape: [5, 5], chunkShape: [4, 4], dtype: "float32" });
    for await (const chunk of from.chunks()) {
      expectTypeOf(chunk.data).toEqualTypeOf<Float32Array<ArrayBuffer>>();
      await set(to, chunk.selection, chunk);
    }
    expect((await get(to)).data).toEqual((await get(from)).data);
  });

  it("of a grid that is too large to list", async () => {
    const array = await create(new Map(), { shape: [2 ** 50, 2 ** 50], chunkShape: [1, 1], dtype: "int8" });
    for await (const { start } of array.chunks([slice(5, null), slice(3, null)])) {
      expect(start).toEqual([5, 3]);
      break;
    }
  });
});

/** An array whose chunks arrive when they are let through, in a store that counts requests. */
async function slowArray(count: number) {
  const entries = new Map<string, Uint8Array>();
  const made = await create(entries, { shape: [2 * count], chunkShape: [2], dtype: "int32" });
  await set(made, null, numbers([2 * count]));
  const inner = new MapStore(entries);
  const requested: string[] = [];
  const aborted: string[] = [];
  const failing = new Map<string, unknown>();
  const gates = new Map<string, () => void>();
  let isOpen = true;
  const store: Store = {
    get: async (key, { signal } = {}) => {
      if (!key.startsWith("/c/")) return inner.get(key);
      requested.push(key);
      if (!isOpen) {
        await new Promise<void>((resolve, reject) => {
          const abort = () => {
            aborted.push(key);
            reject(signal!.reason);
          };
          gates.set(key, () => {
            signal?.removeEventListener("abort", abort);
            resolve();
          });
          signal?.addEventListener("abort", abort);
        });
      }
      if (failing.has(key)) throw failing.get(key);
      return inner.get(key);
    },
  };
  const array = await open(store, { kind: "array" });
  const hold = () => {
    isOpen = false;
  };
  return { array, requested, aborted, failing, gates, hold };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("read-ahead", () => {
  it("is bounded by concurrency, and 4 by default", async () => {
    for (const concurrency of [undefined, 1, 3]) {
      const { array, requested } = await slowArray(20);
      let taken = 0;
      for await (const { start } of array.chunks(null, { concurrency })) {
        expect(start).toEqual([2 * taken++]);
        await pause();
        expect(requested).toHaveLength(Math.min(20, taken + (concurrency ?? 4)));
      }
      expect(taken).toBe(20);
    }
  });

  it("reads nothing before the first step", async () => {
    const { array, requested } = await slowArray(2);
    array.chunks();
    await pause();
    expect(requested).toEqual([]);
  });

  it("yields chunks in order, whatever the order of the responses", async () => {
    const { array, gates, hold } = await slowArray(4);
    hold();
    const chunks = array.chunks();
    const first = chunks.next();
    await pause();
    for (const key of [...gates.keys()].reverse()) gates.get(key)!();
    const starts = [(await first).value!.start];
    for await (const { start } of chunks) starts.push(start);
    expect(starts).toEqual([[0], [2], [4], [6]]);
  });
});

describe("leaving the loop", () => {
  it.each(["break", "throw"])("by %s cancels the requests in flight", async (how) => {
    const { array, requested, aborted, gates, hold } = await slowArray(10);
    hold();
    const leave = async () => {
      for await (const _ of array.chunks()) {
        if (how === "break") break;
        throw new Error("enough");
      }
    };
    const left = how === "break" ? leave() : expect(leave()).rejects.toThrow("enough");
    await pause();
    gates.get("/c/0")!();
    await left;
    expect(aborted.sort()).toEqual(["/c/1", "/c/2", "/c/3", "/c/4"]);
    await pause();
    expect(requested).toHaveLength(5);
  });

  it("by return, too, ends the iteration", async () => {
    const { array, requested, aborted, gates, hold } = await slowArray(10);
    hold();
    const chunks = array.chunks();
    const first = chunks.next();
    await pause();
    expect(requested).toEqual(["/c/0", "/c/1", "/c/2", "/c/3"]);
    gates.get("/c/0")!();
    await first;
    await pause();
    await chunks.return();
    expect(aborted.sort()).toEqual(["/c/1", "/c/2", "/c/3", "/c/4"]);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });
});

describe("errors", () => {
  it("surface at their chunk, after those before it, and end the loop", async () => {
    const { array, requested, failing } = await slowArray(10);
    failing.set("/c/3", new ZarrError("Network", "no connection"));
    const starts: unknown[] = [];
    const error = await errorOf(async () => {
      for await (const { start } of array.chunks()) {
        starts.push(start);
        await pause();
      }
    });
    expect([error._tag, error.chunkKey, starts]).toEqual(["Network", "/c/3", [[0], [2], [4]]]);
    expect(requested.length).toBeLessThanOrEqual(5);
  });

  it("of chunks that the loop never reaches are dropped", async () => {
    const { array, failing } = await slowArray(10);
    failing.set("/c/2", new TypeError("no connection"));
    for await (const _ of array.chunks()) {
      await pause();
      break;
    }
  });

  it("an abort throws the signal's reason at the next step, before chunks read ahead", async () => {
    const { array } = await slowArray(10);
    const controller = new AbortController();
    const reason = new Error("stop");
    let taken = 0;
    const error = await errorOf(async () => {
      for await (const _ of array.chunks(null, { signal: controller.signal })) {
        taken++;
        await pause();
        controller.abort(reason);
      }
    });
    expect(error).toBe(reason);
    expect(taken).toBe(1);
  });

  it("an abort ends a waiting step", async () => {
    const { array, aborted, hold } = await slowArray(10);
    hold();
    const reason = new Error("stop");
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 5);
    expect(await errorOf(() => array.chunks(null, { signal: controller.signal }).next())).toBe(reason);
    expect(aborted).toHaveLength(4);
  });

  it("of arguments are thrown at the first step", async () => {
    const { array, requested } = await slowArray(2);
    for (const concurrency of [0, -1, 1.5, "4", Number.NaN]) {
      const error = await errorOf(() => array.chunks(null, { concurrency: concurrency as number }).next());
      expect([error._tag, error.message]).toEqual([
        "InvalidArgument",
        `concurrency must be an integer of at least 1, not ${concurrency}`,
      ]);
    }
    expect((await errorOf(() => array.chunks([7]).next()))._tag).toBe("InvalidSelection");
    expect((await errorOf(() => array.chunks(null, { pool: 5 as never }).next()))._tag).toBe(
      "InvalidArgument",
    );
    expect(requested).toEqual([]);
  });
});
