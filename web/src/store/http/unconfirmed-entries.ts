/**
 * Lets readers use stored metadata documents, and the first stored chunks, while requests confirm them. Until then, no
 * response of a server is combined with them, as it may be of a later version.
 */
import { untilAborted } from "../../util/async.js";
import { networkError } from "../../util/errors.js";
import { type CacheEntry, mayBeStale } from "./cache-entry.js";

/** Maximum number of chunks of an array in use before they are confirmed: enough for a first picture. */
const maxChunks = 100;

export class UnconfirmedEntries {
  /** Confirmations in flight, by the ids of their entries. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Ids of entries that have been used. Later reads of them wait for the server. */
  readonly #used = new Set<string>();
  /** By document of an array: the visit that stored the chunks in use, and how many more may be used. */
  readonly #visits = new Map<string, { readonly visit: string | undefined; left: number }>();
  /** URLs that have been reported. */
  readonly #reported = new Set<string>();
  /** Number of entries that had changed when they were in use. After the first one, all reads wait. */
  changes = 0;

  /** @param onOutdated called with the URL of an outdated document. Without it, all entries are confirmed first. */
  constructor(private readonly onOutdated: ((url: string) => void) | undefined) {}

  /**
   * Uses a stored document in its first read, or while that is being confirmed.
   * @param document its URL.
   * @param confirm returns whether it is unchanged.
   * @returns whether it may be used.
   */
  use(document: string, entry: CacheEntry, confirm: () => Promise<boolean>): boolean {
    if (!this.onOutdated || this.changes > 0) return false;
    const { id } = entry;
    if (this.#inFlight.has(id)) return true;
    if (this.#used.has(id) || !mayBeStale(entry)) return false;
    this.#used.add(id);
    this.#inFlight.set(id, this.#confirm(id, document, confirm));
    return true;
  }

  /**
   * The same for a chunk. Those in use are stored by one visit: chunks of several visits may be of several versions.
   * @param document URL of the document that describes its array; "" if there is none.
   */
  useChunk(document: string, entry: CacheEntry, confirm: () => Promise<boolean>): boolean {
    const { visit } = entry;
    const used = this.#visits.get(document) ?? { visit, left: maxChunks };
    if (document === "" || visit === undefined || visit !== used.visit || used.left === 0) return false;
    if (!this.use(document, entry, confirm)) return false;
    used.left--;
    this.#visits.set(document, used);
    return true;
  }

  /** Whether a confirmed chunk may be combined with those in use: the same visit has stored it. */
  fits(document: string, { visit }: CacheEntry): boolean {
    return visit !== undefined && this.#visits.get(document)?.visit === visit;
  }

  /** Uses no more unconfirmed chunks of an array: its server has sent others. */
  refuseChunks(document: string): void {
    if (this.onOutdated) this.#visits.set(document, { visit: undefined, left: 0 });
  }

  async #confirm(id: string, document: string, confirm: () => Promise<boolean>): Promise<void> {
    const isSame = await confirm().catch(() => false);
    this.#inFlight.delete(id);
    if (isSame) return;
    this.changes++;
    if (this.#reported.has(document)) return;
    this.#reported.add(document);
    this.onOutdated!(document);
  }

  /**
   * Waits for the confirmations of all entries in use, of all folders, as references name objects anywhere.
   * @param changes their number when the read began.
   * @throws Network ("changed") if there have been more; the signal's reason.
   */
  async settle(changes: number, signal: AbortSignal): Promise<void> {
    for (const confirmation of this.#inFlight.values()) await untilAborted(confirmation, signal);
    if (this.changes === changes) return;
    throw networkError("stored data have changed; open the node again", { code: "changed" });
  }
}
