/**
 * Decodes single zstd frames that do not state their content size, of any size, and with a dictionary:
 * Icechunk metadata.
 */
import { corruptChunk, isZarrError, limitExceeded } from "../util/errors.js";
import { uninitialised } from "../util/platform.js";
import { decodeBytes } from "./bytes.js";
import { sessionOf } from "./engine.js";
import type { ChainStep } from "./plan.js";
import type { CodecSession } from "./session.js";

/** Frames of at most `smallFrame` bytes with at most `smallContent` bytes of content are decoded in one step. */
const smallFrame = 2 ** 20;
const smallContent = 2 ** 23;

const steps: readonly ChainStep[] = [{ core: "zstd", params: [0, 0], name: "zstd" }];

/**
 * Decodes one frame. A large one is decoded twice, piece by piece: the first pass determines the content
 * size, so that no more memory is allocated than that and the frame itself.
 * @param limit maximum number of decoded bytes.
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
 * Returns a decoder for small frames that were made with a dictionary.
 * @returns a function that decodes one frame; it throws like {@link expandZstd}.
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

/** Rejects frames from before zstd 1.0 and skippable frames, which Icechunk never writes. */
function checkMagic(frame: Uint8Array): void {
  if ([0x28, 0xb5, 0x2f, 0xfd].some((byte, i) => frame[i] !== byte))
    throw corruptChunk("there is no zstd frame", { code: "bad-header", codec: "zstd" });
}
