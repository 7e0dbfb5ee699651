/** Labels over the image: which, and how much of the image is seen through them. */
import { h, labelled } from "../base/dom.js";
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
      const name = this.#list.value;
      onChange({ name: name === "" ? null : name, isOn: name !== "", opacity }, "labels");
    };
    this.#list = h("select", { onchange: choose }, h("option", { value: "" }, "None"));
    this.#list.append(...labels.map(({ name }) => h("option", { value: name }, name)));
    const fade = () => {
      opacity = Number(this.#slider.value) / 100;
      onChange({ name: this.#list.value || null, isOn: this.#list.value !== "", opacity }, "labels-opacity");
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

  sync({ labels }: ViewState): void {
    const known = this.labels.find(({ name }) => name === labels.name) ?? this.labels[0];
    this.#list.value = labels.isOn && known ? known.name : "";
    this.#slider.value = String(Math.round(labels.opacity * 100));
    this.#slider.disabled = !labels.isOn;
  }
}
