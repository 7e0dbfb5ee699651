/** A choice of one of a few values, shown beside one another. */
import { h, uniqueId } from "./dom.js";

interface RadioChoice<T> {
  readonly value: T;
  readonly content: Node | string;
  /** Tooltip of the choice. */
  readonly title?: string;
  /** Further attributes of the radio button: a name if the content is a drawing, a key. */
  readonly attributes?: Parameters<typeof h>[1];
}

/** @returns the group, the label of each choice, and a function that shows which one is chosen */
export function radioGroup<T extends string>(
  label: string,
  choices: readonly RadioChoice<T>[],
  onChoose: (value: T) => void,
) {
  const name = uniqueId("choice");
  const inputs = choices.map(({ value, attributes }) =>
    h("input", { type: "radio", name, value, onchange: () => onChoose(value), ...attributes }),
  );
  const labels = choices.map(({ content, title }, i) =>
    h("label", { class: "zw-tool", title }, inputs[i]!, content),
  );
  return {
    element: h("div", { role: "radiogroup", "aria-label": label, class: "zw-radios" }, ...labels),
    labelOf: (value: T): HTMLElement => labels[choices.findIndex((choice) => choice.value === value)]!,
    show(value: T): void {
      for (const input of inputs) input.checked = input.value === value;
    },
  };
}
