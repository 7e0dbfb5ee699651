/** A chart of series: lines inside their bands, and a marker of the current step that is also a slider. */
import { h } from "../base/dom.js";
import {
  type ChartFrame,
  type NamedSeries,
  seriesChart,
  seriesCsv,
  stepAt,
  stepPosition,
} from "../model/series-chart.js";
import type { Dataset } from "../source/dataset.js";
import { unitText } from "./coordinates.js";
import { axisName } from "./rulers.js";

const [width, height] = [300, 150];
const frame: ChartFrame = { left: 44, right: width - 6, top: 8, bottom: height - 20 };

function svg(tag: string, attributes: Readonly<Record<string, string | number>>, text = ""): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

const plain = (value: number) => String(Number(value.toPrecision(4)));

export class SeriesChart {
  readonly #picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  readonly #slider = h("input", { type: "range", min: 0, step: 1, class: "zw-series-step" });
  readonly #value = h("output", { class: "zw-region-facts" });
  readonly element = h("div", { class: "zw-series" });
  #all: readonly NamedSeries[] = [];
  #steps: readonly string[] = [];
  #axis = "";

  /** @param onStep shows another step */
  constructor(onStep: (step: number) => void) {
    this.#slider.addEventListener("input", () => onStep(Number(this.#slider.value)));
    const drag = (event: PointerEvent) => {
      if (event.buttons !== 1 || this.#slider.hidden) return;
      const { left, width: shown } = this.#picture.getBoundingClientRect();
      onStep(stepAt(frame, ((event.clientX - left) / shown) * width, this.#steps.length));
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
    this.#axis = axis === undefined ? "element" : axisName(dataset.axes, axis);
    this.#steps = Array.from({ length }, (_, i) =>
      axis === undefined ? String(i) : stepText(dataset, axis, i),
    );
    this.#slider.max = String(length - 1);
    this.#slider.value = String(step);
    this.#slider.hidden = axis === undefined;
    this.#slider.ariaLabel = `Step along ${this.#axis}`;
    this.#slider.ariaValueText = this.#steps[step] ?? null;
    this.#draw(axis === undefined ? undefined : step, dataset.unit);
    const values = all.map(({ name, mean }) => `${name} ${plain(mean[step]!)}`).join(" · ");
    this.#value.textContent = axis === undefined ? "" : `${this.#steps[step]}: ${values}`;
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
    const marker = step === undefined ? [] : [this.#marker(stepPosition(frame, step, this.#steps.length))];
    const label = (x: number, y: number, anchor: string, text: string) =>
      svg("text", { x, y, "text-anchor": anchor }, text);
    const name = unit === undefined ? this.#axis : `${this.#axis} · values in ${unitText(unit)}`;
    this.#picture.replaceChildren(
      svg("path", { d: `M${left} ${top}V${bottom}H${right}`, class: "zw-series-axis" }),
      ...shapes,
      ...marker,
      label(left - 4, top + 8, "end", plain(high)),
      label(left - 4, bottom, "end", plain(low)),
      label(left, height - 6, "start", this.#steps[0]!),
      label((left + right) / 2, top + 2, "middle", name),
      label(right, height - 6, "end", this.#steps.at(-1)!),
    );
  }

  #marker(x: number): SVGElement {
    return svg("path", { d: `M${x} ${frame.top}V${frame.bottom}`, class: "zw-series-marker" });
  }

  csv(): string {
    return seriesCsv(this.#axis, this.#steps, this.#all);
  }
}

/** The coordinate of a step, or its number. */
function stepText({ axes }: Dataset, axis: number, at: number): string {
  const { coordinates } = axes[axis]!;
  const value = coordinates?.at(at);
  if (value === undefined) return String(at);
  if (coordinates!.kind !== "milliseconds") return String(value);
  return new Date(Number(value)).toISOString().replace(/T00:00:00\.000Z$|\.000Z$/, "");
}
