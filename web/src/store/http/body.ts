/** Bodies of answers: read as a stream, bounded, and no further than needed. */

import type { BufferPool } from "../../util/buffer-pool.js";
import { isError, isZarrError, limitExceeded, messageOf, networkError } from "../../util/errors.js";
import { uninitialised } from "../../util/platform.js";
import { checkCodings } from "./content-encoding.js";
import type { Watch } from "./idle-timeout.js";
import { TransientFault } from "./retry.js";
import type { Answer } from "./transport.js";

/** No more is allocated on an answer's word; from there on the buffer grows as bytes arrive. */
const trustedBytes = 2 ** 20;
export const startBytes = 64 * 2 ** 10;
/** A buffer grows by no more than this at a time, … */
const mostGrowth = 2 ** 28;
/** … and up to the length that was announced no faster than by this factor. */
const growthFactor = 32;

interface BodyOptions {
  /** What is read, for messages. */
  name: string;
  /** Bytes at the start to leave out. */
  skip?: number;
  /** Bytes to read after that; the rest is cancelled. */
  take?: number;
  /** More bytes than this, after all content codings, left out ones included, are LimitExceeded. */
  maxBytes: number;
  /** How many bytes to expect: a hint only. */
  expected?: number | undefined;
  /** Memory to read into, where the length is known; the bytes are then a part of it. */
  bufferPool?: BufferPool | undefined;
  /** Hears of what comes, and ends the reading. */
  watch: Watch;
}

/**
 * Reads a body, or a part of it. Bytes are counted as they come: a body that turns out to be too long is ended there.
 * @throws LimitExceeded; Network ("content-coding"); TransientFault when the connection fails on the way.
 */
export async function readBody(answer: Answer, options: BodyOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { name, skip = 0, take = Number.POSITIVE_INFINITY, maxBytes, watch } = options;
  checkCodings(answer.headers, name);
  const expected = Math.min(options.expected ?? startBytes, take, maxBytes);
  const spare = options.expected ? options.bufferPool?.take(expected, 2 * expected) : undefined;
  const sink = new ByteSink(expected, spare);
  let seen = 0;
  const onPiece = (piece: Uint8Array): boolean => {
    watch.hear();
    seen += piece.byteLength;
    const late = piece.subarray(Math.max(0, piece.byteLength - Math.max(0, seen - skip)));
    const wanted = late.subarray(0, Math.min(late.byteLength, take - sink.length));
    if (seen - late.byteLength + wanted.byteLength > maxBytes) throw tooMany(name, maxBytes);
    sink.add(wanted);
    return sink.length < take;
  };
  if (take > 0) await answer.read(onPiece).catch((cause) => rethrow(cause, name));
  return sink.bytes();
}

export function tooMany(name: string, maxBytes: number): Error {
  return limitExceeded(`${name} has more bytes than the limit of ${maxBytes}`);
}

/** Whatever is not an error of ours is a connection that broke. */
export function rethrow(cause: unknown, name: string): never {
  if (isZarrError(cause)) throw cause;
  throw new TransientFault(
    networkError(`${name} could not be read: ${reasonOf(cause)}`, { code: "fetch-failed", cause }),
  );
}

/** What a failed fetch says, the innermost cause first: Node hides the reason there. */
export function reasonOf(cause: unknown): string {
  if (!isError(cause)) return messageOf(cause);
  if (isError(cause.cause) && cause.cause.message) return cause.cause.message;
  // Where several addresses of a host were tried in vain, Node says why only by the code.
  return cause.message || String((cause as { code?: unknown }).code ?? cause.name);
}

/** Collects bytes in one buffer, of which nothing is shown that has not been written. */
export class ByteSink {
  #buffer: Uint8Array<ArrayBuffer>;
  /** Memory that is used again: what is not needed of it is not worth a copy of the rest. */
  #isSpare: boolean;
  readonly #expected: number;
  length = 0;

  /** @param expectedBytes how many bytes are likely to come: a hint only. */
  constructor(expectedBytes: number, spare?: ArrayBuffer) {
    this.#isSpare = spare !== undefined;
    this.#expected = expectedBytes;
    this.#buffer = spare ? new Uint8Array(spare) : uninitialised(Math.min(expectedBytes, trustedBytes));
  }

  add(bytes: Uint8Array): void {
    const needed = this.length + bytes.byteLength;
    if (needed > this.#buffer.byteLength) this.#grow(needed);
    this.#buffer.set(bytes, this.length);
    this.length = needed;
  }

  /** Leaves out all but the last bytes. */
  keepLast(bytes: number): void {
    if (bytes >= this.length) return;
    this.#buffer.copyWithin(0, this.length - bytes, this.length);
    this.length = bytes;
  }

  #grow(needed: number): void {
    const size = this.#buffer.byteLength;
    // No further than to what was announced at first, so that nothing is left over there; then by doubling.
    const next = size < this.#expected ? Math.min(growthFactor * size, this.#expected) : 2 * size;
    let grown: Uint8Array<ArrayBuffer>;
    try {
      grown = uninitialised(Math.max(needed, Math.min(next, needed + mostGrowth)));
    } catch (cause) {
      throw limitExceeded(`there is no memory for ${needed} bytes`, { code: "out-of-memory", cause });
    }
    grown.set(this.#buffer.subarray(0, this.length));
    this.#buffer = grown;
    this.#isSpare = false;
  }

  /** What was added, in a buffer of just that size or in a spare one. */
  bytes(): Uint8Array<ArrayBuffer> {
    if (this.length === this.#buffer.byteLength) return this.#buffer;
    return this.#isSpare ? this.#buffer.subarray(0, this.length) : this.#buffer.slice(0, this.length);
  }
}
