/** Computes other variables from the shown one: reductions over an axis, anomalies, and formulas. */
import { button, h, labelled, select } from "../base/dom.js";
import { maxText, shortName } from "../base/text.js";
import { text } from "../language/text.js";
import { unfoldedDataset } from "../source/fold.js";
import type { Panel, PanelContext } from "./panel.js";

export const computePanel: Panel = {
  name: "compute",
  tab: "measure",
  title: () => text.compute.title,
  isShown: ({ kind }) => kind === "image" || kind === "line",
  build: (context) => [{ element: computing(context) }],
};

function computing({ dataset, derive, derived }: PanelContext): HTMLElement {
  if (derived !== undefined) {
    const back = button(text.compute.original, () => derive(undefined));
    return h("div", { class: "zw-group" }, h("p", { class: "zw-region-facts" }, derived), back);
  }
  // Longer names could not be entered, or be part of a link.
  const axes = unfoldedDataset(dataset)
    .axes.flatMap(({ name, length }, axis) => (length > 1 ? [name ?? `a${axis}`] : []))
    .filter((name) => name.length <= maxText);
  const operation = select(Object.entries(text.compute.operations), () => {});
  const axis = select(
    axes.map((name) => [name, shortName(name)] as const),
    () => {},
  );
  const reduce = button(text.compute.run, () => {
    const isMonthly = operation.value === "month";
    derive(isMonthly ? `anomaly:${axis.value}.month` : `${operation.value}:${axis.value}`);
  });
  const apply = () => {
    if (formula.value.trim() !== "") derive(`expr:${formula.value.trim()}`);
  };
  const onkeydown = (event: KeyboardEvent) => {
    if (event.key === "Enter") apply();
  };
  const first = axes[0] === undefined ? undefined : shortName(axes[0]);
  const placeholder = first === undefined ? "data * 2" : `data[${first}=1] - data[${first}=0]`;
  const formula = h("input", { type: "text", spellcheck: false, placeholder, onkeydown });
  const row = h(
    "span",
    { class: "zw-layer-add" },
    formula,
    button(text.compute.run, apply, { "aria-label": text.compute.runFormula }),
  );
  return h(
    "div",
    { class: "zw-group" },
    labelled(text.compute.operation, operation),
    labelled(text.compute.over, axis),
    reduce,
    labelled(text.compute.formula, formula, "zw-field", row),
  );
}
