/** The data that the server offers, and how tests read it. */
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

/** An address on the tests' server: libraries in workers have no page that addresses could be relative to. */
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

/** A store of the server's as a store in memory, which the caller may change. Fetched once. */
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

/** Works on items, of which there is one at least, a few at a time; all failures make one error. */
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
 * A copy of the library of its own, which has loaded nothing yet.
 * @param trouble what the server does to its wasm files: "as-bytes" sends them as application/octet-stream,
 *   "missing" does not have them, "as-page" sends a web page instead of them, and both with "-without-copies" do not have
 *   the copies in scripts either; "no-parts" does not have the parts of the library that are loaded when they are needed
 */
export async function freshLibrary(trouble = "none"): Promise<typeof Library> {
  if (!canImport()) skip("service workers cannot import() modules");
  const entry = `/fresh/${trouble}/${Date.now()}-${copies++}/index.js`;
  return (await import(entry)) as typeof Library;
}

/** Whether modules can be loaded when they are needed: everywhere but in service workers. */
export const canImport = (): boolean => !("ServiceWorkerGlobalScope" in globalThis);

/** How often the server was asked for paths that begin like this. */
export async function requestCount(prefix: string): Promise<number> {
  return Number(await (await fetch(`/asked?prefix=${encodeURIComponent(prefix)}`)).text());
}

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
