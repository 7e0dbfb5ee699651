/** Writing to stores: the safe ways to call what a store may or may not have. */
import { readOnly } from "../base/errors.js";
import { normalizePath } from "./path.js";
import type { SetOptions, Store, WriteOptions } from "./store.js";

/**
 * Whether a store can make a write depend on what is stored.
 * @param ifVersion the condition; "absent" without one.
 */
export function supportsConditions(store: Store, ifVersion: SetOptions["ifVersion"] = "absent"): boolean {
  if (!store.conditional) return false;
  return ifVersion === "absent" || (store.conditional === true && ifVersion.etag !== undefined);
}

/**
 * Writes a whole object.
 * @throws ReadOnly where the store has no `set`, or a condition is asked for that it cannot honour.
 */
export async function writeObject(
  store: Store,
  key: string,
  bytes: Uint8Array,
  options: SetOptions = {},
): Promise<void> {
  if (typeof store.set !== "function") throw missing("set");
  if (options.ifVersion !== undefined && !supportsConditions(store, options.ifVersion)) {
    throw readOnly("the store cannot write only if nothing else has written", { code: "no-conditions" });
  }
  options.signal?.throwIfAborted();
  await store.set(key, bytes, options);
}

/** Removes an object; no error where there is none. */
export async function deleteObject(store: Store, key: string, options: WriteOptions = {}): Promise<void> {
  if (typeof store.delete !== "function") throw missing("delete");
  options.signal?.throwIfAborted();
  await store.delete(key, options);
}

/** Removes everything below a path: `deletePrefix`, or `list` and `delete`. */
export async function deleteBelow(store: Store, path: string, options: WriteOptions = {}): Promise<void> {
  const folder = normalizePath(path);
  options.signal?.throwIfAborted();
  if (store.deletePrefix) {
    await store.deletePrefix(folder, options);
    return;
  }
  const prefix = folder === "" ? "/" : `/${folder}/`;
  const keys = store.list?.(folder) ?? (store instanceof Map ? [...store.keys()] : undefined);
  if (!keys) throw missing("deletePrefix or list");
  const found: string[] = [];
  for await (const key of keys as Iterable<string>) if (key.startsWith(prefix)) found.push(key);
  for (const key of found) await deleteObject(store, key, options);
}

function missing(method: string) {
  return readOnly(`the store cannot be written to: it has no ${method}`, { code: "read-only" });
}
