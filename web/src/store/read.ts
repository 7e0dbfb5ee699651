/** Reads objects and byte ranges from any store, and checks the results. */

import { checkSignal } from "../util/arguments.js";
import { untilAborted } from "../util/async.js";
import { BufferPool } from "../util/buffers.js";
import { asBytes, kindName } from "../util/bytes.js";
import { invalidArgument, isError, messageOf, networkError, type ZarrError } from "../util/errors.js";
import { lend, ownStore, type RangeQuery, type Store, type StoreGetOptions } from "./store.js";
import type { Transport } from "./transport.js";

/**
 * Calls a method of a store that returns bytes. An abort ends the wait even if the store ignores the signal.
 * @returns plain bytes; undefined if the store returns that.
 * @throws Network ("bad-answer"), naming the store, for an answer other than bytes; errors of the store, and Network
 *   ("store-failed") if it throws another value; the signal's reason.
 */
export async function callStore(
  store: Store,
  key: string,
  ask: () => unknown,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  signal?.throwIfAborted();
  try {
    const asked = ask();
    // Synchronous results need no await.
    const answer = isPromise(asked) ? await untilAborted(asked, signal) : asked;
    if (answer === undefined) return undefined;
    const bytes = asBytes(answer);
    if (!bytes) throw badAnswer(store, key, answer);
    return bytes;
  } catch (cause) {
    if (isError(cause) || (signal?.aborted && cause === signal.reason)) throw cause;
    throw storeFailed(locateKey(store, key), "read", cause);
  }
}

/** Returns the location of a key for messages: its URL or path if the store has one, else the key. */
export function locateKey(store: Store, key: string): string {
  try {
    return store.locate?.(key) ?? key;
  } catch {
    return key;
  }
}

/**
 * Returns the error for another error of a store.
 * @param place location of the key: see {@link Store.locate}.
 * @param what "read", "written", "deleted" or "listed".
 */
export const storeFailed = (place: string, what: string, cause: unknown): ZarrError =>
  networkError(`${place} could not be ${what}: ${messageOf(cause)}`, { code: "store-failed", cause });

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function badAnswer(store: Store, key: string, answer: unknown): ZarrError {
  const name = store.constructor?.name || "a store";
  const place = locateKey(store, key);
  return networkError(
    `${name} returned ${kindName(answer)} for ${place}; expected a Uint8Array, or undefined for a missing key`,
    { code: "bad-answer" },
  );
}

/**
 * Reads a part of an object by the store's `getRange`, or by `get` if there is none.
 * @returns undefined for a missing key; fewer bytes than requested only at the object's end.
 * @throws InvalidArgument for an invalid range; Network ("bad-range") if the store returns more bytes than requested,
 *   and ("bad-answer") if it returns something else; errors of the store; the signal's reason.
 */
export async function readRange(
  store: Store,
  key: string,
  range: RangeQuery,
  options: StoreGetOptions = {},
): Promise<Uint8Array | undefined> {
  checkRange(range);
  const { signal } = options;
  checkSignal(signal);
  if (!store.getRange) {
    // The limit is for the range, not for the whole object.
    const whole = await callStore(
      store,
      key,
      () => store.get(key, { ...options, maxBytes: undefined }),
      signal,
    );
    return whole && cutRange(whole, range);
  }
  const bytes = await callStore(store, key, () => store.getRange!(key, range, options), signal);
  if (bytes && bytes.byteLength > wantedBytes(range)) {
    throw networkError(
      `${locateKey(store, key)}: the store returned ${bytes.byteLength} bytes for a range of ${wantedBytes(range)}`,
      { code: "bad-range" },
    );
  }
  return bytes;
}

/** Returns the length of a range. */
export function wantedBytes(range: RangeQuery): number {
  return "suffixLength" in range ? range.suffixLength : range.length;
}

/** @throws InvalidArgument unless a range has non-negative integers whose sum is a safe integer. */
export function checkRange(range: RangeQuery): void {
  const [offset, length] = "suffixLength" in range ? [0, range.suffixLength] : [range.offset, range.length];
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
  if (!isCount(offset) || !isCount(length) || !isCount(offset + length)) {
    throw invalidArgument(`${JSON.stringify(range)} is not a range`);
  }
}

/** Returns start and end (exclusive) of a range, cut to an object of a size. */
export function resolveRange(range: RangeQuery, size: number): { start: number; end: number } {
  if ("suffixLength" in range) return { start: Math.max(0, size - range.suffixLength), end: size };
  return { start: Math.min(range.offset, size), end: Math.min(range.offset + range.length, size) };
}

/** Returns a range of a whole object, as a view. */
export function cutRange<T extends ArrayBufferLike>(whole: Uint8Array<T>, range: RangeQuery): Uint8Array<T> {
  const { start, end } = resolveRange(range, whole.byteLength);
  return whole.subarray(start, end);
}

/** Returns a range as text for messages and cache keys; "" without one. */
export function rangeName(range: RangeQuery | undefined): string {
  if (!range) return "";
  return "suffixLength" in range ? `bytes=-${range.suffixLength}` : `bytes=${range.offset}+${range.length}`;
}

/** A store that reads objects and parts of them by one method. */
export abstract class RangedStore implements Store {
  /** @internal Reads an object, or a range of it that has been checked. */
  abstract readPart(
    key: string,
    range: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array | undefined>;

  async get(key: string, options: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    return this.#read(key, undefined, options);
  }

  /** Reads a part of an object. */
  async getRange(
    key: string,
    range: RangeQuery,
    options: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    checkRange(range);
    return this.#read(key, range, options);
  }

  #read(key: string, range: RangeQuery | undefined, options: StoreGetOptions) {
    checkSignal(options.signal);
    options.signal?.throwIfAborted();
    return this.readPart(key, range, options);
  }
}

const owners = new WeakMap<Uint8Array, BufferLender>();

/** Reads a whole object, whose bytes may be passed to {@link releaseBytes}. */
export async function readLeased(
  store: Store,
  key: string,
  options: StoreGetOptions,
  transport?: Transport,
): Promise<Uint8Array | undefined> {
  const lends = ownStore(store, "get");
  return callStore(
    store,
    key,
    () => (lends?.[lend] ? lends[lend](key, options, transport) : store.get(key, options)),
    options.signal,
  );
}

/** Lends the bytes that a store reads, and reads into returned buffers. */
export class BufferLender {
  /** Buffers to read into. Between reads, the garbage collector may free them. */
  readonly pool = new BufferPool();
  #reads = 0;

  /** Runs a read that may take a buffer from the pool. */
  async run<T>(read: () => Promise<T>): Promise<T> {
    this.#reads++;
    try {
      return await read();
    } finally {
      if (--this.#reads === 0) this.pool.release();
    }
  }

  /** Marks bytes as lent until {@link releaseBytes} or {@link takeBytes}. Their buffer must have no other users. */
  lend(bytes: Uint8Array): Uint8Array {
    owners.set(bytes, this);
    return bytes;
  }

  /** Keeps at most as many buffers as there are reads, and one between reads. */
  takeBack({ buffer }: Uint8Array): void {
    this.pool.give(buffer as ArrayBuffer, Math.max(1, this.#reads));
    if (this.#reads === 0) this.pool.release();
  }
}

/** Returns bytes that fill their buffer: a copy if they are part of a larger one. */
export function ownBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength < bytes.buffer.byteLength ? bytes.slice() : bytes;
}

/** Returns lent bytes to their owner, once the reader does not use them any more. No-op for other bytes. */
export function releaseBytes(bytes: Uint8Array): void {
  const lender = owners.get(bytes);
  owners.delete(bytes);
  lender?.takeBack(bytes);
}

/** Takes lent bytes that fill their buffer for good. @returns false for other bytes. */
export const takeBytes = (bytes: Uint8Array): boolean =>
  bytes.byteLength === bytes.buffer.byteLength && owners.delete(bytes);
