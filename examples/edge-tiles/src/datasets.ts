/** Caches open datasets: each is opened once, and again after it expires. */
import type { ZarrArray } from "zarr-wasm";
import { type Dataset, openDataset } from "./dataset.js";
import { Flights } from "./flights.js";
import type { Choice } from "./route.js";
import type { Scope } from "./scope.js";
import type { Env, Settings } from "./settings.js";
import { storeOf } from "./store.js";

interface Opened {
  readonly dataset: Dataset;
  readonly since: number;
  /** Shards from which chunks were read; the library caches the index of each. */
  readonly shards: Set<string>;
  indexBytes: number;
}

/** Maximum number of open datasets. */
const mostOpen = 64;

export class Datasets {
  readonly #open = new Map<string, Opened>();
  readonly #flights = new Flights<Opened>();

  constructor(
    private readonly env: Env,
    private readonly settings: Settings,
  ) {}

  /** @throws errors of opening; Refusal (504). */
  async get(name: string, { variable }: Choice, scope: Scope): Promise<Dataset> {
    const key = `${name}\n${variable ?? ""}`;
    const { metadataTtl, timeout } = this.settings;
    const kept = this.#open.get(key);
    if (kept && Date.now() - kept.since < metadataTtl) {
      this.#open.delete(key); // moves it to the end: most recently used
      this.#open.set(key, kept);
      return kept.dataset;
    }
    const { dataset } = await this.#flights.run(key, timeout, scope, async (signal) => {
      const store = storeOf(name, this.env, this.settings);
      const dataset = await openDataset(store, variable, this.settings, signal);
      const opened = { dataset, since: Date.now(), shards: new Set<string>(), indexBytes: 0 };
      this.#keep(key, opened);
      return opened;
    });
    return dataset;
  }

  /** Drops a dataset, so that the next request opens it afresh and waits for no earlier read. */
  forget(dataset: Dataset): void {
    for (const [key, opened] of this.#open) if (opened.dataset === dataset) this.#open.delete(key);
  }

  /**
   * Records that a chunk is about to be read. The library caches shard indexes as long as the dataset is open; if they
   * exceed their limit, the least recently used datasets are closed.
   */
  noteRead(dataset: Dataset, level: ZarrArray, chunk: readonly number[]): void {
    const { shardShape, chunkShape } = level;
    if (!shardShape) return;
    const opened = [...this.#open.values()].find((candidate) => candidate.dataset === dataset);
    const key = level.chunkKey(chunk);
    if (!opened || opened.shards.has(key)) return;
    opened.shards.add(key);
    opened.indexBytes += 16 * shardShape.reduce((count, length, axis) => count * Math.ceil(length / chunkShape[axis]!), 1);
    this.#trim((total) => total.bytes > this.settings.indexCacheBytes);
  }

  #keep(key: string, opened: Opened): void {
    this.#open.delete(key);
    this.#open.set(key, opened);
    this.#trim(({ count }) => count > mostOpen);
  }

  #trim(isTooMuch: (total: { count: number; bytes: number }) => boolean): void {
    const total = { count: this.#open.size, bytes: 0 };
    for (const { indexBytes } of this.#open.values()) total.bytes += indexBytes;
    for (const [key, { indexBytes }] of this.#open) {
      if (!isTooMuch(total)) return;
      this.#open.delete(key);
      total.count--;
      total.bytes -= indexBytes;
    }
  }
}
