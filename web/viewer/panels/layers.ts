/** The layers over the picture: a list with their styles, and a field that adds one. */
import { colormapNames, isColormap } from "../base/colormaps.js";
import { h, labelled, select } from "../base/dom.js";
import { longName, shortName } from "../base/text.js";
import { type LayerState, layerName, layerStates, maxLayers, sourceKey } from "../model/added-layers.js";
import { layerColor } from "../model/layer-color.js";
import type { ViewState } from "../model/state.js";

/** The controls of one layer. */
interface Row {
  readonly element: HTMLElement;
  readonly key: string;
  sync(layer: LayerState): void;
}

export class LayersPanel {
  readonly #rows = h("div", { class: "zw-layer-rows" });
  readonly #address = h("input", { type: "text", spellcheck: false, placeholder: "URL of Zarr or GeoJSON" });
  readonly #add = h("button", { type: "button", class: "zw-button", onclick: () => this.#append() }, "Add");
  readonly #opacity = h("input", { type: "range", min: 0, max: 100 });
  readonly element: HTMLElement;
  #layers: readonly LayerState[] = [];
  #list: Row[] = [];

  constructor(
    private readonly onChange: (layers: readonly LayerState[], control: string) => void,
    onOpacity: (opacity: number) => void,
  ) {
    this.#opacity.addEventListener("input", () => onOpacity(Number(this.#opacity.value) / 100));
    this.#address.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#append();
    });
    this.element = h(
      "fieldset",
      { class: "zw-card zw-layers" },
      h("legend", {}, "Layers"),
      h(
        "div",
        { class: "zw-card-body" },
        this.#rows,
        labelled("Opacity of the picture", this.#opacity),
        labelled(
          "Add a layer",
          this.#address,
          "zw-field",
          h("span", { class: "zw-layer-add" }, this.#address, this.#add),
        ),
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
      this.#rows.replaceChildren(...this.#list.map(({ element }) => element).reverse());
    }
    for (const [i, layer] of layers.entries()) this.#list[i]!.sync(layer);
    this.#add.disabled = layers.length >= maxLayers;
  }

  #append(): void {
    const source = this.#address.value.trim();
    if (source === "") return;
    this.#address.value = "";
    this.onChange(layerStates([...this.#layers, { source }]), "layers-add");
  }

  #set(at: number, change: Partial<LayerState>, control: string): void {
    const layers = this.#layers.map((layer, i) => (i === at ? { ...layer, ...change } : layer));
    this.onChange(layers, `layers-${at}-${control}`);
  }

  #move(at: number, by: 1 | -1): void {
    const layers = [...this.#layers];
    const [layer] = layers.splice(at, 1);
    layers.splice(at + by, 0, layer!);
    this.onChange(layers, "layers-order");
  }

  #row(layer: LayerState, key: string, at: number): Row {
    const name = shortName(layerName(layer));
    const box = h("input", {
      type: "checkbox",
      onchange: () => this.#set(at, { isOn: box.checked }, "visible"),
    });
    const opacity = h("input", {
      type: "range",
      min: 0,
      max: 100,
      oninput: () => this.#set(at, { opacity: Number(opacity.value) / 100 }, "opacity"),
    });
    const blend = select(
      [
        ["normal", "Normal"],
        ["add", "Additive"],
      ],
      (value) => this.#set(at, { blend: value as LayerState["blend"] }, "blend"),
    );
    const colormap = select([["", "Default"], ...colormapNames.map((map) => [map, map] as const)], (value) =>
      this.#set(at, { colormap: isColormap(value) ? value : null }, "colormap"),
    );
    const color = h("input", {
      type: "color",
      oninput: () => this.#set(at, { color: color.value.slice(1) }, "color"),
    });
    const button = (text: string, label: string, onclick: () => void) =>
      h("button", { type: "button", class: "zw-button", "aria-label": `${label} ${name}`, onclick }, text);
    const up = button("↑", "Raise", () => this.#move(at, 1));
    const down = button("↓", "Lower", () => this.#move(at, -1));
    const remove = button("Remove", "Remove", () =>
      this.onChange(
        this.#layers.filter((_, i) => i !== at),
        "layers-remove",
      ),
    );
    const element = h(
      "div",
      { class: "zw-layer", role: "group", "aria-label": `Layer ${name}` },
      h("label", { class: "zw-check", title: longName(layerName(layer)) }, box, name),
      labelled("Opacity", opacity),
      h(
        "div",
        { class: "zw-layer-style" },
        labelled("Blending", blend),
        labelled("Colour map", colormap),
        labelled("Colour", color),
      ),
      h("div", { class: "zw-layer-buttons" }, up, down, remove),
    );
    return {
      element,
      key,
      sync: (now) => {
        box.checked = now.isOn;
        opacity.value = String(Math.round(now.opacity * 100));
        blend.value = now.blend;
        colormap.value = now.colormap ?? "";
        color.value = `#${layerColor(now)}`;
        up.disabled = at === this.#layers.length - 1;
        down.disabled = at === 0;
      },
    };
  }
}
