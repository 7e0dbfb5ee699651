/**
 * Lends buffers to readers. Fresh memory for every chunk has to be mapped page by page and collected, which takes time
 * from decoding.
 *
 * Only the reader may hold lent bytes. Therefore stores with a cache do not lend, nor do concurrent reads of the same
 * bytes, wrappers of stores, and stores whose `get` was replaced.
 */
import { handleOf } from "./handle.js";
import { answerOf } from "./read.js";
import type { Store, StoreGetOptions } from "./store.js";
import type { Transport } from "./transport.js";

/** The functions that take lent bytes back. */
const owners = new WeakMap<Uint8Array, (bytes: Uint8Array) => void>();

/** Reads a whole object, whose bytes may be passed to {@link releaseBytes}. */
export async function readLeased(
  store: Store,
  key: string,
  options: StoreGetOptions,
  transport?: Transport,
): Promise<Uint8Array | undefined> {
  const { lender } = handleOf(store);
  const lends = lender && store.get === lender.get;
  return answerOf(
    store,
    key,
    () => (lends ? lender.lend(key, options, transport) : store.get(key, options)),
    options.signal,
  );
}

/** Marks bytes as lent. @param takeBack is called when they are released. */
export function leaseBytes(bytes: Uint8Array, takeBack: (bytes: Uint8Array) => void): void {
  owners.set(bytes, takeBack);
}

/** Returns bytes that fill their buffer: a copy if they are part of a larger one. */
export function alone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength < bytes.buffer.byteLength ? bytes.slice() : bytes;
}

/** Returns lent bytes to their owner, once the reader does not use them any more. No-op for other bytes. */
export function releaseBytes(bytes: Uint8Array): void {
  const takeBack = owners.get(bytes);
  owners.delete(bytes);
  takeBack?.(bytes);
}
