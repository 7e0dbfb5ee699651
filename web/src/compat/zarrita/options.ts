/** Options of single reads that go to the store: headers and the like, as programs give them to `getChunk`. */
import { ZarrArray } from "../../hierarchy/array.js";
import type { GetOptions, RangeQuery, Store } from "../../store/store.js";
import { keptFor } from "../../util/platform.js";

/** What a store's `get` may be given: a RequestInit, or what the caller's own store understands. */
export interface StoreOptions {
  signal?: AbortSignal | undefined;
  readonly [option: string]: unknown;
}

type Extra = Readonly<Record<string, unknown>>;

/** As many sets of options are remembered for an array: what is known of its shards is known to each alone. */
const remembered = 4;
const derivedFrom = keptFor(
  (_array: ZarrArray): { readonly extra: Extra; readonly array: ZarrArray }[] => [],
);

/** The array, its store called with these options besides this library's; itself where there are none. */
export function withStoreOptions(array: ZarrArray, extra: Extra): ZarrArray {
  if (Object.keys(extra).length === 0) return array;
  const derived = derivedFrom(array);
  const found = derived.find((entry) => isSame(entry.extra, extra));
  if (found) return found.array;
  const store = withOptions(array.store, extra);
  const made = new ZarrArray(store, array.path, array.spec, array.limits);
  derived.push({ extra, array: made });
  if (derived.length > remembered) derived.shift();
  return made;
}

/** True for the same options with the same values. */
export function isSame(a: Extra, b: Extra): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => isSameValue(a[key], b[key]));
}

/** Headers are mostly made anew for each call. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isPlain(a) || !isPlain(b)) return false;
  return isSame(a, b);
}

function isPlain(value: unknown): value is Extra {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function withOptions(store: Store, extra: Extra): Store {
  const asked = (options: GetOptions | undefined) => ({ ...extra, ...options });
  const wrapped: Store = { get: (key, options) => store.get(key, asked(options)) };
  if (store.getRange)
    wrapped.getRange = (key: string, range: RangeQuery, options) =>
      store.getRange!(key, range, asked(options));
  if (store.locate) wrapped.locate = (key) => store.locate!(key);
  return wrapped;
}
