/**
 * Runs bytes-to-bytes codecs whose output size no metadata states: variable-length data, and shards with
 * codecs after the sharding codec.
 */
import { isZarrError, limitExceeded } from "../util/errors.js";
import { cachedFor } from "../util/platform.js";
import { withDecoder } from "./engine.js";
import { type ChainStep, Plan } from "./plan.js";
import { type CodecSession, checkedSize } from "./session.js";

/** The smallest bound tried. Buffers of this size cost nothing, and most chunks fit. */
const firstBound = 2 ** 16;
/** Initial guess of the expansion ratio, and the factor by which the bound grows at each retry. */
const growth = 8;
/** Above this, bounds are rounded to multiples of it: powers of two would soon exceed the available memory. */
const largeStep = 2 ** 26;
/** Maximum for one WebAssembly memory. */
const maxBound = 2 ** 31 - 1;

/** Plans by bound. Bounds are rounded, so that each list of steps needs only a few. */
const plansByBound = cachedFor((_steps: readonly ChainStep[]) => new Map<number, Plan>());

/**
 * Decodes through a chain of bytes-to-bytes codecs, given in encoding order. Pass the same array for every
 * chunk, because plans are cached by it. Without steps, returns the bytes unchanged.
 * @param limit maximum number of decoded bytes
 * @param expected number of decoded bytes that a header states. It can only lower the first bound: a wrong
 *   header costs a retry, never memory.
 * @throws CorruptChunk; LimitExceeded for more than `limit` bytes
 */
export async function decodeBytes(
  steps: readonly ChainStep[],
  encoded: Uint8Array,
  limit: number,
  expected?: number,
): Promise<Uint8Array> {
  if (steps.length === 0) return withinLimit(encoded, limit);
  // Plans of all bounds need the same module, so any of them will do.
  return withDecoder(planFor(steps, firstBound), (session) =>
    decodeBytesIn(session, steps, encoded, limit, expected),
  );
}

/** {@link decodeBytes} in a session that has all the decoders; without steps no session is needed. */
export function decodeBytesIn(
  session: CodecSession | undefined,
  steps: readonly ChainStep[],
  encoded: Uint8Array,
  limit: number,
  expected = Number.POSITIVE_INFINITY,
): Uint8Array {
  const ample = growth * checkedSize(encoded);
  if (steps.length === 0) return withinLimit(encoded, limit);
  for (let bound = rounded(Math.min(expected, ample)); ; bound *= growth) {
    const plan = planFor(steps, Math.min(bound, limit));
    try {
      return session!.decode(plan, encoded);
    } catch (error) {
      if (!isTooSmall(error) || bound >= limit) throw error;
    }
  }
}

/**
 * Encodes any number of bytes through a chain of bytes-to-bytes codecs, in a session that has all the
 * encoders. Without steps, returns the bytes unchanged.
 */
export function encodeBytesIn(
  session: CodecSession,
  steps: readonly ChainStep[],
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const size = checkedSize(bytes);
  return steps.length === 0 ? bytes : session.encode(planFor(steps, rounded(size)), bytes);
}

/** Whether the output exceeded the bound. */
function isTooSmall(error: unknown): boolean {
  return isZarrError(error, "LimitExceeded") && error.code === "limit-exceeded";
}

function withinLimit(bytes: Uint8Array, limit: number): Uint8Array {
  const isPlain = bytes.constructor === Uint8Array;
  if (bytes.byteLength <= limit)
    return isPlain ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  throw limitExceeded(`${bytes.byteLength} bytes are more than the limit of ${limit}`);
}

function rounded(bytes: number): number {
  if (bytes <= largeStep) return 2 ** Math.ceil(Math.log2(Math.max(bytes, firstBound)));
  return Math.min(Math.ceil(bytes / largeStep) * largeStep, maxBound);
}

function planFor(steps: readonly ChainStep[], bound: number): Plan {
  const plans = plansByBound(steps);
  const plan = plans.get(bound) ?? Plan.bytesOnly(steps, bound);
  plans.set(bound, plan);
  return plan;
}
