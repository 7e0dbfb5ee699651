/** Indexes of stores that know all their keys, which may be millions. */
import { type Steps, sortSteps } from "../util/slices.js";
import { childName } from "./path.js";

/**
 * The sorted folders of a set of keys, in which the folders below a folder are adjacent. Takes no more memory than the
 * keys, however deep they nest.
 */
export class KeyIndex {
  /** @param folders with slashes at both ends. May contain duplicates. */
  private constructor(private readonly folders: readonly string[]) {}

  /** @param keys each with its leading "/". */
  static *steps(keys: Iterable<string>): Steps<KeyIndex> {
    const folders: string[] = [];
    let last = "";
    for (const key of keys) {
      yield;
      const folder = key.slice(0, key.lastIndexOf("/") + 1);
      if (folder !== last) folders.push(folder);
      last = folder;
    }
    return new KeyIndex(yield* sortSteps(folders));
  }

  /** Names of the folders directly below a folder, sorted. */
  *children(folder: string): Steps<string[]> {
    const prefix = folder === "" ? "/" : `/${folder}/`;
    const names: string[] = [];
    for (let at = this.#find(prefix); this.folders[at]?.startsWith(prefix); ) {
      const name = childName(this.folders[at]!, folder);
      if (name === undefined) at++;
      else {
        names.push(name);
        at = this.#find(`${prefix}${name}${afterSlash}`, at);
      }
      yield;
    }
    return yield* sortSteps(names);
  }

  /** Returns the position of the first folder that is not less than a string. */
  #find(text: string, from = 0): number {
    let [low, high] = [from, this.folders.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.folders[middle]! < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The character after "/": paths in a folder sort before it. */
const afterSlash = "0";

/** A map of strings that can grow without blocking: rehashing a `Map` of millions of entries takes seconds. */
export class LargeMap<T> {
  readonly #parts = Array.from({ length: 64 }, () => new Map<string, T>());

  get(key: string): T | undefined {
    return this.#part(key).get(key);
  }

  /** @returns whether the key is new. */
  set(key: string, value: T): boolean {
    const part = this.#part(key);
    const { size } = part;
    part.set(key, value);
    return part.size > size;
  }

  /** Selects a part by the last characters of the key, which differ most between chunks. */
  #part(key: string): Map<string, T> {
    let hash = key.length;
    for (let at = Math.max(0, key.length - 8); at < key.length; at++)
      hash = Math.imul(hash, 31) + key.charCodeAt(at);
    return this.#parts[(hash ^ (hash >>> 15)) & 63]!;
  }
}
