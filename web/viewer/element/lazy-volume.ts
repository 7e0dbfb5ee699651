/** The volume instead of the picture. Its code is loaded on first use. */
import type { Layer } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Orbit } from "../model/volume.js";
import type { LayerNumbers } from "../panels/control.js";
import type { Dataset } from "../source/dataset.js";
import type { TileStatus } from "../tiles/tile-set.js";
import type { VolumeView } from "../volume/volume-view.js";
import { Ranges } from "./ranges.js";

export interface LazyVolumeCallbacks {
  onOrbit(orbit: Orbit | null, cause: "pan" | "zoom"): void;
  onFrame(status: TileStatus): void;
}

export class LazyVolume {
  readonly ranges = new Ranges();
  #layers: readonly Layer[] = [];
  #view: VolumeView | undefined;

  constructor(private readonly callbacks: LazyVolumeCallbacks) {}

  /** Undefined if no volume is shown. */
  get view(): VolumeView | undefined {
    return this.#view;
  }

  get layers(): readonly Layer[] {
    return this.#layers;
  }

  get numbers(): LayerNumbers[] {
    return this.#layers.map((layer) => ({ ...this.ranges.numbers(layer), isAllSeen: false }));
  }

  /**
   * Shows the volume of a state.
   * @param isCurrent whether it is still wanted after loading
   * @returns its view; undefined if the dataset has no third axis, or another view is wanted
   * @throws if WebGL2 is unavailable, or the code cannot be loaded
   */
  async show(dataset: Dataset, state: ViewState, isCurrent: () => boolean): Promise<VolumeView | undefined> {
    const { VolumeView, volumeAxes, volumeLayers } = await import("../volume/part.js");
    const axes = volumeAxes(dataset, state);
    if (!axes || !isCurrent()) return undefined;
    this.#layers = volumeLayers(dataset, state, axes);
    this.ranges.begin(this.#layers, { isPerSlice: true, isCommon: state.isRangeCommon });
    this.#view ??= new VolumeView({
      onOrbit: (orbit, cause) => this.callbacks.onOrbit(orbit, cause),
      onTile: (tile, layer) => this.ranges.add(tile, layer),
      limits: (layer) => this.ranges.limits(layer),
      onFrame: (status) => {
        if (status.done === status.chunks) this.ranges.settle();
        this.callbacks.onFrame(status);
      },
    });
    this.#view.show({ dataset, state, axes, layers: this.#layers });
    return this.#view;
  }

  end(): void {
    this.#view?.dispose();
    this.#view = undefined;
    this.#layers = [];
  }
}
