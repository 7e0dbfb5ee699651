/** What lies below a path of a store. */
import { untilAborted } from "../base/abort.js";
import { isZarrError, shown } from "../base/errors.js";
import { storeFailed } from "./answers.js";
import { badListing, canList, entriesOf } from "./listing.js";
import { isSegment, normalizePath } from "./path.js";
import type { Store } from "./store.js";

/**
 * Names of the folders directly below a path, sorted: the nodes that a group may hold.
 * Uses the store's `listChildren`, or its `list`, or a Map's keys.
 * @throws Network ("bad-listing", "store-failed") for stores that answer with something else, or fail; the signal's reason.
 * @returns undefined where the store cannot list (HTTP); an empty array where there is nothing.
 */
export async function listChildren(
  store: Store,
  path: string,
  signal?: AbortSignal | undefined,
): Promise<string[] | undefined> {
  const folder = normalizePath(path);
  if (store.listChildren) return tidy(await childrenIn(store, folder, signal));
  if (!canList(store)) return undefined;
  const names = new Set<string>();
  for await (const key of entriesOf(store, folder, `/${folder}`, signal)) {
    const name = typeof key === "string" ? childOf(key, folder) : undefined;
    if (name !== undefined) names.add(name);
    else if (typeof key !== "string") throw badListing(`/${folder}`, `lists ${shown(key)}, which is no key`);
  }
  return tidy(names);
}

async function childrenIn(
  store: Store,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  let names: unknown;
  try {
    names = await untilAborted(Promise.resolve(store.listChildren!(folder)), signal);
  } catch (cause) {
    throw isZarrError(cause) || (signal?.aborted && cause === signal.reason)
      ? cause
      : storeFailed(`/${folder}`, "listed", cause);
  }
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string"))
    throw badListing(`/${folder}`, `is ${shown(names)}, no list of names`);
  return names;
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
