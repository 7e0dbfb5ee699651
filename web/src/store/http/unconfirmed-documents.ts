/**
 * Lets readers use stored metadata documents while requests confirm them. Until then, no response of a server is combined
 * with such a document, as it may be of a later version.
 */
import { untilAborted } from "../../util/async.js";
import { networkError } from "../../util/errors.js";
import { type CacheEntry, mayBeStale } from "./cache-entry.js";

export class UnconfirmedDocuments {
  /** Confirmations in flight, by URL. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** URLs of documents that have been used. Later reads of them wait for the server. */
  readonly #used = new Set<string>();
  /** Number of documents that had changed when they were in use. After the first one, all reads wait. */
  changes = 0;

  /** @param onOutdated called with the URL of a changed document. Without it, all documents are confirmed first. */
  constructor(private readonly onOutdated: ((url: string) => void) | undefined) {}

  /**
   * Uses a stored document in its first read, or while that is being confirmed.
   * @param confirm returns whether it is unchanged.
   * @returns whether it may be used.
   */
  use(address: string, entry: CacheEntry, confirm: () => Promise<boolean>): boolean {
    if (!this.onOutdated || this.changes > 0) return false;
    if (this.#inFlight.has(address)) return true;
    if (this.#used.has(address) || !mayBeStale(entry)) return false;
    this.#used.add(address);
    this.#inFlight.set(address, this.#confirm(address, confirm));
    return true;
  }

  async #confirm(address: string, confirm: () => Promise<boolean>): Promise<void> {
    const isSame = await confirm().catch(() => false);
    this.#inFlight.delete(address);
    if (isSame) return;
    this.changes++;
    this.onOutdated!(address);
  }

  /**
   * Waits for the confirmations of all documents in use, of all folders, as references name objects anywhere.
   * @param changes their number when the read began.
   * @throws Network ("changed") if there have been more; the signal's reason.
   */
  async settle(changes: number, signal: AbortSignal): Promise<void> {
    for (const confirmation of this.#inFlight.values()) await untilAborted(confirmation, signal);
    if (this.changes === changes) return;
    throw networkError("stored metadata have changed; open the node again", { code: "changed" });
  }
}
