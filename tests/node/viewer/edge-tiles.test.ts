// Parts of examples/edge-tiles in Node: the sharing, limits and aborts of tile reads. tests/edge has the rest.
import { expect, it } from "vitest";
import { create, type Store } from "zarr-wasm";
import { errorOf } from "../support/support.js";

/** A module of the example, whose types need packages that are not installed here. */
const load = (name: string) => import(`../../../examples/edge-tiles/src/${name}.ts`);
const { Flights } = await load("flights");
const { untilAnswered } = await load("scope");
const { openDataset } = await load("dataset");
const { Blocks } = await load("blocks");
const { readTile } = await load("tile");
const { storeOf } = await load("store");

const settings = {
  tileSize: 64,
  timeout: 60_000,
  chunkCacheBytes: 2 ** 24,
  inFlightBytes: 2 ** 24,
  chunkBytes: 2 ** 24,
  tileChunks: 512,
};
const route = { z: 0, y: 0, x: 0, choice: { variable: undefined, indices: new Map() } };
const keepGoing = () => {};
const idle = new AbortController().signal;
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A store of one array whose chunks arrive when they are released, and a record of its requests. */
async function slowArray(side: number) {
  const objects = new Map<string, Uint8Array>();
  await create(objects, { shape: [64, 64], chunkShape: [side, side], dtype: "uint8" });
  const asked: (AbortSignal | undefined)[] = [];
  const held: (() => void)[] = [];
  const store: Store = {
    async get(key, options) {
      if (!key.startsWith("/c/")) return objects.get(key);
      asked.push(options?.signal);
      await new Promise<void>((resolve) => held.push(resolve));
      return undefined;
    },
  };
  const release = () => {
    for (const go of held.splice(0)) go();
  };
  const dataset = await openDataset(store, undefined, settings, idle);
  const blocks = new Blocks(settings, { noteRead() {} });
  const read = (client: AbortSignal) =>
    untilAnswered(client, keepGoing, (scope: unknown) => readTile(dataset, route, blocks, 64, scope));
  return { store, asked, release, read };
}

it("a tile of too many chunks is refused before any is read", async () => {
  const { asked, read } = await slowArray(1);
  expect(await errorOf(() => read(idle))).toMatchObject({
    status: 422,
    message: "this tile needs 4096 chunks, more than the limit of 512: its chunks are too small",
  });
  expect(asked).toEqual([]);
});

it("nothing more is read for a disconnected client", async () => {
  const { asked, release, read } = await slowArray(4);
  const client = new AbortController();
  const reading = errorOf(() => read(client.signal));
  await expect.poll(() => asked.length).toBe(4);
  client.abort(new Error("gone"));
  await reading;
  release();
  await turn();
  expect(asked).toHaveLength(4);
  expect(asked.every((signal) => signal?.aborted)).toBe(true);
});

it("a chunk is read on while another client waits for it", async () => {
  const { asked, release, read } = await slowArray(64);
  const client = new AbortController();
  const gone = errorOf(() => read(client.signal));
  const stays = read(idle);
  await expect.poll(() => asked.length).toBe(1);
  client.abort();
  await gone;
  expect(asked[0]!.aborted).toBe(false);
  release();
  expect((await stays).data).toEqual(new Uint8Array(64 * 64));
  expect(asked).toHaveLength(1);
});

it("work that takes too long is aborted once its last waiter has been told", async () => {
  const flights = new Flights();
  let work: AbortSignal | undefined;
  const start = (signal: AbortSignal) => {
    work = signal;
    return new Promise(() => {});
  };
  const client = new AbortController();
  const [first, second] = [
    errorOf(() => flights.run("k", 20, { keepGoing, signal: idle }, start)),
    errorOf(() => flights.run("k", 60_000, { keepGoing, signal: client.signal }, start)),
  ];
  expect(await first).toMatchObject({ status: 504 });
  await turn();
  expect(work!.aborted).toBe(false);
  client.abort();
  await second;
  await turn();
  expect(work!.aborted).toBe(true);
});

it("a single array has no variables", async () => {
  const { store } = await slowArray(64);
  expect(await errorOf(() => openDataset(store, "x", settings, idle))).toMatchObject({ status: 400 });
});

it("signed requests are aborted as well", async () => {
  const { fetch } = globalThis;
  const begun = new Promise<AbortSignal | null | undefined>((resolve) => {
    globalThis.fetch = (_input, init) => {
      resolve(init?.signal);
      return new Promise(() => {});
    };
  });
  try {
    const env = { S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" };
    const store: Store = storeOf("d", env, { ...settings, storeUrl: "http://h/" });
    const controller = new AbortController();
    const reading = errorOf(() => store.get("/c/0", { signal: controller.signal }));
    const signal = await begun;
    controller.abort(new Error("gone"));
    expect((await reading).message).toBe("gone");
    expect(signal?.aborted).toBe(true);
  } finally {
    globalThis.fetch = fetch;
  }
});
