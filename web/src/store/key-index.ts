/** The folders of stores that know all their keys. */
import { childOf } from "./path.js";

/**
 * The folders of a set of keys, for stores that know all their keys: sorted once, in which the keys below a folder lie
 * side by side. Takes no more memory than the keys have, however deep they nest.
 */
export class KeyIndex {
  readonly #keys: string[];

  /** @param keys each with its leading "/". */
  constructor(keys: Iterable<string>) {
    this.#keys = [...keys].sort();
  }

  /** Names of the folders directly below a folder, sorted. */
  children(folder: string): string[] {
    const prefix = folder === "" ? "/" : `/${folder}/`;
    const names: string[] = [];
    for (let at = this.#find(prefix); this.#keys[at]?.startsWith(prefix); ) {
      const name = childOf(this.#keys[at]!, folder);
      if (name === undefined) at++;
      else {
        names.push(name);
        at = this.#find(`${prefix}${name}${afterSlash}`, at);
      }
    }
    return names.sort();
  }

  /** Where the first key is that is not before another. */
  #find(key: string, from = 0): number {
    let [low, high] = [from, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The character behind "/": what lies in a folder is before it. */
const afterSlash = "0";
