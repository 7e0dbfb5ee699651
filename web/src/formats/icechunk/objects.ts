/** Reading the objects of a repository. */

import { answerOf, locateKey } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { limitExceeded } from "../../util/errors.js";

/** Reads an object of at most so many bytes; undefined where there is none. */
export type ReadObject = (key: string, maxBytes: number) => Promise<Uint8Array | undefined>;

/** @throws LimitExceeded; what the store throws. */
export function objectReader(store: Store, signal: AbortSignal | undefined): ReadObject {
  return async (key, maxBytes) => {
    const bytes = await answerOf(store, key, () => store.get(key, { signal, maxBytes }), signal);
    if (bytes && bytes.byteLength > maxBytes)
      throw limitExceeded(`${locateKey(store, key)} has more than the limit of ${maxBytes} bytes`);
    return bytes;
  };
}
