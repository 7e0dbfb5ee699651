/** Controls for labels: which are shown over the image, their opacity, outlines, hidden and selected ones. */
import { h, labelled } from "../base/dom.js";
import { shortName } from "../base/text.js";
import { isLabelList, readLabelList } from "../model/label-look.js";
import type { LabelsState, ViewState } from "../model/state.js";
import type { Labels } from "../source/dataset.js";
import type { Control, Panel, PanelContext } from "./panel.js";

/** For labels over the image, and images that are labels themselves. */
export const labelsPanel: Panel = {
  name: "labels",
  title: "Labels",
  isShown: ({ labels, state }) =>
    labels.length > 0 || (state.colormap === "labels" && state.channels === null),
  key: ({ labels }) => labels,
  build: ({ change }, { labels }) => [new LabelControls(labels, change)],
};

class LabelControls implements Control {
  readonly #list: HTMLSelectElement;
  readonly #slider: HTMLInputElement;
  readonly #outlines: HTMLInputElement;
  readonly #hidden: HTMLInputElement;
  readonly #selected: HTMLInputElement;
  readonly element: HTMLElement;
  #now: LabelsState | undefined;

  /** @param labels over the image; empty if the image itself shows labels */
  constructor(
    private readonly labels: readonly Labels[],
    change: PanelContext["change"],
  ) {
    const set = (part: Partial<LabelsState>, control: string) =>
      change(({ labels }) => ({ labels: { ...labels, ...part } }), control);
    const choose = () =>
      set({ name: this.#name ?? this.#now?.name ?? null, isOn: this.#name !== null }, "labels");
    this.#list = h("select", { onchange: choose }, h("option", { value: "" }, "None"));
    this.#list.append(...labels.map(({ name }) => h("option", {}, shortName(name))));
    const fade = () => set({ opacity: Number(this.#slider.value) / 100 }, "labels-opacity");
    this.#slider = h("input", { type: "range", min: 0, max: 100, step: 1, oninput: fade });
    this.#outlines = h("input", {
      type: "checkbox",
      onchange: () => set({ isOutline: this.#outlines.checked }, "labels-outlines"),
    });
    const field = (key: "hidden" | "selected"): HTMLInputElement => {
      const input = h("input", {
        type: "text",
        inputmode: "numeric",
        placeholder: "none",
        onchange: () => {
          const list = readLabelList(input.value.trim() || "none");
          if (isLabelList(list)) set({ [key]: list }, `labels-${key}`);
          else if (this.#now) input.value = this.#now[key].join(", ");
        },
      });
      return input;
    };
    this.#hidden = field("hidden");
    this.#selected = field("selected");
    this.element = h(
      "div",
      { class: "zw-group" },
      labels.length > 0 && labelled("Over the image", this.#list),
      labels.length > 0 && labelled("Opacity of labels", this.#slider),
      h("label", { class: "zw-check" }, this.#outlines, "Outlines only"),
      labelled("Selected labels", this.#selected),
      labelled("Hidden labels", this.#hidden),
    );
  }

  /** The selected labels; null for none. */
  get #name(): string | null {
    return this.labels[this.#list.selectedIndex - 1]?.name ?? null;
  }

  sync({ labels }: ViewState): void {
    this.#now = labels;
    const known = this.labels.findIndex(({ name }) => name === labels.name);
    this.#list.selectedIndex = labels.isOn ? Math.max(0, known) + 1 : 0;
    this.#slider.value = String(Math.round(labels.opacity * 100));
    this.#slider.disabled = !labels.isOn;
    this.#outlines.checked = labels.isOutline;
    this.#hidden.value = labels.hidden.join(", ");
    this.#selected.value = labels.selected.join(", ");
  }
}
