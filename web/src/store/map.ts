/** A Map as a store. */
import { asBytes } from "../util/bytes.js";
import { addInspection } from "../util/symbol-methods.js";
import { checkCondition } from "./concurrency.js";
import { childNames, normalizePath } from "./path.js";
import { checkRange, cutRange } from "./read.js";
import {
  checkVersion,
  joinKey,
  type ObjectVersion,
  type RangeQuery,
  type Store,
  type StoreGetOptions,
  type StoreSetOptions,
} from "./store.js";

let lastNumber = 0;
const numbers = new WeakMap<Uint8Array, number>();

/** Returns the version of an object. Objects are numbered: another one under its key is another version. */
function objectVersion(bytes: Uint8Array): ObjectVersion {
  const number = numbers.get(bytes) ?? ++lastNumber;
  numbers.set(bytes, number);
  return { etag: String(number), size: bytes.byteLength };
}

/** A Map as a store with ranges, listing and versions. Unlike the keys of a plain Map, its keys may lack the leading "/". */
export class MapStore implements Store {
  /** Name in consoles, also in minified programs. */
  static get name(): string {
    return "MapStore";
  }

  /** @param entries the Map to read from and write to. It is not copied. */
  constructor(readonly entries: Map<string, Uint8Array> = new Map()) {
    addInspection(this, () => ({ size: this.entries.size }));
  }

  /** Writes support `ifVersion`. */
  get conditional(): true {
    return true;
  }

  get(key: string, { version }: StoreGetOptions = {}): Uint8Array | undefined {
    const bytes = this.entries.get(key) ?? this.entries.get(key.slice(1));
    if (version) checkVersion(version, bytes && objectVersion(bytes), key);
    return bytes;
  }

  getRange(key: string, range: RangeQuery, options: StoreGetOptions = {}): Uint8Array | undefined {
    checkRange(range);
    const whole = this.get(key, options);
    const bytes = asBytes(whole);
    return bytes ? cutRange(bytes, range) : whole; // other values are rejected by the reader
  }

  /** Stores a copy, so that the caller may reuse its buffer. */
  set(key: string, value: Uint8Array, { signal, ifVersion }: StoreSetOptions = {}): void {
    signal?.throwIfAborted();
    const now = this.entries.get(this.#own(key)); // not by get(), which programs may have replaced
    checkCondition(ifVersion, now && objectVersion(now), key);
    this.entries.set(this.#own(key), value.slice());
  }

  delete(key: string): void {
    this.entries.delete(this.#own(key));
  }

  deletePrefix(path: string): void {
    for (const key of [...this.list(path)]) this.delete(key);
  }

  *list(path: string): Generator<string> {
    const prefix = joinKey(normalizePath(path), "");
    for (const entry of this.entries.keys()) {
      const key = entry.startsWith("/") ? entry : `/${entry}`;
      if (key.startsWith(prefix)) yield key;
    }
  }

  listChildren(path: string): string[] {
    return childNames(this.entries.keys(), normalizePath(path));
  }

  /** Returns the key without its "/" if the Map has it so. */
  #own(key: string): string {
    return !this.entries.has(key) && this.entries.has(key.slice(1)) ? key.slice(1) : key;
  }
}
