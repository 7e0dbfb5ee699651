/** Reads the columns that colour rows. Long reads of genes begin when the user agrees, and the view does not wait. */
import { errorMessage, formatByteCount } from "../base/format.js";
import { text } from "../language/text.js";
import type { Note } from "../panels/messages.js";
import { geneTitle } from "../source/gene-name.js";
import { LargeRead } from "../source/genes.js";
import type { Observations } from "../source/observations.js";

/** Bytes that are read before the view is drawn. */
const maxAwaited = 16 * 2 ** 20;

/** Progress of a long read. */
export const progressText = (by: string, share: number, bytes: number): string =>
  text.columns.progress(geneTitle(by), Math.round(100 * share), formatByteCount(bytes));

/** Asks before a long read. */
export const consentNote = (by: string, { message, bytes }: LargeRead, run: () => void): Note => ({
  text: text.columns.unread(geneTitle(by), message),
  action: { label: text.columns.read(formatByteCount(bytes)), run },
});

interface ColumnEvents {
  /** Called with the note on the read, if any. */
  readonly onNote: (note: Note | undefined) => void;
  /** Called when a column has been read that was not awaited. */
  readonly onNews: () => void;
}

export class ColumnReader {
  #current: { readonly observations: Observations; readonly by: string } | undefined;
  #abort = new AbortController();

  constructor(
    private readonly signal: AbortSignal,
    private readonly events: ColumnEvents,
  ) {}

  /** Returns once a column has been read, or a long read has begun. Ends reads of other columns. */
  async read(observations: Observations, by: string): Promise<void> {
    const now = this.#current;
    if (now?.observations === observations && now.by === by) return this.#awaited;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#current = { observations, by };
    this.events.onNote(undefined);
    this.#awaited = observations.column(by) || by === "" ? undefined : this.#begin(observations, by);
    await this.#awaited;
  }

  #awaited: Promise<void> | undefined;

  async #begin(observations: Observations, by: string): Promise<void> {
    const cost = (await observations.genes?.cost(by).catch(() => 0)) ?? 0; // reported by the read
    const reading = this.#attempt(observations, by, undefined);
    if (cost <= maxAwaited) await reading;
    else void reading.then(() => this.events.onNews());
  }

  /** Never rejects. */
  async #attempt(observations: Observations, by: string, maxBytes: number | undefined): Promise<void> {
    const controller = this.#abort;
    const signal = AbortSignal.any([controller.signal, this.signal]);
    const { onNote } = this.events;
    const again = (most: number | undefined) => {
      if (this.#abort === controller) this.#abort = new AbortController();
      void this.#attempt(observations, by, most).then(() => this.events.onNews());
    };
    const cancel = { label: text.columns.cancel, run: () => controller.abort() };
    const onProgress = (share: number, bytes: number) => {
      if (!signal.aborted) onNote({ text: progressText(by, share, bytes), action: cancel });
    };
    try {
      await observations.read(by, { maxBytes, onProgress, signal });
      const isRead = observations.column(by) !== undefined;
      if (!signal.aborted) onNote(isRead ? undefined : { text: text.columns.unknown(by) });
    } catch (error) {
      if (this.signal.aborted || this.#abort !== controller) return;
      const retry = { label: text.status.retry, run: () => again(maxBytes) };
      if (error instanceof LargeRead) onNote(consentNote(by, error, () => again(Infinity)));
      else if (signal.aborted) onNote({ text: text.columns.unread(geneTitle(by)), action: retry });
      else
        onNote({
          text: text.columns.failed(geneTitle(by), errorMessage(error)),
          action: retry,
        });
    }
  }
}
