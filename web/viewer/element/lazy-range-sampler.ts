/** Loads the sampler of ranges when the range of a layer needs values of other slices. */
import type { Layer } from "../model/layers.js";
import type { Shared } from "../tiles/shared.js";
import type { RangeSampler } from "./range-sampler.js";
import type { Ranges } from "./ranges.js";

export class LazyRangeSampler {
  #sampler: RangeSampler | undefined;
  #loading: Promise<void> | undefined;
  #isDisposed = false;
  #hasFailed = false;

  /** @param onDone called when ranges have changed */
  constructor(
    private readonly shared: Shared,
    private readonly ranges: Ranges,
    private readonly onDone: () => void,
  ) {}

  /** Whether ranges will change. */
  get isBusy(): boolean {
    return this.#loading !== undefined || this.#sampler?.isBusy === true;
  }

  /** @param budget maximum bytes to read, decoded */
  start(layers: readonly Layer[], budget: number): void {
    if (budget === 0) return;
    if (this.#sampler) this.#sampler.start(layers, budget);
    else if (!this.#hasFailed && layers.some((layer) => this.ranges.needsSample(layer)))
      this.#loading ??= this.#load();
  }

  leave(): void {
    this.#sampler?.leave();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.leave();
  }

  async #load(): Promise<void> {
    try {
      const { RangeSampler: Sampler } = await import("./range-sampler.js");
      if (!this.#isDisposed) this.#sampler = new Sampler(this.shared, this.ranges, this.onDone);
    } catch {
      this.#hasFailed = true; // slices keep the range of the first one
    }
    this.#loading = undefined;
    if (!this.#isDisposed) this.onDone();
  }
}
