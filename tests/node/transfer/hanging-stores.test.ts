// copy() of stores that never answer, answer late, or block: an abort ends it soon. Stores that fail, or change bytes.
import { describe, expect, it } from "vitest";
import { create, createGroup, get, MapStore, open, type Store, set } from "zarr-wasm";
import { type CopyOptions, copy } from "zarr-wasm/transfer";
import { randomizer } from "../support/support.js";

const values = Uint16Array.from({ length: 32 * 32 }, (_, i) => i + 1);

async function source(): Promise<MapStore> {
  const store = new MapStore();
  const group = await createGroup(store, { attributes: { title: "a group" } });
  const options = { path: "a", shape: [32, 32], chunkShape: [16, 16], dtype: "uint16" } as const;
  await set(await create(group, options), null, values);
  return store;
}

/** A store whose calls pass through a function; their signals are ignored. */
function through(store: MapStore, pass: (call: () => unknown) => unknown): Store {
  const passed =
    <A extends unknown[], R>(call: (...all: A) => R) =>
    (...all: A) =>
      pass(() => call(...all)) as R;
  return {
    get: passed((key) => store.get(key)),
    set: passed(async (key, value) => store.set(key, value)),
    delete: passed(async (key) => store.delete(key)),
    async *list(prefix) {
      yield* await (pass(() => store.list(prefix)) as Promise<AsyncIterable<string>>);
    },
  };
}

const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** The outcome of a copy whose n-th call of a store hangs, and is aborted then; "late" if it goes on. */
async function outcome(at: number, side: "from" | "to", options: CopyOptions): Promise<unknown> {
  const [from, to] = [await source(), new MapStore()];
  const controller = new AbortController();
  const reason = new Error("stop");
  let calls = 0;
  const hanging = through(side === "from" ? from : to, (call) => {
    if (calls++ !== at) return call();
    setTimeout(() => controller.abort(reason), 20);
    return new Promise(() => {});
  });
  const copying = copy(side === "from" ? hanging : from, side === "to" ? hanging : to, {
    ...options,
    signal: controller.signal,
  }).then(
    () => "done",
    (error: unknown) => (error === reason ? "stopped" : error),
  );
  return Promise.race([copying, wait(8000).then(() => "late")]);
}

describe.each<[string, CopyOptions]>([
  ["as stored", {}],
  ["with other chunks", { chunkShape: [8, 32], codecs: "zstd" }],
  ["with verification", { verify: true }],
])("a copy %s", (_, options) => {
  it.each(["from", "to"] as const)("is aborted soon, whichever call hangs: %s", async (side) => {
    // Copies have fewer calls than this; all of them at the same time, for each waits for its end.
    const outcomes = await Promise.all(Array.from({ length: 120 }, (_, at) => outcome(at, side, options)));
    expect(outcomes.filter((one) => one === "stopped").length).toBeGreaterThan(4);
    // Probes for other versions may hang as long as they like.
    expect(outcomes.filter((one) => one !== "stopped" && one !== "done")).toEqual([]);
    expect(outcomes.at(-1)).toBe("done");
  });
});

it("stores that block, or answer late and in any order, give the same copy", async () => {
  const random = randomizer(7);
  const late = (call: () => unknown) => {
    const end = performance.now() + 2;
    while (performance.now() < end);
    return wait(random() * 5).then(call);
  };
  for (const options of [{}, { chunkShape: [8, 32], codecs: "zstd" }] satisfies CopyOptions[]) {
    const to = new MapStore();
    await copy(through(await source(), late), through(to, late), options);
    expect((await get(await open(to, { kind: "array", path: "a" }))).data).toEqual(values);
    expect([...to.entries.keys()].filter((key) => key.includes("lock"))).toEqual([]);
  }
});

const isLock = (key: string) => key.includes(".zw-writer");

/** A writable store that does something else for the n-th call of set, not counting locks. */
function misbehaving(store: MapStore, at: number, other: (key: string, value: Uint8Array) => void): Store {
  let calls = 0;
  return {
    get: (key) => store.get(key),
    set: (key, value) => (!isLock(key) && calls++ === at ? other(key, value) : store.set(key, value)),
    delete: (key) => store.delete(key),
    list: (prefix) => store.list(prefix),
  };
}

const ways: readonly [string, CopyOptions, CopyOptions?][] = [
  ["as stored", {}],
  ["out of shards", { shardShape: "none" }, { shardShape: [32, 16] }],
  ["into shards", { shardShape: [32, 16] }],
  ["with other chunks", { chunkShape: [8, 32], codecs: "zstd" }],
  ["with other chunks in shards", { chunkShape: [8, 8], shardShape: [16, 32], codecs: "zstd" }],
];

describe.each(ways)("a copy %s into a store", (_, options, before) => {
  const sourceOf = async () => {
    const store = new MapStore();
    await copy(await source(), store, before);
    return store;
  };

  it("whose writes fail is resumed to the same bytes, whichever fails", async () => {
    const from = await sourceOf();
    const whole = new MapStore();
    const { chunks } = await copy(from, whole, options);
    let [failures, isFailing] = [0, true];
    for (let at = 0; isFailing; at++) {
      const to = new MapStore();
      isFailing = false;
      const failing = misbehaving(to, at, () => {
        isFailing = true;
        throw new Error("disk full");
      });
      const error = await copy(from, failing, options).then(
        () => undefined,
        (reason: Error) => reason,
      );
      if (error) expect(error).toMatchObject({ _tag: "Network", code: "store-failed" });
      if (error) failures++;
      expect([...to.entries.keys()].filter(isLock)).toEqual([]);
      const { skipped, ...others } = (await copy(from, to, { ...options, resume: true })).chunks;
      expect(to.entries).toEqual(whole.entries);
      const sum = (all: object) => Object.values(all).reduce((a: number, b: number) => a + b, 0);
      expect(sum({ skipped, ...others })).toBe(sum(chunks));
    }
    expect(failures).toBeGreaterThan(3);
  });

  it.each<[string, (store: MapStore) => (key: string, value: Uint8Array) => void]>([
    [
      "that changes a byte",
      (store) => (key, value) => {
        const changed = value.slice();
        changed[changed.length >> 1]! ^= 1;
        store.set(key, changed);
      },
    ],
    ["that loses an object", () => () => {}],
    ["that cuts objects", (store) => (key, value) => store.set(key, value.subarray(0, -1))],
  ])("%s fails with verify", async (__, otherOf) => {
    const from = await sourceOf();
    const unnoticed = [];
    let writes = 0;
    for (let changed: string | undefined = ""; changed !== undefined; writes++) {
      const to = new MapStore();
      changed = undefined;
      const changing = misbehaving(to, writes, (key, value) => {
        changed = key;
        otherOf(to)(key, value);
      });
      const error = await copy(from, changing, { ...options, verify: true }).then(
        () => undefined,
        (reason: Error) => reason,
      );
      if (!error) unnoticed.push(changed);
    }
    expect(unnoticed).toEqual([undefined]);
    expect(writes).toBeGreaterThan(4);
  });
});

it("verify fails for a store that keeps what overwrite deletes", async () => {
  const to = new MapStore();
  await copy(await source(), to);
  const sparse = new MapStore();
  await create(sparse, { path: "a", shape: [32, 32], chunkShape: [16, 16], dtype: "uint16" });
  const keeping: Store = {
    ...misbehaving(to, -1, () => {}),
    delete: (key) => (key.includes("/c/") ? undefined : to.delete(key)),
  };
  const copying = copy(sparse, keeping, { path: "a", overwrite: true, verify: true });
  await expect(copying).rejects.toMatchObject({ _tag: "CorruptChunk", code: "differs" });
});

it("a store of intermediate chunks is left empty, also by writes that fail after they have stored", async () => {
  const from = new MapStore();
  const shape = [2048, 2048];
  await set(await create(from, { shape, chunkShape: [16, 2048], dtype: "uint32" }), null, 5);
  for (let [at, isFailing] = [0, true]; isFailing; at++) {
    const stored = new MapStore();
    isFailing = false;
    const temp = misbehaving(stored, at, (key, value) => {
      isFailing = true;
      stored.set(key, value);
      throw new Error("connection lost");
    });
    const copying = copy(from, new MapStore(), { chunkShape: [2048, 16], memory: 2 ** 23, temp });
    const error = await copying.then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error !== undefined).toBe(isFailing);
    expect([...stored.entries.keys()]).toEqual([]);
    if (!isFailing) expect(at).toBeGreaterThan(3);
  }
});

it("chunks out of a shard larger than the memory are written while others are read", async () => {
  const [from, to, memory] = [new MapStore(), new MapStore(), 2 ** 23];
  const shape = [4, 2 ** 23];
  const array = await create(from, {
    ...{ shape, shardShape: shape, chunkShape: [1, 2 ** 14], dtype: "uint8", codecs: "none" },
  });
  await set(array, null, 7);
  let [read, written, most] = [0, 0, 0];
  const counting: Store = {
    get: (key) => from.get(key),
    getRange: async (key, range) => {
      const bytes = await from.getRange(key, range);
      read += bytes?.byteLength ?? 0;
      most = Math.max(most, read - written);
      return bytes;
    },
  };
  const writing: Store = {
    get: (key) => to.get(key),
    set: async (key, value) => {
      await wait(0);
      to.set(key, value);
      written += value.byteLength;
    },
  };
  const { chunks } = await copy(counting, writing, { shardShape: "none", memory });
  expect(chunks.asStored).toBe(2 ** 11);
  expect(most).toBeGreaterThan(memory / 4);
  expect(most).toBeLessThan(memory * 1.1);
});
