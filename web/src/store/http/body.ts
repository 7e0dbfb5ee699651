/** Bodies of answers: read as a stream, bounded, and no further than needed. */

import type { BufferPool } from "../../util/buffer-pool.js";
import { ByteSink } from "../../util/byte-sink.js";
import { isError, isZarrError, limitExceeded, messageOf, networkError } from "../../util/errors.js";
import type { Watch } from "../../util/idle-timeout.js";
import type { Answer } from "../transport.js";
import { checkCodings } from "./content-encoding.js";
import { TransientFault } from "./retry.js";

export const startBytes = 64 * 2 ** 10;

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
