/** The layers over the picture: a list with their styles, and a field that adds one. */

import { colormapNames, isColormap } from "../base/colormaps.js";
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import { longName, shortName } from "../base/text.js";
import {
  type LayerState,
  layerColor,
  layerName,
  layerStates,
  maxLayerSize,
  maxLayers,
  sourceKey,
} from "../model/added-layers.js";
import { type LayerContents, layerContents } from "../model/column-colors.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import { ColumnRange, type Control, type Panel, type PanelContext } from "./panel.js";

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

interface LayerRowCallbacks {
  onChange(change: Partial<LayerState>, control: string): void;
  onMove(by: 1 | -1): void;
  onRemove(): void;
}

/** The place of a layer in the list. */
interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

class LayerRow {
  readonly element: HTMLElement;
  readonly #box: HTMLInputElement;
  readonly #opacity: HTMLInputElement;
  readonly #blend: HTMLSelectElement;
  readonly #by: HTMLSelectElement;
  readonly #map: HTMLSelectElement;
  readonly #range: ColumnRange;
  readonly #color: HTMLInputElement;
  readonly #size: HTMLInputElement;
  readonly #outlines: HTMLInputElement;
  readonly #fields: Readonly<Record<"blend" | "by" | "map" | "color" | "size" | "outlines", HTMLElement>>;
  readonly #up: HTMLButtonElement;
  readonly #down: HTMLButtonElement;
  #columns: readonly string[] = [];

  constructor(layer: LayerState, callbacks: LayerRowCallbacks) {
    const { onChange } = callbacks;
    const name = shortName(layerName(layer));
    this.#box = h("input", {
      type: "checkbox",
      onchange: () => onChange({ isOn: this.#box.checked }, "visible"),
    });
    this.#opacity = h("input", {
      type: "range",
      min: 0,
      max: 100,
      oninput: () => onChange({ opacity: Number(this.#opacity.value) / 100 }, "opacity"),
    });
    const blends = [
      ["normal", "Normal"],
      ["add", "Additive"],
    ] as const;
    this.#blend = select(blends, (value) => onChange({ blend: value as LayerState["blend"] }, "blend"));
    // Another column has other values.
    this.#by = select([], (by) => onChange({ by, colormap: null, range: { mode: "auto" } }, "by"));
    const maps = [["", "Default"], ...colormapNames.map((map) => [map, map] as const)] as const;
    this.#map = select(maps, (value) => onChange({ colormap: isColormap(value) ? value : null }, "colormap"));
    this.#range = new ColumnRange((range) => onChange({ range }, "range"), ` of ${name}`);
    this.#color = h("input", {
      type: "color",
      oninput: () => onChange({ color: this.#color.value.slice(1) }, "color"),
    });
    this.#size = numberField({ min: 0, max: maxLayerSize, step: "any", placeholder: "auto" }, () =>
      onChange({ size: Number(this.#size.value) }, "size"),
    );
    this.#outlines = h("input", {
      type: "checkbox",
      onchange: () => onChange({ isOutline: this.#outlines.checked }, "outlines"),
    });
    const button = (text: string, label: string, onclick: () => void) =>
      h("button", { type: "button", class: "zw-button", "aria-label": `${label} ${name}`, onclick }, text);
    this.#up = button("↑", "Raise", () => callbacks.onMove(1));
    this.#down = button("↓", "Lower", () => callbacks.onMove(-1));
    this.#fields = {
      by: labelled("Colour by", this.#by),
      blend: labelled("Blending", this.#blend),
      map: labelled("Colour map", this.#map),
      color: labelled("Colour", this.#color),
      size: labelled("Size, px", this.#size),
      outlines: h("label", { class: "zw-check" }, this.#outlines, "Outlines only"),
    };
    const { by, outlines, ...style } = this.#fields;
    this.element = h(
      "div",
      { class: "zw-layer", role: "group", "aria-label": `Layer ${name}` },
      h("label", { class: "zw-check", title: longName(layerName(layer)) }, this.#box, name),
      labelled("Opacity", this.#opacity),
      by,
      h("div", { class: "zw-layer-style" }, ...Object.values(style)),
      this.#range.element,
      outlines,
      h(
        "div",
        { class: "zw-layer-buttons" },
        this.#up,
        this.#down,
        button("Remove", "Remove", () => callbacks.onRemove()),
      ),
    );
  }

  /** @param contents undefined before the layer has been opened: all of its controls are offered */
  sync(layer: LayerState, contents: LayerContents | undefined, { isFirst, isLast }: Place): void {
    this.#box.checked = layer.isOn;
    this.#opacity.value = String(Math.round(layer.opacity * 100));
    this.#blend.value = layer.blend;
    this.#map.value = layer.colormap ?? "";
    this.#range.sync(layer.range);
    this.#color.value = `#${layerColor(layer)}`;
    showNumber(this.#size, layer.size > 0 ? layer.size : "");
    this.#outlines.checked = layer.isOutline;
    this.#up.disabled = isLast;
    this.#down.disabled = isFirst;
    this.#syncColumns(contents);
    this.#by.value = this.#columns.includes(layer.by) ? layer.by : "";
    this.#hideUseless(contents);
  }

  #syncColumns(contents: LayerContents | undefined): void {
    const columns = contents?.columns ?? [];
    if (this.#by.options.length > 0 && columns.join("\n") === this.#columns.join("\n")) return;
    this.#columns = columns;
    const none = contents?.kind === "labels" ? "Label" : "None";
    this.#by.replaceChildren(
      h("option", { value: "" }, none),
      ...columns.map((name) => h("option", { value: name }, shortName(name))),
    );
  }

  /** Hides the controls without an effect on the layer. */
  #hideUseless(contents: LayerContents | undefined): void {
    const { kind, columns = [], column } = contents ?? {};
    const { by, blend, map, color, size, outlines } = this.#fields;
    const isNumbers = column?.kind === "numbers";
    by.hidden = columns.length === 0;
    blend.hidden = kind === "features";
    map.hidden = kind !== undefined && kind !== "image" && !isNumbers;
    this.#range.element.hidden = !isNumbers;
    color.hidden = kind === "labels" || column !== undefined;
    size.hidden = kind !== "features";
    outlines.hidden = kind !== "labels";
  }
}
