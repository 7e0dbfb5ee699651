/** The layers over the picture: a list with their styles, and a field that adds one. */
import { h, labelled } from "../base/dom.js";
import { type LayerState, layerStates, maxLayers, sourceKey } from "../model/added-layers.js";
import { layerContents } from "../model/layer-columns.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import { LayerRow } from "./layer-row.js";
import type { Control, Panel, PanelContext } from "./panel.js";

interface KeyedRow {
  readonly row: LayerRow;
  /** Identifies the source of the layer. */
  readonly key: string;
}

export const layersPanel: Panel = {
  name: "layers",
  title: "Layers",
  isShown: ({ kind }) => kind === "image",
  build: (context) => [new Layers(context)],
};

class Layers implements Control {
  readonly #rows = h("div", { class: "zw-layer-rows" });
  readonly #address = h("input", { type: "text", spellcheck: false, placeholder: "URL of Zarr or GeoJSON" });
  readonly #add = h("button", { type: "button", class: "zw-button", onclick: () => this.#append() }, "Add");
  readonly #opacity = h("input", { type: "range", min: 0, max: 100 });
  readonly element: HTMLElement;
  #layers: readonly LayerState[] = [];
  #list: KeyedRow[] = [];

  readonly #image: Dataset;
  readonly #change: PanelContext["change"];

  constructor({ dataset, change }: PanelContext) {
    [this.#image, this.#change] = [dataset, change];
    this.#opacity.addEventListener("input", () =>
      change({ imageOpacity: Number(this.#opacity.value) / 100 }, "image-opacity"),
    );
    this.#address.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#append();
    });
    this.element = h(
      "div",
      { class: "zw-group" },
      this.#rows,
      labelled("Opacity of the picture", this.#opacity),
      labelled(
        "Add a layer",
        this.#address,
        "zw-field",
        h("span", { class: "zw-layer-add" }, this.#address, this.#add),
      ),
    );
  }

  sync({ layers, imageOpacity }: ViewState): void {
    this.#opacity.value = String(Math.round(imageOpacity * 100));
    this.#layers = layers;
    const keys = layers.map((layer) => `${sourceKey(layer)} ${layer.path}`);
    if (keys.join("\n") !== this.#list.map(({ key }) => key).join("\n")) {
      this.#list = layers.map((layer, i) => this.#row(layer, keys[i]!, i));
      // The topmost first.
      this.#rows.replaceChildren(...this.#list.map(({ row }) => row.element).reverse());
    }
    for (const [i, layer] of layers.entries()) {
      const place = { isFirst: i === 0, isLast: i === layers.length - 1 };
      this.#list[i]!.row.sync(layer, layerContents(this.#image, layer), place);
    }
    this.#add.disabled = layers.length >= maxLayers;
  }

  #append(): void {
    const source = this.#address.value.trim();
    if (source === "") return;
    this.#address.value = "";
    this.#set(layerStates([...this.#layers, { source }]), "add");
  }

  #set(layers: readonly LayerState[], control: string): void {
    this.#change({ layers }, `layers-${control}`);
  }

  #move(at: number, by: 1 | -1): void {
    const layers = [...this.#layers];
    const [layer] = layers.splice(at, 1);
    layers.splice(at + by, 0, layer!);
    this.#set(layers, "order");
  }

  #row(layer: LayerState, key: string, at: number): KeyedRow {
    const row = new LayerRow(layer, {
      onChange: (change, control) =>
        this.#set(
          this.#layers.map((one, i) => (i === at ? { ...one, ...change } : one)),
          `${at}-${control}`,
        ),
      onMove: (by) => this.#move(at, by),
      onRemove: () =>
        this.#set(
          this.#layers.filter((_, i) => i !== at),
          "remove",
        ),
    });
    return { row, key };
  }
}
