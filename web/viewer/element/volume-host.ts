/** Shows a volume with the ranges of its layers. Loads its code on first use. */
import { text } from "../language/text.js";
import { type Layer, volumeAxes } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { LayerNumbers } from "../panels/panel.js";
import type { Dataset } from "../source/dataset.js";
import type { VolumeCallbacks, VolumeView } from "../volume/volume-view.js";
import { type Limits, Ranges } from "./ranges.js";

export class VolumeHost {
  readonly ranges = new Ranges();
  readonly kind = "image";
  layers: readonly Layer[] = [];
  /** Undefined if no volume is shown. */
  view: VolumeView | undefined;

  constructor(private readonly callbacks: Omit<VolumeCallbacks, "onTile" | "limits">) {}

  /** Names the level of the volume; undefined without one. */
  get level(): string | undefined {
    const level = this.view?.level;
    return level && text.volume.levels(...level);
  }

  get numbers(): LayerNumbers[] {
    return this.layers.filter(hasRange).map((layer) => ({ ...this.ranges.numbers(layer), isAllSeen: false }));
  }

  /**
   * Shows the volume of a state.
   * @param isCurrent whether it is still wanted after loading
   * @param limits of the layers of another picture. Default: those of the volume's own values
   * @returns its view; undefined if the dataset has no third axis, or another view is wanted
   * @throws if WebGL2 is unavailable, or the code cannot be loaded
   */
  async show(
    dataset: Dataset,
    state: ViewState,
    isCurrent: () => boolean,
    limits?: ReadonlyMap<string, Limits>,
  ): Promise<VolumeView | undefined> {
    const [{ VolumeView, volumeLayers }, { volumeLabels }] = await Promise.all([
      import("../volume/part.js"),
      import("../panels/volume-labels.js"),
    ]);
    const axes = volumeAxes(dataset, state);
    if (!axes || !isCurrent()) return undefined;
    this.layers = volumeLayers(dataset, state, axes).map((layer): Layer => {
      const [low, high] = limits?.get(layer.id) ?? [];
      return low === undefined ? layer : { ...layer, range: { mode: "manual", low, high: high! } };
    });
    const measured = this.layers.filter(hasRange);
    this.ranges.begin(measured, { isPerSlice: true, isCommon: state.isRangeCommon, isOfCoarsest: true });
    this.view ??= new VolumeView({
      ...this.callbacks,
      onTile: (tile, layer) => {
        if (hasRange(layer)) this.ranges.add(tile, layer);
      },
      limits: (layer) => (hasRange(layer) ? this.ranges.limits(layer) : [0, 1]),
      onFrame: (status) => {
        if (status.done === status.chunks) this.ranges.settle();
        this.callbacks.onFrame(status);
      },
    });
    const labels = volumeLabels(dataset, axes, state);
    this.view.show({ dataset, state, axes, layers: this.layers, labels });
    return this.view;
  }

  end(): void {
    this.view?.dispose();
    this.view = undefined;
    this.layers = [];
  }
}

const hasRange = ({ style }: Layer): boolean => style.kind !== "labels";
