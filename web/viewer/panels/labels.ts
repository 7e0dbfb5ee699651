/** Controls for labels over the image: the choice of labels, and their opacity. */
import { h, labelled } from "../base/dom.js";
import { shortName } from "../base/text.js";
import type { LabelsState, ViewState } from "../model/state.js";
import type { Labels } from "../source/dataset.js";

export class LabelsPanel {
  readonly #list: HTMLSelectElement;
  readonly #slider: HTMLInputElement;
  readonly element: HTMLElement;

  constructor(
    private readonly labels: readonly Labels[],
    onChange: (labels: LabelsState, control: string) => void,
  ) {
    let opacity = 0.5;
    const choose = () => {
      const { name } = this;
      onChange({ name, isOn: name !== null, opacity }, "labels");
    };
    this.#list = h("select", { onchange: choose }, h("option", { value: "" }, "None"));
    this.#list.append(...labels.map(({ name }) => h("option", {}, shortName(name))));
    const fade = () => {
      opacity = Number(this.#slider.value) / 100;
      const { name } = this;
      onChange({ name, isOn: name !== null, opacity }, "labels-opacity");
    };
    this.#slider = h("input", { type: "range", min: 0, max: 100, step: 1, oninput: fade });
    this.element = h(
      "fieldset",
      { class: "zw-card zw-labels" },
      h("legend", {}, "Labels"),
      h(
        "div",
        { class: "zw-card-body" },
        labelled("Over the image", this.#list),
        labelled("Opacity of labels", this.#slider),
      ),
    );
  }

  /** The selected labels; null for none. */
  get name(): string | null {
    return this.labels[this.#list.selectedIndex - 1]?.name ?? null;
  }

  sync({ labels }: ViewState): void {
    const known = this.labels.findIndex(({ name }) => name === labels.name);
    this.#list.selectedIndex = labels.isOn ? Math.max(0, known) + 1 : 0;
    this.#slider.value = String(Math.round(labels.opacity * 100));
    this.#slider.disabled = !labels.isOn;
  }
}
