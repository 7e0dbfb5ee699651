/** Lists keys and folders of stores. Rejects invalid listings, because writers delete listed keys. */
import { Limiter, settleAll, untilAborted } from "../util/async.js";
import {
  describeValue,
  isError,
  isZarrError,
  networkError,
  unsupported,
  type ZarrError,
} from "../util/errors.js";
import { nextTask } from "../util/platform.js";
import { sliceTime } from "../util/slices.js";
import { childName, isSegment, normalizePath } from "./path.js";
import { locateKey, storeFailed } from "./read.js";
import { joinKey, type Store } from "./store.js";

/** Whether a store supports {@link keysBelow}. */
export const canList = (store: Store): boolean => typeof store.list === "function" || store instanceof Map;

/**
 * Lists the keys below a path, each with its leading "/". Ignores keys elsewhere.
 * @param store must support listing: see {@link canList}.
 * @param path normalised path of a node.
 * @throws Network ("bad-answer") for an invalid list or key; errors of this library, and Network ("store-failed") for
 *   other errors of the store; the signal's reason, even if the store ignores the signal.
 */
export async function* keysBelow(
  store: Store,
  path: string,
  signal?: AbortSignal | undefined,
): AsyncGenerator<string> {
  const prefix = joinKey(path, "");
  const place = locateKey(store, prefix);
  for await (const listed of listedValues(store, path, place, signal)) {
    if (typeof listed !== "string")
      throw badListing(place, `lists ${describeValue(listed)}, which is not a key`);
    const key = listed.startsWith("/") ? listed : `/${listed}`;
    if (!key.startsWith(prefix) || key === prefix) continue;
    if (!isKey(key)) throw badListing(place, `lists ${JSON.stringify(key)}, which is not a key`);
    yield key;
  }
}

/** Yields the values of the store's list. */
export async function* listedValues(
  store: Store,
  path: string,
  place: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown> {
  let iterator: AsyncIterator<unknown> | Iterator<unknown> | undefined;
  let isOver = false;
  try {
    iterator = iterate(store, path, place);
    for (let seen = 0; ; seen++) {
      signal?.throwIfAborted();
      // Lets the event loop turn, so that an endless list in memory can be aborted.
      if (seen % 1024 === 1023) await new Promise((resolve) => setTimeout(resolve, 0));
      const next = await untilAborted(Promise.resolve(iterator.next()), signal);
      isOver = next.done === true;
      if (isOver) return;
      yield next.value;
    }
  } catch (cause) {
    if (isZarrError(cause) || (signal?.aborted && cause === signal.reason)) throw cause;
    isOver = true; // a failed iterator must not be closed
    throw storeFailed(place, "listed", cause);
  } finally {
    if (iterator && !isOver) void end(iterator);
  }
}

function iterate(store: Store, path: string, place: string): AsyncIterator<unknown> | Iterator<unknown> {
  if (!store.list) return [...(store as unknown as Map<unknown, unknown>).keys()].filter(isText).values();
  const listed: unknown = store.list(path);
  if (typeof listed !== "object" || listed === null)
    throw badListing(place, `is ${describeValue(listed)}, not a list`);
  const found = listed as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  let iterator: AsyncIterator<unknown> | Iterator<unknown> | undefined;
  try {
    iterator = found[Symbol.asyncIterator]?.() ?? found[Symbol.iterator]?.();
  } catch {
    throw badListing(place, "cannot be iterated");
  }
  if (!iterator) {
    // It may be a promise, whose rejection would be unhandled.
    Promise.resolve(listed).catch(() => {});
    throw badListing(place, "is not iterable");
  }
  return iterator;
}

/** Closes an iterator. Ignores its failure. Callers do not wait, as it may hang. */
async function end(iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {}
}

const isText = (key: unknown): boolean => typeof key === "string";

/** Whether a key has no "." or ".." segments. */
const isKey = (key: string): boolean => !key.split(/[/\\]/).some((name) => name === "." || name === "..");

export const badListing = (place: string, what: string): ZarrError =>
  networkError(`the store's list of ${place} ${what}`, { code: "bad-answer" });

/**
 * Lists the folders directly below a path, which may be the nodes of a group.
 * Uses the store's `listChildren`, or its `list`, or a Map's keys.
 * @returns sorted names; undefined if the store cannot list (HTTP).
 * @throws Network ("bad-answer") for an invalid list; errors of the store, and Network ("store-failed") if it throws
 *   another value; the signal's reason.
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
    const name = childName(key, folder);
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
    throw badListing(`/${folder}`, `is ${describeValue(names)}, not a list of names`);
  return names;
}

/** Yields the keys that the store lists. Throws its errors unchanged. */
async function* keysIn(
  store: Store,
  folder: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  try {
    for await (const key of listedValues(store, folder, `/${folder}`, signal)) {
      if (typeof key !== "string")
        throw badListing(`/${folder}`, `lists ${describeValue(key)}, which is not a key`);
      yield key;
    }
  } catch (error) {
    const isStores = isZarrError(error) && error.code === "store-failed" && isError(error.cause);
    throw isStores ? error.cause : error;
  }
}

/** Returns the names that paths can contain, sorted and without duplicates. */
function tidy(names: Iterable<string>): string[] {
  return [...new Set(names)].filter(isSegment).sort();
}

/** Number of nodes that are read in parallel. */
const concurrency = 32;

/**
 * Returns the kinds of the nodes directly below a path, by name.
 * @param kindOf returns the kind of the node with a name; undefined if it is not a node.
 * @throws Unsupported ("no-listing") if the store cannot list; the errors of `listChildren`.
 */
export async function listedMembers<Kind>(
  store: Store,
  path: string,
  kindOf: (name: string) => Promise<Kind | undefined>,
  signal: AbortSignal | undefined,
): Promise<Map<string, Kind>> {
  const names = await listChildren(store, path, signal);
  if (!names) {
    throw unsupported(
      "this store does not support listing and the group has no consolidated metadata; open nodes by path",
      { code: "no-listing" },
    );
  }
  const limiter = new Limiter(concurrency);
  const members = new Map<string, Kind>();
  let end = performance.now() + sliceTime;
  const look = async (name: string) => {
    // In-memory stores resolve in microtasks, which would block the event loop.
    if (performance.now() > end) {
      await nextTask();
      end = performance.now() + sliceTime;
    }
    const kind = await kindOf(name);
    if (kind !== undefined) members.set(name, kind);
  };
  await settleAll(names.map((name) => limiter.run(() => look(name), signal)));
  return members;
}
