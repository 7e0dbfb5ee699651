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
