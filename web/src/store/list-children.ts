/** What lies below a path of a store, by what is loaded when it is asked for (see util/lazy.ts). */
import { lazy } from "../util/lazy.js";
import type { Store } from "./store.js";

/** What lists stores, and groups that only their store knows. */
export const listing = lazy("listing stores", () => import("../lazy/listing.js"));

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
  return (await listing()).childrenOf(store, path, signal);
}
