/** Detects source buffers that are detached during a write. */
import { encodeFailed } from "../util/errors.js";

/**
 * Checks that the values still exist; called each time that some are read.
 * @throws EncodeFailed if their buffer was detached or shrunk since the call.
 */
export function checkThere(content: Uint8Array | readonly unknown[]): void {
  if (content.length > 0) return;
  throw encodeFailed(
    "the values are gone: their buffer was transferred, or made smaller, while they were written",
  );
}
