// Several writers change the shape and the elements of one array, with slow requests: the result equals one of the
// serial
// orders, also after the array has grown again.
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  WritableHttpStore,
  type ZarrArray,
} from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { amount } from "../support/amounts.js";
import { S3Server } from "../support/s3-server.js";
import { randomizer } from "../support/support.js";
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

let server: S3Server;
const folder = tempFolder("shrink-races");
let count = 0;
/** How long requests take, by the root of the array. */
const latencies = new Map<string, (method: string) => number>();
beforeAll(async () => {
  server = await new S3Server().start();
  server.fault = async ({ method, key }) => {
    await wait(latencies.get(key.split("/")[0]!)?.(method) ?? 0);
    return undefined;
  };
});
afterAll(() => server.close());

/** Gives the store of each writer. */
type Place = (delays: Delays, random: () => number) => () => Store;

const places: Record<string, Place> = {
  "one store object": (delays, random) => {
    const store = slowed(new FileSystemStore(pathToFileURL(`${folder}/${++count}.zarr/`)), delays, random);
    return () => store;
  },
  "one store object without conditions": (delays, random) => {
    const entries = new Map<string, Uint8Array>();
    const plain: Store = {
      get: (key) => entries.get(key),
      set: (key, value) => void entries.set(key, value.slice()),
      delete: (key) => void entries.delete(key),
      list: () => [...entries.keys()],
    };
    const store = slowed(plain, delays, random);
    return () => store;
  },
  "a folder": (delays, random) => {
    const url = pathToFileURL(`${folder}/${++count}.zarr/`);
    return () => slowed(new FileSystemStore(url), delays, random);
  },
  HTTP: (delays, random) => {
    const root = `${++count}.zarr`;
    const names = { GET: "get", PUT: "set", DELETE: "delete" } as const;
    latencies.set(root, (method) => delays[names[method as "PUT"]] * random());
    return () => new WritableHttpStore(`${server.url}/${root}`, { retryDelay: 1, bucket: server.url });
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

describe.each(Object.entries(places))("writers of %s", (_, place) => {
  it.each(Object.entries(races))("%s", async (_name, operations) => {
    const states = await serialStates(operations);
    const trial = async (seed: number) => {
      const random = randomizer(seed);
      const delays = { get: 0, set: 0, delete: 0 };
      const storeOf = place(delays, random);
      await make(storeOf(), kinds[seed % kinds.length]!);
      const arrays: ZarrArray[] = [];
      for (const _ of operations) arrays.push((await open(storeOf())) as ZarrArray);
      Object.assign(delays, { get: 4 * random(), set: 15 * random(), delete: 40 * random() });
      const work = operations.map(async (operation, i) => {
        await wait(30 * random());
        await operation(arrays[i]!);
      });
      const results = await Promise.allSettled(work);
      Object.assign(delays, { get: 0, set: 0, delete: 0 });
      // After two resizes during an append, it is unknown whether the array still has its elements.
      const isUnknown = (error: unknown) => isZarrError(error) && error.code === "unknown-outcome";
      const failed = results.filter((result) => result.status === "rejected");
      if (operations.length > 2 && failed.some(({ reason }) => isUnknown(reason))) return;
      expect(failed).toEqual([]);
      const state = await stateOf(storeOf());
      if (!states.has(state)) expect([...states], `seed ${seed}`).toContain(state);
    };
    const seeds = Array.from({ length: amount(3, 40) }, (_, i) => i + 1);
    await Promise.all(seeds.map(trial));
  });

  it("rows that are appended while chunks are deleted, each in 40 ms", async () => {
    const delays = { get: 0, set: 0, delete: 0 };
    const storeOf = place(delays, () => 1);
    await set(await create(storeOf(), { ...options, shape: [60, 4], chunkShape: [1, 4] }), null, 1);
    const [mine, theirs] = [await open(storeOf()), await open(storeOf())] as [ZarrArray, ZarrArray];
    Object.assign(delays, { delete: 40 });
    const smaller = resize(mine, [5, 4]);
    await wait(20);
    await append(theirs, filled(4 * 30, 2));
    await smaller;
    delays.delete = 0;
    const array = (await open(storeOf())) as ZarrArray;
    const found = [...((await get(array)).data as Int32Array)];
    const kept = [...filled(20, 1)];
    expect([kept, [...kept, ...filled(120, 2)]]).toContainEqual(found);
    await resize(array, [100, 4]);
    const grown = [...((await get(array)).data as Int32Array)];
    expect(grown).toEqual([...found, ...filled(400 - found.length, 0)]);
  });
});
