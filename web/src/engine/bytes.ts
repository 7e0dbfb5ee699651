/**
 * Runs of bytes-to-bytes codecs where no metadata says how many bytes come out: variable-length data,
 * and shards with codecs behind them.
 */
import { isZarrError, limitExceeded } from "../util/errors.js";
import { keptFor } from "../util/platform.js";
import { withDecoder } from "./engine.js";
import { type ChainStep, Plan } from "./plan.js";
import { type CodecSession, checkedSize } from "./session.js";

/** The smallest bound that is tried. Most chunks fit at once: buffers of this size cost nothing. */
const firstBound = 2 ** 16;
/** How many times its encoded size a chunk is first taken for, and how much larger at each further try. */
const growth = 8;
/** Above this, bounds are multiples of it instead of powers of two, which would soon pass what memory holds. */
const largeStep = 2 ** 26;
/** What one WebAssembly memory can serve. */
const largestBound = 2 ** 31 - 1;

/** Plans by bound. Bounds are rounded, so that a list of steps has few of them. */
const plansOf = keptFor((_steps: readonly ChainStep[]) => new Map<number, Plan>());

/**
 * Decodes through a chain of bytes-to-bytes codecs (given in encoding order; pass the same array for
 * every chunk, for its plans are kept with it). Without steps the bytes come back as they are.
 * @param limit the most bytes that may come out
 * @param expected how many bytes a header says will come out. It can only lower the first bound: a header
 *   that lies costs a further try, never memory.
 * @throws CorruptChunk; LimitExceeded for more than `limit` bytes
 */
export async function decodeBytes(
  steps: readonly ChainStep[],
  encoded: Uint8Array,
  limit: number,
  expected?: number,
): Promise<Uint8Array> {
  if (steps.length === 0) return withinLimit(encoded, limit);
  // Plans of all bounds need the same module: one stands for them.
  return withDecoder(planFor(steps, firstBound), (session) =>
    decodeBytesIn(session, steps, encoded, limit, expected),
  );
}

/** {@link decodeBytes} in a session that holds all the decoders; without steps none is needed. */
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

/** Encodes any number of bytes through a chain of bytes-to-bytes codecs, in a session that holds all the encoders. Without steps they come back as they are. */
export function encodeBytesIn(
  session: CodecSession,
  steps: readonly ChainStep[],
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const size = checkedSize(bytes);
  return steps.length === 0 ? bytes : session.encode(planFor(steps, rounded(size)), bytes);
}

/** Whether more came out than the bound that was tried. */
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
  return Math.min(Math.ceil(bytes / largeStep) * largeStep, largestBound);
}

function planFor(steps: readonly ChainStep[], bound: number): Plan {
  const plans = plansOf(steps);
  const plan = plans.get(bound) ?? Plan.bytesOnly(steps, bound);
  plans.set(bound, plan);
  return plan;
}
