/** Parts of which the server says that they are of a web page, and that do not show it. */
import { readRangeAnswer, statusError, wholeStatus } from "./answer.js";
import { readBody } from "./body.js";
import { pageError, startsPage, tellingBytes } from "./page.js";
import type { Requests } from "./requests.js";

export class PageDoubts {
  readonly #doubtful = new WeakSet<Uint8Array>();

  constructor(private readonly requests: Requests) {}

  add(bytes: Uint8Array): void {
    this.#doubtful.add(bytes);
  }

  /**
   * Looks at the start of the object, if there is doubt.
   * @throws Network ("html-page").
   */
  async settle(bytes: Uint8Array, url: URL, signal: AbortSignal): Promise<void> {
    if (!this.#doubtful.has(bytes)) return;
    const asked = { offset: 0, length: tellingBytes };
    await this.requests.send(url, { signal, range: `bytes=0-${tellingBytes - 1}` }, async (answer, watch) => {
      const { status } = answer;
      if (status !== 206 && !wholeStatus.has(status)) throw statusError(url.href, answer);
      const reading = { name: url.href, maxBytes: tellingBytes, watch };
      const start =
        status === 206
          ? (await readRangeAnswer(answer, asked, reading)).bytes
          : await readBody(answer, { ...reading, take: tellingBytes });
      if (startsPage(start)) throw pageError(url.href, status);
    });
  }
}
