/** Objects in memory as a store. */
import { childOf } from "./children.js";
import { normalizePath } from "./path.js";
import { checkRange, cutRange } from "./ranges.js";
import type { RangeQuery, Store } from "./store.js";

/**
 * A Map as a store with ranges and listing, whose keys may lack the leading "/". A plain Map is a store, too,
 * if its keys have it.
 */
export class MapStore implements Store {
  /** What consoles show, also of minified programs. */
  static readonly name: string = "MapStore";

  /** @param entries the Map to read from and write to; it is used as it is, not copied. */
  constructor(readonly entries: Map<string, Uint8Array> = new Map()) {}

  get(key: string): Uint8Array | undefined {
    return this.entries.get(key) ?? this.entries.get(key.slice(1));
  }

  getRange(key: string, range: RangeQuery): Uint8Array | undefined {
    checkRange(range);
    const whole = this.get(key);
    return whole && cutRange(whole, range);
  }

  set(key: string, value: Uint8Array): void {
    this.entries.set(this.#own(key), value);
  }

  delete(key: string): void {
    this.entries.delete(this.#own(key));
  }

  *list(path: string): Generator<string> {
    const folder = normalizePath(path);
    const prefix = folder === "" ? "/" : `/${folder}/`;
    for (const entry of this.entries.keys()) {
      const key = entry.startsWith("/") ? entry : `/${entry}`;
      if (key.startsWith(prefix)) yield key;
    }
  }

  listChildren(path: string): string[] {
    const folder = normalizePath(path);
    const names = new Set<string>();
    for (const key of this.entries.keys()) {
      const name = childOf(key, folder);
      if (name !== undefined) names.add(name);
    }
    return [...names].sort();
  }

  /** The key as the Map has it, if it has it. */
  #own(key: string): string {
    return !this.entries.has(key) && this.entries.has(key.slice(1)) ? key.slice(1) : key;
  }
}
