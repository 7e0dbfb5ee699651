/**
 * Single zstd frames that do not say how many bytes they hold, of any size, and with a dictionary: metadata of Icechunk.
 */
import { corruptChunk, isZarrError, limitExceeded } from "../util/errors.js";
import { uninitialised } from "../util/platform.js";
import { decodeBytes } from "./bytes.js";
import { sessionOf } from "./engine.js";
import type { ChainStep } from "./plan.js";
import type { CodecSession } from "./session.js";

/** Frames of up to so many bytes are decoded at once, into memory of the core, if they hold no more than this. */
const smallFrame = 2 ** 20;
const smallContent = 2 ** 23;

const steps: readonly ChainStep[] = [{ core: "zstd", params: [0, 0], name: "zstd" }];

/**
 * Decodes one frame. A large one is decoded twice, piece by piece: first to know how many bytes it holds, so that no
 * more memory is taken than that, besides the frame itself.
 * @param limit most bytes that may come out.
 * @throws CorruptChunk; LimitExceeded.
 */
export async function expandZstd(frame: Uint8Array, limit: number): Promise<Uint8Array> {
  checkMagic(frame);
  if (frame.byteLength <= smallFrame) {
    const most = Math.min(limit, smallContent);
    try {
      return await decodeBytes(steps, frame, most);
    } catch (error) {
      if (!isZarrError(error, "LimitExceeded") || error.code !== "limit-exceeded" || most === limit)
        throw error;
    }
  }
  return expandIn(await sessionOf("full"), frame, undefined, limit);
}

/**
 * Decodes small frames that were made with a dictionary.
 * @returns what decodes one; it throws as {@link expandZstd} does.
 */
export async function expanderWith(
  dictionary: Uint8Array,
): Promise<(frame: Uint8Array, limit: number) => Uint8Array> {
  const session = await sessionOf("full");
  return (frame, limit) => {
    checkMagic(frame);
    return expandIn(session, frame, dictionary, limit);
  };
}

function expandIn(
  session: CodecSession,
  frame: Uint8Array,
  dictionary: Uint8Array | undefined,
  limit: number,
): Uint8Array {
  let total = 0;
  session.expandFrame(frame, dictionary, (piece) => {
    total += piece.byteLength;
    if (total > limit) throw limitExceeded(`a zstd frame holds more than ${limit} bytes`);
  });
  const out = uninitialised(total);
  let filled = 0;
  session.expandFrame(frame, dictionary, (piece) => {
    out.set(piece, filled);
    filled += piece.byteLength;
  });
  return out;
}

/** Frames of before 1.0, and skippable ones, are none of Icechunk's. */
function checkMagic(frame: Uint8Array): void {
  if ([0x28, 0xb5, 0x2f, 0xfd].some((byte, i) => frame[i] !== byte))
    throw corruptChunk("there is no zstd frame", { code: "bad-header", codec: "zstd" });
}
