/** A chart of series: lines inside their bands, and a marker of the current step that is also a slider. */
import { h, svg } from "../base/dom.js";
import { formatBriefly } from "../base/format.js";
import { text } from "../language/text.js";
import {
  type ChartFrame,
  type NamedSeries,
  seriesChart,
  seriesCsv,
  stepAt,
  stepPosition,
} from "../model/series-chart.js";
import type { Dataset, DatasetAxis } from "../source/dataset.js";
import { coordinateText, dateText, unitText } from "./coordinates.js";
import { axisName } from "./rulers.js";

const [width, height] = [300, 150];
const frame: ChartFrame = { left: 44, right: width - 6, top: 8, bottom: height - 20 };

export class SeriesChart {
  readonly #picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  readonly #slider = h("input", { type: "range", min: 0, step: 1, class: "zw-series-step" });
  readonly #value = h("output", { class: "zw-region-facts" });
  readonly element = h("div", { class: "zw-series" });
  #all: readonly NamedSeries[] = [];
  #length = 0;
  /** The axis, and its name. */
  #along: DatasetAxis | undefined;
  #axis = "";

  /** @param onStep shows another step */
  constructor(onStep: (step: number) => void) {
    this.#slider.addEventListener("input", () => onStep(Number(this.#slider.value)));
    const drag = (event: PointerEvent) => {
      if (event.buttons !== 1 || this.#slider.hidden) return;
      const { left, width: shown } = this.#picture.getBoundingClientRect();
      onStep(stepAt(frame, ((event.clientX - left) / shown) * width, this.#length));
    };
    for (const name of ["pointerdown", "pointermove"] as const)
      (this.#picture as unknown as HTMLElement).addEventListener(name, drag);
    this.element.append(this.#picture, this.#slider, this.#value);
  }

  /** @param axis undefined for profiles along lines */
  show(all: readonly NamedSeries[], dataset: Dataset, axis: number | undefined, step: number): void {
    this.#all = all;
    const length = Math.max(0, ...all.map(({ mean }) => mean.length));
    this.element.hidden = length === 0;
    if (length === 0) return;
    this.#axis = axis === undefined ? text.series.element : axisName(dataset.axes, axis);
    this.#length = length;
    this.#along = axis === undefined ? undefined : dataset.axes[axis];
    this.#slider.max = String(length - 1);
    this.#slider.value = String(step);
    this.#slider.hidden = axis === undefined;
    this.#slider.ariaLabel = text.series.step(this.#axis);
    this.#slider.ariaValueText = this.#text(step);
    this.#draw(axis === undefined ? undefined : step, dataset.unit);
    const values = all.map(({ name, mean }) => `${name} ${formatBriefly(mean[step]!)}`).join(" · ");
    this.#value.textContent = axis === undefined ? "" : `${this.#text(step)}: ${values}`;
  }

  /** The coordinate of a step, or its number. */
  #text(step: number): string {
    return (this.#along && coordinateText(this.#along, step)) ?? String(step);
  }

  #draw(step: number | undefined, unit: string | undefined): void {
    const { low, high, lines } = seriesChart(this.#all, frame);
    const { left, right, top, bottom } = frame;
    const shapes = lines.flatMap(({ line, band }, i) => {
      const { color } = this.#all[i]!;
      return [
        svg("path", { d: band, fill: color, opacity: 0.25 }),
        svg("path", { d: line, class: "zw-series-line", stroke: color }),
      ];
    });
    const marker = step === undefined ? [] : [this.#marker(stepPosition(frame, step, this.#length))];
    const label = (x: number, y: number, anchor: string, content: string) =>
      svg("text", { x, y, "text-anchor": anchor }, content);
    const name = unit === undefined ? this.#axis : text.series.values(this.#axis, unitText(unit));
    this.#picture.replaceChildren(
      svg("path", { d: `M${left} ${top}V${bottom}H${right}`, class: "zw-series-axis" }),
      ...shapes,
      ...marker,
      label(left - 4, top + 8, "end", formatBriefly(high, high - low)),
      label(left - 4, bottom, "end", formatBriefly(low, high - low)),
      label(left, height - 6, "start", this.#text(0)),
      label((left + right) / 2, top + 2, "middle", name),
      label(right, height - 6, "end", this.#text(this.#length - 1)),
    );
  }

  #marker(x: number): SVGElement {
    return svg("path", { d: `M${x} ${frame.top}V${frame.bottom}`, class: "zw-series-marker" });
  }

  csv(): string {
    const steps = Array.from({ length: this.#length }, (_, i) => stepText(this.#along, i));
    return seriesCsv(this.#axis, steps, this.#all);
  }
}

/** The coordinate of a step for programs: with all digits and as ISO 8601; or its number. */
function stepText(axis: DatasetAxis | undefined, at: number): string {
  const value = axis?.coordinates?.at(at);
  if (value === undefined) return String(at);
  if (axis!.coordinates!.kind !== "milliseconds") return String(value);
  const time = new Date(value);
  return Number.isNaN(time.getTime())
    ? dateText(Number(value))
    : time.toISOString().replace(/T00:00:00\.000Z$|\.000Z$/, "");
}
