/** Regions: tools that draw them, their statistics, and their series along another axis. */
import { button, h, labelled, select } from "../base/dom.js";
import { errorMessage, formatBriefly, formatCount } from "../base/format.js";
import { radioGroup } from "../base/radios.js";
import { saveBlob } from "../base/save.js";
import { regionColor, regionsFromGeoJson, regionsGeoJson } from "../model/region-shapes.js";
import { type RegionKind, type RegionState, regionKinds } from "../model/regions.js";
import type { NamedSeries } from "../model/series-chart.js";
import type { ToolName, ViewState } from "../model/state.js";
import type { RegionSource, RegionStatistics } from "../numbers/region-values.js";
import { datasetShape } from "../source/dataset.js";
import { acquire, release } from "../tiles/shared.js";
import { unitText } from "./coordinates.js";
import type { Control, Panel, PanelContext } from "./panel.js";
import { axisName } from "./rulers.js";
import { SeriesChart } from "./series.js";

const kindTexts: Readonly<Record<RegionKind, string>> = {
  point: "Point",
  line: "Line",
  rectangle: "Rectangle",
  ellipse: "Ellipse",
  polygon: "Polygon",
};

/** The choice of a profile along lines instead of a series. */
const alongLines = "line";

export const regionsPanel: Panel = {
  name: "regions",
  tab: "measure",
  title: "Regions",
  isShown: ({ kind, state }) => kind === "image" && state.axes.length === 2,
  build: (context) => [new RegionsPart(context)],
};

/** A value with five digits. */
const brief = (value: number) => formatBriefly(value, Math.abs(value) / 900);

class RegionsPart implements Control {
  readonly #tools = radioGroup<ToolName>(
    "Draw a region",
    regionKinds.map((value) => ({ value, content: kindTexts[value] })),
    (tool) => this.context.change({ tool }, "tool"),
  );
  readonly #list = h("div", { class: "zw-region-rows" });
  readonly #along: HTMLSelectElement;
  readonly #files = h("input", { type: "file", accept: ".json,.geojson", hidden: true });
  readonly #said = h("p", { class: "zw-share-said", role: "status" });
  readonly #chart: SeriesChart;
  readonly #chartPart: HTMLElement;
  readonly #actions: HTMLElement;
  readonly element: HTMLElement;
  /** The statistics and series of regions, by everything that they depend on. */
  readonly #known = new Map<string, object>();
  #request = new AbortController();
  #shown = "";
  #state: ViewState | undefined;

  constructor(private readonly context: PanelContext) {
    const { dataset } = context;
    this.#along = select([], () => this.#update());
    this.#chart = new SeriesChart((step) => {
      const axis = Number(this.#along.value);
      const index = this.#state!.index.map((at, i) => (i === axis ? step : undefined) ?? at);
      context.change({ index }, `index-${axis}`);
    });
    const axisChoice = labelled("Series along", this.#along);
    const csv = button("Save as CSV", () => this.#saveCsv());
    this.#chartPart = h("div", { class: "zw-group" }, axisChoice, this.#chart.element, csv);
    const save = button("Save as GeoJSON", () => {
      const text = JSON.stringify(regionsGeoJson(this.#state!.regions, dataset.axes));
      saveBlob({
        blob: new Blob([text], { type: "application/geo+json" }),
        name: `${dataset.title}.geojson`,
      });
    });
    const clear = button("Remove all", () => context.change({ regions: [] }, "regions"));
    this.#actions = h("div", { class: "zw-buttons" }, save, clear);
    this.#files.addEventListener("change", () => void this.#open());
    const open = button("Open GeoJSON…", () => this.#files.click());
    const parts = [this.#tools.element, this.#list, this.#chartPart, this.#actions];
    this.element = h(
      "div",
      { class: "zw-group" },
      ...parts,
      h("div", { class: "zw-buttons" }, open),
      this.#files,
      this.#said,
    );
  }

  async #open(): Promise<void> {
    const [file] = this.#files.files ?? [];
    this.#files.value = "";
    if (!file) return;
    try {
      const read = regionsFromGeoJson(await file.text(), this.#state!.axes, this.context.dataset.axes);
      this.#said.textContent =
        read.length > 0 ? "" : "The file contains no points, lines of two ends, or polygons.";
      if (read.length > 0)
        this.context.change(({ regions }) => ({ regions: [...regions, ...read] }), "regions");
    } catch (error) {
      this.#said.textContent = `The file cannot be read: ${errorMessage(error)}.`;
    }
  }

  sync(state: ViewState): void {
    this.#state = state;
    this.#tools.show(state.tool);
    const isEmpty = state.regions.length === 0;
    this.#actions.hidden = isEmpty;
    this.#chartPart.hidden = isEmpty || this.#axes.length === 0;
    this.#update();
  }

  /** The axes along which series are offered. */
  get #axes(): number[] {
    const { axes } = this.#state!;
    return datasetShape(this.context.dataset).flatMap((length, axis) =>
      length > 1 && !axes.includes(axis) ? [axis] : [],
    );
  }

  #update(): void {
    const state = this.#state!;
    this.#followAxes(state);
    const key = JSON.stringify([state.regions, state.index, state.isRaw, this.#along.value]);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#request.abort();
    this.#request = new AbortController();
    if (state.regions.length === 0) this.#list.replaceChildren();
    else void this.#compute(state, this.#request.signal);
  }

  #followAxes({ regions }: ViewState): void {
    const { axes } = this.context.dataset;
    const entries = this.#axes.map((axis) => [String(axis), axisName(axes, axis)] as const);
    if (regions.some(({ kind }) => kind === "line")) entries.push([alongLines, "the lines (profile)"]);
    const texts = entries.map(([value, text]) => h("option", { value }, text));
    if (texts.map(({ value }) => value).join() === [...this.#along.options].map(({ value }) => value).join())
      return;
    const { value } = this.#along;
    this.#along.replaceChildren(...texts);
    if (entries.some(([entry]) => entry === value)) this.#along.value = value;
    this.#chartPart.hidden = entries.length === 0;
  }

  async #compute(state: ViewState, signal: AbortSignal): Promise<void> {
    const { dataset } = this.context;
    const rows = state.regions.map((region, i) => this.#row(region, i));
    this.#list.replaceChildren(...rows.map(({ element }) => element));
    this.element.dataset["state"] = "computing";
    const { pool } = acquire();
    try {
      const values = await import("../numbers/region-values.js");
      const source: RegionSource = { dataset, state, pool, signal };
      const along = this.#along.value;
      const series = await Promise.all(
        state.regions.map(async (region, i): Promise<NamedSeries | undefined> => {
          const { axes, kind, name } = region;
          const place = [axes, region.points, kind, state.isRaw];
          try {
            const key = JSON.stringify(["statistics", place, state.index]);
            rows[i]!.show(await this.#once(key, () => values.regionStatistics(source, region)));
            if (along === "" || (along === alongLines && kind !== "line")) return undefined;
            const others = state.index.map((at, axis) =>
              String(axis) === along || axes.includes(axis) ? 0 : at,
            );
            const own = JSON.stringify([along, place, others]);
            const found = await this.#once(own, () =>
              along === alongLines
                ? values.lineProfile(source, region)
                : values.regionSeries(source, region, Number(along)),
            );
            return { ...found, name, color: regionColor(i) };
          } catch (error) {
            if (!signal.aborted) rows[i]!.fail(`${errorMessage(error)}.`);
            return undefined;
          }
        }),
      );
      if (signal.aborted) return;
      const axis = along === alongLines ? undefined : Number(along);
      this.#chart.show(
        series.filter((one) => one !== undefined),
        dataset,
        axis,
        axis === undefined ? 0 : state.index[axis]!,
      );
      this.element.dataset["state"] = "ready";
    } finally {
      release();
    }
  }

  /** Returns a value that has been computed, or computes it: values of an aborted request must not be awaited. */
  async #once<T extends object>(key: string, compute: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key) as T | undefined;
    if (known) return known;
    const made = await compute();
    this.#known.set(key, made);
    if (this.#known.size > 256) this.#known.delete(this.#known.keys().next().value!);
    return made;
  }

  #row(region: RegionState, at: number) {
    const { change, dataset } = this.context;
    const set = (next: (regions: readonly RegionState[]) => readonly RegionState[], control: string) =>
      change(({ regions }) => ({ regions: next(regions) }), control);
    const rename = () =>
      set((all) => all.map((one, i) => (i === at ? { ...one, name: name.value } : one)), "regions-name");
    const name = h("input", {
      type: "text",
      value: region.name,
      "aria-label": `Name of ${region.name}`,
      onchange: rename,
    });
    const remove = button("×", () => set((all) => all.toSpliced(at, 1), "regions"), {
      "aria-label": `Remove ${region.name}`,
    });
    const swatch = h("span", { class: "zw-swatch", "aria-hidden": "true" });
    swatch.style.background = regionColor(at);
    const facts = h("p", { class: "zw-region-facts" }, "Computing…");
    const bars = h("canvas", { class: "zw-region-bars", width: 256, height: 32, role: "img", hidden: true });
    const unit = dataset.unit === undefined || this.#state!.isRaw ? "" : ` ${unitText(dataset.unit)}`;
    const show = ({ count, missing, mean, std, min, max, area, histogram }: RegionStatistics) => {
      const size = area ? ` · ${brief(area.amount)} ${unitText(area.unit)}²` : "";
      facts.textContent = `mean ${brief(mean)}${unit} · std ${brief(std)} · ${brief(min)} to ${brief(max)} · n ${formatCount(count)}${size}`;
      facts.title = missing > 0 ? "Elements outside the region and missing values are not counted" : "";
      bars.hidden = histogram.counts.length < 2;
      bars.ariaLabel = `Histogram of ${region.name}, from ${brief(min)} to ${brief(max)}`;
      drawBars(bars, histogram.counts, regionColor(at));
    };
    const element = h(
      "div",
      { class: "zw-region" },
      h("div", { class: "zw-region-head" }, swatch, name, remove),
      facts,
      bars,
    );
    const fail = (sentence: string) => {
      facts.textContent = sentence;
    };
    return { element, show, fail };
  }

  #saveCsv(): void {
    const text = this.#chart.csv();
    saveBlob({ blob: new Blob([text], { type: "text/csv" }), name: `${this.context.dataset.title}.csv` });
  }
}

function drawBars(canvas: HTMLCanvasElement, counts: Float64Array, color: string): void {
  const context = canvas.getContext("2d")!;
  const { width, height } = canvas;
  const highest = Math.max(...counts);
  const step = width / counts.length;
  context.clearRect(0, 0, width, height);
  context.fillStyle = color;
  for (const [i, count] of counts.entries()) {
    const size = (count / highest) * height;
    context.fillRect(i * step, height - size, Math.max(step - 1, 1), size);
  }
}
