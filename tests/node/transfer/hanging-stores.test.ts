// copy() of stores that never answer, answer late, or block: an abort ends it soon.
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
