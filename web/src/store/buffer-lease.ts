/**
 * Memory that a store reads into again and again. Fresh memory for every chunk is mapped page by page, and collected
 * in time that decoding could have.
 *
 * Bytes are lent only where nobody but the reader can have them: not by stores that keep what they read, not where
 * another reader waits for the same bytes, and only by stores of ours themselves: whoever wraps one, or puts something
 * in the place of its `get`, may keep what passes through.
 */

import { answerOf } from "./read-checked.js";
import type { GetOptions, Store } from "./store.js";
import type { Transport } from "./transport.js";

interface LeasingStore {
  /** The store's own `get`: where another has taken its place, that one is meant to be called. */
  readonly get: Store["get"];
  /**
   * Like `get`; the bytes may be lent.
   * @param transport for stores over HTTP, what sends requests instead of the usual one
   */
  lend(key: string, options: GetOptions, transport?: Transport): Promise<Uint8Array | undefined>;
}

const lenders = new WeakMap<Store, LeasingStore>();
/** Who takes bytes back that are lent. */
const owners = new WeakMap<Uint8Array, (bytes: Uint8Array) => void>();

/** Says that a store lends. */
export function addLeasingStore(store: Store, lender: LeasingStore): void {
  lenders.set(store, lender);
}

/** Reads a whole object, for a reader who may {@link releaseBytes} the bytes. */
export async function readLeased(
  store: Store,
  key: string,
  options: GetOptions,
  transport?: Transport,
): Promise<Uint8Array | undefined> {
  const lender = lenders.get(store);
  const lends = lender && store.get === lender.get;
  return answerOf(
    store,
    key,
    () => (lends ? lender.lend(key, options, transport) : store.get(key, options)),
    options.signal,
  );
}

/** Lends bytes. */
export function leaseBytes(bytes: Uint8Array, takeBack: (bytes: Uint8Array) => void): void {
  owners.set(bytes, takeBack);
}

/** The bytes, without other memory behind them: a copy where they are part of more. */
export function alone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength < bytes.buffer.byteLength ? bytes.slice() : bytes;
}

/** Says that bytes will not be looked at again. Without effect on those that are not lent. */
export function releaseBytes(bytes: Uint8Array): void {
  const takeBack = owners.get(bytes);
  owners.delete(bytes);
  takeBack?.(bytes);
}
