// Shared by the tests of writing: places to write to, and their contents.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll } from "vitest";
import { type CreateOptions, MapStore, type Store, ZarrError } from "zarr-wasm";

export type Files = Map<string, Uint8Array>;
export const files = (): Files => new Map();
export const textIn = (store: Files, key: string) => new TextDecoder().decode(store.get(key));
export const jsonIn = (store: Files, key: string) => JSON.parse(textIn(store, key));

export const versions = [1, 2, 3] as const;
/** The documents that define an array. */
export const mainKey = { 1: "/meta", 2: "/.zarray", 3: "/zarr.json" };
export const small: CreateOptions = { shape: [10, 20], dtype: "float32" };

const tmp = new URL("../../../build/tmp/", import.meta.url).pathname;

/** A folder for one test file, removed when its tests end. */
export function tempFolder(name: string): string {
  mkdirSync(tmp, { recursive: true });
  const folder = mkdtempSync(path.join(tmp, `${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** All keys of a store, sorted. */
export async function keysOf(store: Store, at = ""): Promise<string[]> {
  const keys: string[] = [];
  const listed = store instanceof Map ? ([...store.keys()] as string[]) : store.list!(at);
  for await (const key of listed) keys.push(key);
  return keys.sort();
}

/** A store of one of several writers, with conditional writes: other writers come between its reads and writes. */
export function lateStore(entries: Map<string, Uint8Array>): Store {
  const memory = new MapStore(entries);
  const late = async <T>(value: T): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, 2 * Math.random()));
    return value;
  };
  return {
    conditional: true,
    get: (...args) => late(memory.get(...args)),
    set: (...args) => late(undefined).then(() => memory.set(...args)),
    delete: (key) => memory.delete(key),
    list: (...args) => memory.list(...args),
  };
}

/** A store with conditional writes, like object stores, that counts its requests. */
export class ConditionalStore implements Store {
  readonly conditional = true;
  readonly files: Files = new Map();
  readonly log: string[] = [];
  readonly #tags = new Map<string, number>();
  #next = 1;
  /** Called before each write. */
  before: (key: string) => void | Promise<void> = () => {};

  get(key: string, options?: { version?: { etag?: string | undefined } | undefined }) {
    if (options?.version && this.files.has(key)) options.version.etag = String(this.#tags.get(key));
    return this.files.get(key);
  }
  async set(
    key: string,
    value: Uint8Array,
    options?: { ifVersion?: { etag?: string | undefined } | "absent" | undefined },
  ) {
    await this.before(key);
    this.log.push(`set ${key}`);
    const { ifVersion } = options ?? {};
    const isThere = this.files.has(key);
    const fits =
      ifVersion === undefined ||
      (ifVersion === "absent" ? !isThere : isThere && ifVersion.etag === String(this.#tags.get(key)));
    if (!fits) throw new ZarrError("Conflict", `${key} has changed`);
    this.files.set(key, value);
    this.#tags.set(key, this.#next++);
  }
  delete(key: string) {
    this.log.push(`delete ${key}`);
    this.files.delete(key);
  }
  *list(folder: string) {
    for (const key of [...this.files.keys()])
      if (key.startsWith(folder === "" ? "/" : `/${folder}/`)) yield key;
  }
}
