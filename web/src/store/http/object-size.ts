/** How long objects are: by HEAD, or by a request for one byte. */

import { readRangeAnswer, unsatisfiedTotal } from "./range-answer.js";
import { isFailure, type Requests } from "./requests.js";
import { announcedBytes, missingStatus, statusError, wholeStatus } from "./response.js";

/** Size of an object that is not there. */
export const noObject = -1;

/** The size of an object: `noObject` where there is none, undefined where the server does not tell. */
export async function objectSize(
  requests: Requests,
  url: URL,
  signal: AbortSignal,
): Promise<number | undefined> {
  const told = await sizeByHead(requests, url, signal);
  if (told !== undefined) return told;
  return requests.send(url, { signal, range: "bytes=0-0" }, async (answer, watch) => {
    const { status } = answer;
    if (missingStatus.has(status)) return noObject;
    if (status === 416) return unsatisfiedTotal(answer);
    if (wholeStatus.has(status)) return announcedBytes(answer);
    if (status !== 206) throw statusError(url.href, answer);
    const reading = { name: url.href, maxBytes: 1, watch };
    return (await readRangeAnswer(answer, { offset: 0, length: 1 }, reading)).range?.total;
  });
}

/** CORS may allow GET and not HEAD, which looks like a connection that fails. */
export async function sizeByHead(
  requests: Requests,
  url: URL,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return await requests.send(url, { signal, method: "HEAD", once: true }, async (answer) => {
      if (missingStatus.has(answer.status)) return noObject;
      return answer.status >= 200 && answer.status < 300 ? announcedBytes(answer) : undefined;
    });
  } catch (error) {
    if (!isFailure(error)) throw error;
    return undefined;
  }
}
