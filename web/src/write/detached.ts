/** Values that may go while they are written. */
import { encodeFailed } from "../util/errors.js";

/**
 * Makes sure that values are still there, each time that some are taken.
 * @throws EncodeFailed where their buffer has been detached or made smaller since they were given.
 */
export function checkThere(content: Uint8Array | readonly unknown[]): void {
  if (content.length > 0) return;
  throw encodeFailed(
    "the values are gone: their buffer was transferred, or made smaller, while they were written",
  );
}
