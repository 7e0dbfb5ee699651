/** Files of references that have been read: kept up to a number of bytes, each read once for all who ask for it. */
import { SingleFlight } from "../../util/single-flight.js";
import type { Records } from "../parquet/records.js";

/** What it costs to know that a file is not there. */
const missingBytes = 256;

export class RecordFiles {
  /** Null for a file that is not there. */
  readonly #kept = new Map<string, Records | null>();
  #bytes = 0;
  readonly #flights = new SingleFlight<Records | null>();

  /** @param maxBytes that are kept, besides the file that was read last. */
  constructor(
    private readonly maxBytes: number,
    private readonly load: (key: string, signal: AbortSignal) => Promise<Records | undefined>,
  ) {}

  /** A file that was read before, null for one that is not there; undefined where that is not known. */
  kept(key: string): Records | null | undefined {
    const records = this.#kept.get(key);
    if (records === undefined) return undefined;
    this.#kept.delete(key); // to the end: used last
    this.#kept.set(key, records);
    return records;
  }

  /** @returns null where there is none. */
  async get(key: string, signal: AbortSignal | undefined): Promise<Records | null> {
    const records = this.kept(key);
    if (records !== undefined) return records;
    return this.#flights.run(key, signal, async (joint) => {
      const loaded = (await this.load(key, joint)) ?? null;
      this.#keep(key, loaded);
      return loaded;
    });
  }

  #keep(key: string, records: Records | null): void {
    this.#kept.set(key, records);
    this.#bytes += bytesOf(records);
    for (const [old, oldest] of this.#kept) {
      if (this.#bytes <= this.maxBytes || old === key) break;
      this.#kept.delete(old);
      this.#bytes -= bytesOf(oldest);
    }
  }
}

const bytesOf = (records: Records | null): number => records?.byteLength ?? missingBytes;
