// Several handles change the shape and the elements of one array through a slow store: the result equals one of the
// serial orders, also after the array has grown again. Other programs that make it shorter are reported.
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import {
  append,
  create,
  get,
  isZarrError,
  open,
  resize,
  type Store,
  set,
  slice,
  updateAttributes,
  type ZarrArray,
} from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { amount } from "../support/amounts.js";
import { errorOf, randomizer } from "../support/support.js";
import { tempFolder } from "../support/writing-tools.js";

type Operation = (array: ZarrArray) => Promise<unknown>;
type Delays = Readonly<Record<"get" | "set" | "delete", number>>;

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A store whose methods take some time, before or after they have an effect. */
function slowed(store: Store, delays: Delays, random: () => number): Store {
  const late =
    <A extends unknown[], R>(name: keyof Delays, method: (...args: A) => R | Promise<R>) =>
    async (...args: A): Promise<R> => {
      const before = random() < 0.5;
      if (before) await wait(delays[name] * random());
      const result = await method(...args);
      if (!before) await wait(delays[name] * random());
      return result;
    };
  return {
    conditional: store.conditional,
    get: late("get", store.get.bind(store)),
    set: late("set", store.set!.bind(store)),
    delete: late("delete", store.delete!.bind(store)),
    list: store.list!.bind(store),
  };
}

const folder = tempFolder("shrink-races");
let count = 0;

const places: Record<string, (delays: Delays, random: () => number) => Store> = {
  "a folder": (delays, random) =>
    slowed(new FileSystemStore(pathToFileURL(`${folder}/${++count}.zarr/`)), delays, random),
  "a store without conditions": (delays, random) => {
    const entries = new Map<string, Uint8Array>();
    const plain: Store = {
      get: (key) => entries.get(key),
      set: (key, value) => void entries.set(key, value.slice()),
      delete: (key) => void entries.delete(key),
      list: () => [...entries.keys()],
    };
    return slowed(plain, delays, random);
  },
};

const options = { shape: [10, 4], chunkShape: [4, 3], dtype: "int32" as const, codecs: "none" };
const values = Int32Array.from({ length: 40 }, (_, i) => 1 + i);
const filled = (count: number, value: number) => new Int32Array(count).fill(value);

/** Kinds of arrays; the results must not differ. */
const kinds = [{}, { zarrFormat: 2 }, { shardShape: [8, 3] }] as const;

async function make(store: Store, kind: (typeof kinds)[number]): Promise<void> {
  await set(await create(store, { ...options, ...kind }), null, values);
}

/** The shape, and all elements after the array has grown. */
async function stateOf(store: Store): Promise<string> {
  const array = (await open(store)) as ZarrArray;
  const { shape } = array;
  await resize(array, [32, 8]);
  return JSON.stringify([shape, [...((await get(array)).data as Int32Array)]]);
}

function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((first, i) => orders(list.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

/** States after the operations in each order, by the names of the operations. */
async function serialStates(operations: readonly Operation[]): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  for (const order of orders(operations.map((_, i) => i))) {
    const store = new Map<string, Uint8Array>();
    await make(store, {});
    for (const i of order) await operations[i]!((await open(store)) as ZarrArray).catch(() => {});
    states.set(await stateOf(store), order.join());
  }
  return states;
}

const rows = (count: number, value: number): Operation =>
  Object.assign(async (array: ZarrArray) => {
    for (;;) {
      const data = filled(count * array.shape[1]!, value);
      try {
        return await append(array, { data, shape: [count, array.shape[1]!] });
      } catch (error) {
        // The other axis was resized.
        if (!isZarrError(error, "InvalidArgument")) throw error;
        array.adopt((await open(array.store, { path: array.path, kind: "array" })).spec);
      }
    }
  });
const shapeOf =
  (...shape: [number, number]): Operation =>
  (array) =>
    resize(array, shape);
const setting: Operation = (array) => set(array, [slice(3, 10)], -7);

const races: Record<string, readonly Operation[]> = {
  "an append, and less than the array had": [rows(5, 100), shapeOf(5, 4)],
  "an append, and all but one of its rows": [rows(6, 100), shapeOf(15, 4)],
  "an append in the last chunk, and less": [rows(1, 100), shapeOf(9, 4)],
  "an append, and nothing left": [rows(9, 100), shapeOf(0, 4)],
  "an append, and fewer columns": [rows(5, 100), shapeOf(10, 2)],
  "a set, and less than it needs": [setting, shapeOf(5, 3)],
  "two smaller shapes": [shapeOf(5, 4), shapeOf(3, 4)],
  "two smaller shapes along different axes": [shapeOf(5, 4), shapeOf(10, 1)],
  "a smaller and a larger shape": [shapeOf(5, 4), shapeOf(14, 6)],
  "two appends": [rows(5, 100), rows(3, 200)],
  "two appends, and less than the array had": [rows(5, 100), rows(3, 200), shapeOf(5, 4)],
  "an append, a smaller and a larger shape": [rows(5, 100), shapeOf(5, 4), shapeOf(17, 4)],
};

describe.each(Object.entries(places))("handles of %s", (_, place) => {
  it.each(Object.entries(races))("%s", async (_name, operations) => {
    const states = await serialStates(operations);
    const trial = async (seed: number) => {
      const random = randomizer(seed);
      const delays = { get: 0, set: 0, delete: 0 };
      const store = place(delays, random);
      await make(store, kinds[seed % kinds.length]!);
      const arrays: ZarrArray[] = [];
      for (const _ of operations) arrays.push((await open(store)) as ZarrArray);
      Object.assign(delays, { get: 4 * random(), set: 15 * random(), delete: 40 * random() });
      const work = operations.map(async (operation, i) => {
        await wait(30 * random());
        await operation(arrays[i]!);
      });
      const results = await Promise.allSettled(work);
      Object.assign(delays, { get: 0, set: 0, delete: 0 });
      expect(results.filter((result) => result.status === "rejected")).toEqual([]);
      const state = await stateOf(store);
      if (!states.has(state)) expect([...states], `seed ${seed}`).toContain(state);
    };
    const seeds = Array.from({ length: amount(3, 40) }, (_, i) => i + 1);
    await Promise.all(seeds.map(trial));
  });

  it("rows that are appended while chunks are deleted, each in 40 ms", async () => {
    const delays = { get: 0, set: 0, delete: 0 };
    const store = place(delays, () => 1);
    await set(await create(store, { ...options, shape: [60, 4], chunkShape: [1, 4] }), null, 1);
    const [mine, theirs] = [await open(store), await open(store)] as [ZarrArray, ZarrArray];
    Object.assign(delays, { delete: 40 });
    const smaller = resize(mine, [5, 4]);
    await wait(20);
    await append(theirs, filled(4 * 30, 2));
    await smaller;
    delays.delete = 0;
    const array = (await open(store)) as ZarrArray;
    const found = [...((await get(array)).data as Int32Array)];
    const kept = [...filled(20, 1)];
    expect([kept, [...kept, ...filled(120, 2)]]).toContainEqual(found);
    await resize(array, [100, 4]);
    const grown = [...((await get(array)).data as Int32Array)];
    expect(grown).toEqual([...found, ...filled(400 - found.length, 0)]);
  });
});

describe("another program that makes the array shorter", () => {
  /** Two stores of one folder, and a function that is called before the next chunk is written through the first. */
  const two = async () => {
    const url = pathToFileURL(`${folder}/${++count}.zarr/`);
    const [mine, theirs] = [new FileSystemStore(url), new FileSystemStore(url)];
    await make(theirs, {});
    let between: (() => Promise<unknown>) | undefined;
    const write = mine.set.bind(mine);
    mine.set = async (...args) => {
      const work = args[0].endsWith("zarr.json") ? undefined : between;
      if (work) between = undefined;
      await work?.();
      return write(...args);
    };
    const array = (await open(mine)) as ZarrArray;
    const shorten = async () => resize((await open(theirs)) as ZarrArray, [5, 4]);
    const beforeNext = (work: () => Promise<unknown> = shorten) => {
      between = work;
    };
    return { array, beforeNext, theirs };
  };

  it("during a set is a conflict, after which the handle has its shape", async () => {
    const { array, beforeNext, theirs } = await two();
    beforeNext();
    const error = await errorOf(() => set(array, null, 7));
    expect(error).toMatchObject({ _tag: "Conflict", message: expect.stringContaining("is now [5, 4]") });
    expect(array.shape).toEqual([5, 4]);
    await set(array, null, 8);
    expect((await get((await open(theirs)) as ZarrArray)).data).toEqual(filled(20, 8));
  });

  it("during an append makes its outcome unknown", async () => {
    const { array, beforeNext } = await two();
    beforeNext();
    const error = await errorOf(() => append(array, filled(8, 7)));
    expect(error).toMatchObject({ _tag: "Network", code: "unknown-outcome" });
    expect(error.message).toContain("elements 10 to 11 along axis 0");
    expect(array.shape).toEqual([5, 4]);
  });

  it("along another axis is noticed by an append, also if the handle has its shape by then", async () => {
    const { array, beforeNext, theirs } = await two();
    beforeNext(async () => {
      const { shape } = (await open(theirs)) as ZarrArray;
      await resize((await open(theirs)) as ZarrArray, [shape[0]!, 2]);
      expect((await errorOf(() => set(array, [0, 0], 7)))._tag).toBe("Conflict");
    });
    const error = await errorOf(() => append(array, filled(8, 7)));
    expect(error).toMatchObject({ _tag: "Network", code: "unknown-outcome" });
    expect(array.shape).toEqual([12, 2]);
  });

  it("is noticed while attributes are written through the same handle", async () => {
    const store = new FileSystemStore(pathToFileURL(`${folder}/${++count}.zarr/`));
    await make(store, { zarrFormat: 2 });
    const array = (await open(store)) as ZarrArray;
    const read = store.get.bind(store);
    const write = store.set.bind(store);
    store.set = async (...args) => {
      store.set = write;
      await resize((await open(new FileSystemStore(store.root))) as ZarrArray, [5, 4]);
      store.get = async (...args) => {
        store.get = read;
        await updateAttributes(array, { a: 1 });
        return read(...args);
      };
      return write(...args);
    };
    expect((await errorOf(() => set(array, null, 7)))._tag).toBe("Conflict");
    expect([array.shape, array.attributes]).toEqual([[5, 4], { a: 1 }]);
  });
});
