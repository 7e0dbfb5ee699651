// Visits of a server with a persistent cache: each is a new store with its own cache of one folder.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, vi } from "vitest";
import { HttpStore, type HttpStoreOptions } from "zarr-wasm";
import { PersistentCache } from "zarr-wasm/cache";
import { CacheServer } from "./cache-server.js";
import { bytesOf, randomBytes } from "./support.js";
import { bytesLittle, documents, regular, v3Meta, type WriteOptions, writeV3 } from "./zarr-writer.js";

export let server: CacheServer;
export let folder: string;

/** A document above all objects. Objects below no document are always confirmed. */
const root = "/zarr.json";

/** Gives each test of a file its own server and an empty folder. */
export function useCacheServer(): void {
  beforeEach(async () => {
    server = await new CacheServer().start();
    server.set(root, bytesOf("{}"), '"root"');
    folder = path.join(await mkdtemp(path.join(tmpdir(), "zarr-wasm-cache-")), "entries");
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    await server.stop();
    await rm(path.dirname(folder), { recursive: true, force: true, maxRetries: 5 });
  });
}

/** A new process's store, with its own cache of the same folder. */
export function visit(options: HttpStoreOptions = {}, maxBytes = 2 ** 26, at = server.url) {
  const persistentCache = new PersistentCache({ name: "test", folder, maxBytes });
  return { cache: persistentCache, store: new HttpStore(at, { retryDelay: 1, persistentCache, ...options }) };
}

/** The same after the document above all objects was read. */
export async function openVisit(...given: Parameters<typeof visit>) {
  const opened = visit(...given);
  await opened.store.get(root);
  server.log();
  return opened;
}

/** Reads objects in a new process, waits until they are stored, and returns the requests. */
export async function read(keys: readonly string[], options: HttpStoreOptions = {}): Promise<string[]> {
  const { store, cache } = await openVisit(options);
  for (const key of keys) await store.get(key);
  await cache.flush();
  return server.log();
}

/** A v3 array on the server, and its elements. */
export async function putArray(
  at: string,
  seed: number,
  fields: Record<string, unknown> = {},
  how: WriteOptions = {},
) {
  const meta = v3Meta({
    shape: [8, 8],
    data_type: "int16",
    chunk_grid: regular(4, 4),
    codecs: [bytesLittle],
    ...fields,
  });
  const elements = randomBytes(128, seed);
  const store = documents({});
  const written = await writeV3(store, meta, elements, how);
  for (const [key, body] of store.entries) server.set(`${at}${key}`, body, `"${seed}${key}"`);
  return written;
}

export const fresh = () => ({ "cache-control": "max-age=3600" });
