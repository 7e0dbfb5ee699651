// Three processes overwrite one array and set its elements at the same time: in the end, the array of one of them is
// stored, and the other two have got errors.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  append,
  create,
  deleteNode,
  get,
  MapStore,
  open,
  type Store,
  set,
  updateAttributes,
  WritableHttpStore,
  type ZarrArray,
} from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { amount } from "../support/amounts.js";
import { S3Server } from "../support/s3-server.js";
import { bytesOf, errorOf } from "../support/support.js";

const folder = mkdtempSync(path.join(os.tmpdir(), "zarr-wasm-racing-"));
let server: S3Server;
beforeAll(async () => {
  server = await new S3Server().start();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const children: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

/** Starts a process; the result sends it a command and returns its answer. */
async function startProcess(place: string, bucket?: string) {
  const script = path.join(import.meta.dirname, "../support/overwriter.mjs");
  const library = ["zarr-wasm", "zarr-wasm/node"].map((name) => import.meta.resolve(name));
  const child = spawn(process.execPath, [script, ...library, place, ...(bucket ? [bucket] : [])]);
  child.stderr.pipe(process.stderr);
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return async (command: string) => {
    child.stdin.write(`${command}\n`);
    return (await lines.next()).value as string;
  };
}

const base = { shape: [48], chunkShape: [1], dtype: "int32", codecs: "none" } as const;

const places: [string, () => [place: string, bucket?: string], (place: string) => Store][] = [
  ["a folder", () => [path.join(folder, "a")], (place) => new FileSystemStore(place)],
  [
    "a server",
    () => [`${server.url}/a`, server.url],
    (place) => new WritableHttpStore(place, { bucket: server.url }),
  ],
];

it.each(places)(
  "in %s, no elements of a loser are acknowledged",
  { timeout: 120_000 },
  async (_, at, storeAt) => {
    const [place, bucket] = at();
    const processes = await Promise.all([1, 2, 3].map(() => startProcess(place, bucket)));
    const store = storeAt(place);
    for (let round = 0; round < amount(6, 100); round++) {
      const node = `r${round}`;
      await set(await create(store, { ...base, path: node }), null, 9);
      const answers = await Promise.all(processes.map((run, i) => run(`${node} ${i + 1}`)));
      const array = (await open(storeAt(place), { path: node })) as ZarrArray;
      const owner = array.attributes["owner"] as number;
      const found = [...new Set((await get(array)).data as Int32Array)];
      const allowed = [1, 2, 3].filter((value) => value === owner || answers[value - 1] !== "ok");
      if (answers[owner - 1] !== "ok") allowed.push(0);
      expect(allowed, JSON.stringify({ answers, owner, found })).toEqual(expect.arrayContaining(found));
    }
  },
);

const stores: [string, () => Store][] = [
  ["a MapStore", () => new MapStore()],
  ["a folder", () => new FileSystemStore(mkdtempSync(path.join(folder, "b")))],
];

it("an array on a server is appended to again and again after another program has dropped its stamps", async () => {
  const store = new WritableHttpStore(`${server.url}/stamps`);
  await create(store, { ...base, shape: [0] });
  const mine = (await open(store)) as ZarrArray;
  await append(mine, Int32Array.of(1));
  const document = JSON.parse(new TextDecoder().decode(await store.get("/zarr.json")));
  document.attributes = { units: "K" };
  await store.set("/zarr.json", bytesOf(JSON.stringify(document)));
  for (const value of [2, 3, 4]) await append(mine, Int32Array.of(value));
  expect([...((await get((await open(store)) as ZarrArray)).data as Int32Array)]).toEqual([1, 2, 3, 4]);
});

describe.each(stores)("an array that was created with overwrite in %s", (_, make) => {
  const two = async () => {
    const store = make();
    const entries = async () => (await store.get("/a/zarr.json")) as Uint8Array;
    const mine = await create(store, { ...base, path: "a", overwrite: true });
    return { store, mine, entries };
  };

  it("is not written after an array of the same form has replaced it", async () => {
    const { store, mine, entries } = await two();
    const theirs = await create(make(), { ...base, path: "a", overwrite: true });
    await store.set!("/a/zarr.json", (await theirs.store.get("/a/zarr.json"))!);
    for (const write of [
      () => set(mine, null, 1),
      () => set(mine, [0], 1),
      () => append(mine, Int32Array.of(1)),
    ]) {
      const { _tag, message } = await errorOf(write);
      expect(`${_tag}: ${message}`).toContain('NotFound: the array at "/a" was replaced by another one');
    }
    expect(await store.get("/a/c/0")).toBeUndefined();
    expect(await entries()).toEqual(await theirs.store.get("/a/zarr.json"));
  });

  it("is written after its attributes and shape have changed", async () => {
    const { store, mine } = await two();
    const other = (await open(store, { path: "a" })) as ZarrArray;
    await updateAttributes(other, { a: 1 });
    await append(other, Int32Array.of(7));
    await set(mine, [0], 5);
    await append(mine, Int32Array.of(8));
    expect([...((await get(mine, [[0, 48, 49]])).data as Int32Array)]).toEqual([5, 7, 8]);
  });

  it("is written after another program has rewritten its document without stamps", async () => {
    const { store, mine, entries } = await two();
    await store.set!(
      "/a/zarr.json",
      bytesOf(JSON.stringify(JSON.parse(new TextDecoder().decode(await entries())))),
    );
    await set(mine, null, 5);
    await deleteNode(store, "a");
    expect((await errorOf(() => set(mine, null, 5)))._tag).toBe("NotFound");
  });
});
