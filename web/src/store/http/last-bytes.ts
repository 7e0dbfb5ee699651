/** The last bytes of objects, whatever the server makes of a request for them. */

import { isZarrError } from "../../util/errors.js";
import type { Watch } from "../../util/idle-timeout.js";
import type { Answer } from "../transport.js";
import type { Abilities } from "./capabilities.js";
import type { Shared } from "./fallback.js";
import { readPart } from "./offset-ranges.js";
import { unsatisfiedTotal } from "./range-answer.js";
import { isFailure } from "./requests.js";
import { announcedBytes, missingStatus, statusError } from "./response.js";

type Bytes = Uint8Array | undefined;

/** The last bytes, or a size of the object, perhaps an unknown one, if the server does not serve them. */
type Tried = { bytes: Bytes } | { size: number | undefined };

/** An object that comes whole instead of its last bytes is read on, if it is not longer. */
const shortBytes = 2 ** 20;

/** By a suffix range, else by the object's length, else from the whole object. */
export async function readLast(
  shared: Shared,
  url: URL,
  length: number,
  signal: AbortSignal,
): Promise<Bytes> {
  const tried: Tried =
    shared.servers.of(url).suffix === false
      ? { size: undefined }
      : await trySuffix(shared, url, length, signal);
  return "size" in tried ? shared.fallback().lastBytes(url, length, tried.size, signal) : tried.bytes;
}

/** Asks for the last bytes. */
async function trySuffix(shared: Shared, url: URL, length: number, signal: AbortSignal): Promise<Tried> {
  const server = shared.servers.of(url);
  const asked = { suffixLength: Math.max(1, length) };
  const sending = { signal, range: `bytes=-${asked.suffixLength}`, once: server.suffix === undefined };
  try {
    return await shared.requests.send<Tried>(url, sending, async (answer, watch) => {
      const { status } = answer;
      if (missingStatus.has(status)) return { bytes: undefined };
      if (status === 206) {
        const { bytes, unprovenSize } = await readPart(shared, url, answer, watch, { asked, length });
        // Fewer bytes than were asked for, and no word of which ones: the size tells.
        if (unprovenSize !== undefined) return { size: undefined };
        server.suffix = true;
        return { bytes };
      }
      if (status === 416 && unsatisfiedTotal(answer) === 0) return { bytes: new Uint8Array(0) };
      if (status === 401 || status === 403) throw statusError(url.href, answer);
      server.suffix = false;
      return instead(shared, url, answer, watch, length);
    });
  } catch (error) {
    // Meanwhile another request has shown that the server can: this one failed by accident.
    if (sending.once && server.suffix === true && isFailure(error))
      return trySuffix(shared, url, length, signal);
    if (!isRefusal(error, server)) throw error;
    return { size: undefined };
  }
}

/** What another answer than the last bytes is good for: a short object as it is, or the size it tells. */
async function instead(
  { wholes, versions, maxBytes }: Shared,
  url: URL,
  answer: Answer,
  watch: Watch,
  length: number,
): Promise<Tried> {
  const { status } = answer;
  const size = status === 416 ? unsatisfiedTotal(answer) : announcedBytes(answer);
  if (status === 200 && size !== undefined && size <= Math.max(shortBytes, 2 * length)) {
    const whole = await wholes.body(url, answer, watch, { maxBytes });
    return { bytes: versions.cut(whole, { suffixLength: length }) };
  }
  return { size: status === 200 || status === 416 ? size : undefined };
}

/** True for failures after which the last bytes are asked for in another way. */
function isRefusal(error: unknown, server: Abilities): boolean {
  if (!isZarrError(error, "Network") || server.suffix === true) return false;
  if (error.code === "bad-range") server.suffix = false;
  // A preflight that is refused looks like a broken connection. It is taken for the one after the second time.
  else if (isFailure(error)) server.suffix = ++server.suffixFaults < 2 ? undefined : false;
  else return false;
  return true;
}
