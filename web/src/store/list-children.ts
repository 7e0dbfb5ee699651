/** What lies below a path of a store. */
import { untilAborted } from "../util/abort.js";
import { isError, isZarrError, shown } from "../util/errors.js";
import { nextTask } from "../util/platform.js";
import { sliceTime } from "../util/slices.js";
import { badListing, canList, entriesOf } from "./listing.js";
import { childOf, isSegment, normalizePath } from "./path.js";
import { storeFailed } from "./read-checked.js";
import type { Store } from "./store.js";

/**
 * Names of the folders directly below a path, sorted: the nodes that a group may hold.
 * Uses the store's `listChildren`, or its `list`, or a Map's keys.
 * @throws Network ("bad-listing") for stores that answer with something else; what the store throws, as Network
 *   ("store-failed") where it is no error; the signal's reason.
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
  let end = performance.now() + sliceTime;
  for await (const key of keysIn(store, folder, signal)) {
    const name = childOf(key, folder);
    if (name !== undefined) names.add(name);
    // In-memory stores list in microtasks, which never let the event loop turn.
    if (performance.now() < end) continue;
    await nextTask();
    end = performance.now() + sliceTime;
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
    if (isError(cause) || (signal?.aborted && cause === signal.reason)) throw cause;
    throw storeFailed(`/${folder}`, "listed", cause);
  }
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string"))
    throw badListing(`/${folder}`, `is ${shown(names)}, no list of names`);
  return names;
}

/** What the store lists. An error that it throws passes on to who reads. */
async function* keysIn(
  store: Store,
  folder: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  try {
    for await (const key of entriesOf(store, folder, `/${folder}`, signal)) {
      if (typeof key !== "string") throw badListing(`/${folder}`, `lists ${shown(key)}, which is no key`);
      yield key;
    }
  } catch (error) {
    const isStores = isZarrError(error) && error.code === "store-failed" && isError(error.cause);
    throw isStores ? error.cause : error;
  }
}

/** Names that can be opened, sorted: none that a path would refuse or read otherwise. */
function tidy(names: Iterable<string>): string[] {
  return [...new Set(names)].filter(isSegment).sort();
}
