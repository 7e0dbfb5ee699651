/** The controls of one layer over the picture. */
import { colormapNames, isColormap } from "../base/colormaps.js";
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import { longName, shortName } from "../base/text.js";
import { type LayerState, layerColor, layerName, maxLayerSize } from "../model/added-layers.js";
import type { LayerContents } from "../model/layer-columns.js";
import { ColumnRange } from "./column-range.js";

export interface LayerRowCallbacks {
  onChange(change: Partial<LayerState>, control: string): void;
  onMove(by: 1 | -1): void;
  onRemove(): void;
}

/** The place of a layer in the list. */
interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export class LayerRow {
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
