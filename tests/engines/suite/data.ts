/** Reads the data on the test server. */
import type * as Library from "zarr-wasm";
import {
  MapStore,
  type OpenOptions,
  open,
  type Selection,
  type Source,
  slice,
  type ZarrArray,
} from "zarr-wasm";
import type { AxisChoice, Manifest, Sample } from "../manifest.js";
import { equal, ok, skip } from "./registry.js";

let loading: Promise<Manifest> | undefined;

export function manifest(): Promise<Manifest> {
  loading ??= fetch("/data/manifest.json").then((answer) => answer.json());
  return loading;
}

/**
 * An absolute address on the test server: bundles in workers have no page to resolve relative addresses
 * against.
 */
export const at = (path: string): string => new URL(path, location.origin).href;

export const openArray = (source: Source, options: OpenOptions = {}): Promise<ZarrArray> =>
  open(source, { ...options, kind: "array" });

export async function sampleNamed(part: string): Promise<Sample> {
  const found = (await manifest()).samples.find(({ name }) => name.includes(part));
  ok(found, `there is a sample "${part}"`);
  return found;
}

const fetched = new Map<string, Promise<Map<string, Uint8Array>>>();

async function fetchAll(path: string, keys: readonly string[]): Promise<Map<string, Uint8Array>> {
  const entries = new Map<string, Uint8Array>();
  await forEach(keys, async (key) => {
    entries.set(key, new Uint8Array(await (await fetch(path + encodeURI(key))).arrayBuffer()));
  });
  return entries;
}

/** Copies a store from the server into a store in memory, which the caller may change. Fetched once. */
export async function inMemory(path: string, keys: readonly string[]): Promise<MapStore> {
  const entries = fetched.get(path) ?? fetchAll(path, keys);
  fetched.set(path, entries);
  return new MapStore(new Map(await entries));
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  // A copy: shared memory cannot be digested.
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function hasHash(bytes: Uint8Array, expected: string, what: string): Promise<void> {
  equal(await sha256(bytes), expected, what);
}

export function selectionOf(axes: readonly AxisChoice[]): Selection {
  return axes.map((axis) => {
    if (axis === null || typeof axis === "number") return axis;
    return "list" in axis ? axis.list : slice(...axis.slice);
  });
}

/** Processes at least one item, a few at a time; all failures are combined into one error. */
export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  ok(items.length > 0, "there is something to look at");
  const failures: string[] = [];
  const waiting = [...items];
  const run = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await work(item).catch((error: unknown) => failures.push(String(error)));
    }
  };
  await Promise.all(Array.from({ length: 8 }, run));
  if (failures.length > 0) throw new Error(`${failures.length} failed: ${failures.slice(0, 5).join("; ")}`);
}

let copies = 0;

/**
 * A new copy of the library that has not loaded anything yet.
 * @param trouble fault of the server for its wasm files: "as-bytes" sends them as application/octet-stream,
 *   "missing" responds that they are missing, "as-page" sends a web page instead; "missing-without-copies"
 *   and "as-page-without-copies" also remove the copies in scripts; "no-parts" removes the lazily loaded
 *   parts of the library
 */
export async function freshLibrary(trouble = "none"): Promise<typeof Library> {
  if (!canImport()) skip("service workers cannot import() modules");
  const entry = `/fresh/${trouble}/${Date.now()}-${copies++}/index.js`;
  return (await import(entry)) as typeof Library;
}

/** Whether modules can be loaded on demand: everywhere except in service workers. */
export const canImport = (): boolean => !("ServiceWorkerGlobalScope" in globalThis);

/** Number of requests for paths with a prefix. */
export async function requestCount(prefix: string): Promise<number> {
  return Number(await (await fetch(`/asked?prefix=${encodeURIComponent(prefix)}`)).text());
}

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
