/** The legend of a column: its categories with their colours, or the colours of its numbers. Of a layer: its colour. */
import { colorTable } from "../base/color-tables.js";
import { h } from "../base/dom.js";
import { formatBriefly, formatCount } from "../base/format.js";
import { outsideColors } from "../base/outside-colors.js";
import { longName, shortName } from "../base/text.js";
import { absentColor } from "../model/column-colors.js";
import type { NamedLegend } from "../model/layer-columns.js";
import { LegendBar } from "./legend-bar.js";

/** Maximum number of categories in the legend. */
const maxCategories = 24;

export function columnLegend({ name, legend }: NamedLegend): HTMLElement {
  const head = h("b", { title: longName(name) }, shortName(name));
  if (legend.kind === "color")
    return h("div", { class: "zw-legend-column zw-legend-color" }, swatch(legend.color), head);
  const list = h("ul", { class: "zw-legend-rows", dir: "ltr", "aria-label": shortName(name) });
  if (legend.kind === "categories") {
    const { entries } = legend;
    const used = entries.filter(({ count }) => count > 0);
    list.append(
      ...used
        .slice(0, maxCategories)
        .map(({ name: text, color, count }) => entry(color, text === "" ? "(empty)" : text, count)),
    );
    const more = used.length - maxCategories;
    if (more > 0) list.append(h("li", {}, `and ${formatCount(more)} more`));
  } else {
    const { low, high, colormap, isBelow, isAbove, isMarked } = legend;
    const table = colorTable(colormap);
    const bar = new LegendBar();
    bar.show(table, legend, isMarked ? outsideColors(table) : undefined);
    const resolution = Math.abs(high / 100 - low / 100);
    const format = (value: number, isBeyond: boolean, sign: string) =>
      `${isBeyond ? `${sign} ` : ""}${formatBriefly(value, resolution)}`;
    list.append(
      h(
        "li",
        { class: "zw-legend-numbers", title: colormap },
        h("span", {}, format(low, isBelow, "≤")),
        bar.element,
        h("span", {}, format(high, isAbove, "≥")),
      ),
    );
  }
  if (legend.absent > 0) list.append(entry(absentColor, "no value", legend.absent));
  return h("div", { class: "zw-legend-column" }, head, list);
}

/** @param color "rrggbb" */
function swatch(color: string): HTMLElement {
  const cap = h("span", { class: "zw-legend-cap", "aria-hidden": "true" });
  cap.style.background = `#${color}`;
  return cap;
}

function entry(color: number, text: string, count: number): HTMLElement {
  return h(
    "li",
    { title: longName(text) },
    swatch(color.toString(16).padStart(6, "0")),
    shortName(text),
    h("span", { class: "zw-legend-count" }, formatCount(count)),
  );
}
