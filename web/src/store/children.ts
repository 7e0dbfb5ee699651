/** What lies below a path of a store. */
import { isSegment, normalizePath } from "./path.js";
import type { Store } from "./store.js";

/**
 * Names of the folders directly below a path, sorted: the nodes that a group may hold.
 * Uses the store's `listChildren`, or its `list`, or a Map's keys.
 * @returns undefined where the store cannot list (HTTP); an empty array where there is nothing.
 */
export async function listChildren(store: Store, path: string): Promise<string[] | undefined> {
  const folder = normalizePath(path);
  if (store.listChildren) return tidy(await store.listChildren(folder));
  const keys = keysBelow(store, folder);
  if (!keys) return undefined;
  const names = new Set<string>();
  for await (const key of keys) {
    const name = childOf(key, folder);
    if (name !== undefined) names.add(name);
  }
  return tidy(names);
}

function keysBelow(store: Store, folder: string): AsyncIterable<string> | Iterable<string> | undefined {
  if (store.list) return store.list(folder);
  if (store instanceof Map) return [...store.keys()].filter((key) => typeof key === "string");
  return undefined;
}

/** The folder directly below `folder` in which a key lies; undefined where it lies elsewhere or is an object there. */
export function childOf(key: string, folder: string): string | undefined {
  const start = key.startsWith("/") ? 1 : 0;
  const prefix = folder === "" ? "" : `${folder}/`;
  if (!key.startsWith(prefix, start)) return undefined;
  const from = start + prefix.length;
  const slash = key.indexOf("/", from);
  return slash > from ? key.slice(from, slash) : undefined;
}

/** Names that can be opened, sorted: none that a path would refuse or read otherwise. */
function tidy(names: Iterable<string>): string[] {
  return [...new Set(names)].filter(isSegment).sort();
}

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
