/** Opens the layers over a picture and keeps their contents. */
import { loadColormap } from "../base/colormaps.js";
import { errorMessage } from "../base/format.js";
import { contentKey, type LayerState, layerName, placeKey } from "../model/added-layers.js";
import { openedLayers } from "../model/opened-layers.js";
import { type LayerContent, openLayerContent } from "../source/added-layer.js";
import type { Dataset } from "../source/dataset.js";
import { placeLayer } from "../source/layer-place.js";
import { loadLabelTable } from "./label-table-loader.js";

export { VectorOverlay } from "./vector-overlay.js";
// One file for all that layers need.
export { loadLabelTable };

export interface LayerOpenerCallbacks {
  /** Called when the content of a layer can be drawn. */
  onNews(): void;
  onFailure(sentence: string): void;
}

export class LayerOpener {
  readonly #contents = new Map<string, Promise<LayerContent>>();
  /** Keys of the places that have been tried. */
  readonly #tried = new Set<string>();

  constructor(
    private readonly image: Dataset,
    private readonly signal: AbortSignal,
    private readonly callbacks: LayerOpenerCallbacks,
  ) {}

  /** Opens the visible layers of a list that are not open. */
  async open(layers: readonly LayerState[]): Promise<void> {
    await Promise.all(layers.map((layer) => layer.isOn && this.#open(layer)));
  }

  async #open(layer: LayerState): Promise<void> {
    const key = `${placeKey(layer)} ${layer.colormap ?? ""} ${layer.by}`;
    if (this.#tried.has(key)) return;
    this.#tried.add(key);
    try {
      const [content] = await Promise.all([
        this.#content(layer),
        layer.colormap ? loadColormap(layer.colormap) : undefined,
      ]);
      if (content.kind === "image" && content.dataset.isLabels)
        await loadLabelTable(content.dataset, layer.by, this.signal);
      if (this.signal.aborted) return;
      openedLayers(this.image).set(
        placeKey(layer),
        content.kind === "features"
          ? content
          : { kind: "image", ...placeLayer(this.image, content.dataset, layer) },
      );
      this.callbacks.onNews();
    } catch (error) {
      if (this.signal.aborted) return;
      this.callbacks.onFailure(`The layer ${layerName(layer)} cannot be shown: ${errorMessage(error)}.`);
    }
  }

  #content(layer: LayerState): Promise<LayerContent> {
    const key = contentKey(layer);
    const known = this.#contents.get(key);
    if (known) return known;
    const opening = openLayerContent(layer, this.signal);
    this.#contents.set(key, opening);
    return opening;
  }
}
