/** Samples other slices for the ranges of layers that need their values. */
import { LazyPart } from "../base/lazy-part.js";
import type { Layer } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Shared } from "../tiles/shared.js";
import type { Ranges } from "./ranges.js";

/** Maximum bytes read for the range of all slices of small pictures. */
const leastSample = 2 ** 18;

export class SliceSampling {
  /** Loaded with the first range that needs other slices. */
  readonly #sampler = new LazyPart(async () => {
    const { RangeSampler } = await import("./range-sampler.js");
    return new RangeSampler(this.shared, this.ranges, this.redraw);
  });

  constructor(
    private readonly shared: Shared,
    private readonly ranges: Ranges,
    private readonly redraw: () => void,
  ) {}

  get isBusy(): boolean {
    return this.#sampler.isLoading || this.#sampler.value?.isBusy === true;
  }

  /**
   * Reads other slices for the ranges that need them; without the code, slices keep the range of the first one.
   * @param sample maximum MiB to read; null for as many bytes as the picture has
   */
  start(layers: readonly Layer[], sample: ViewState["sample"], pictureBytes: number): void {
    const budget = sample === null ? Math.max(leastSample, pictureBytes) : sample * 2 ** 20;
    if (budget === 0) return;
    const sampler = this.#sampler;
    if (sampler.value) sampler.value.start(layers, budget);
    else if (!sampler.hasFailed && layers.some((layer) => this.ranges.needsSample(layer)))
      sampler.want(this.redraw, this.redraw);
  }

  leave(): void {
    this.#sampler.value?.leave();
  }
}
