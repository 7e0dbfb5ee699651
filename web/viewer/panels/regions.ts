/** Regions: drawn by tools, of labels or from GeoJSON; their statistics, and their series along another axis. */
import { button, h, labelled, select } from "../base/dom.js";
import { errorMessage, formatBriefly, formatCount } from "../base/format.js";
import { radioGroup } from "../base/radios.js";
import { saveBlob } from "../base/save.js";
import { text } from "../language/text.js";
import { lookOf, shownLabels } from "../model/layers.js";
import { regionColor, regionsFromGeoJson, regionsGeoJson } from "../model/region-shapes.js";
import { maxRegions, type RegionLabels, type RegionState, regionKinds } from "../model/regions.js";
import type { NamedSeries } from "../model/series-chart.js";
import type { ToolName, ViewState } from "../model/state.js";
import type { RegionSource, RegionStatistics } from "../numbers/region-values.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { acquire, release } from "../tiles/shared.js";
import { unitText } from "./coordinates.js";
import type { Control, Panel, PanelContext } from "./panel.js";
import { axisName } from "./rulers.js";
import { SeriesChart } from "./series.js";

/** Maximum size of a GeoJSON document. */
const maxBytes = 32 * 2 ** 20;

/** The choice of a profile along lines instead of a series. */
const alongLines = "line";

export const regionsPanel: Panel = {
  name: "regions",
  tab: "measure",
  title: () => text.regions.title,
  isShown: ({ kind, state }) => kind === "image" && state.axes.length === 2,
  build: (context) => [new RegionsPart(context)],
};

/** The selected labels of the image that is shown: over the picture, or the picture itself. */
function selectedLabels(dataset: Dataset, state: ViewState): RegionLabels {
  const over = shownLabels(dataset, state);
  if (!over && state.colormap !== "labels") return { image: "", ids: [] };
  const own = over?.dataset ?? dataset;
  return { image: over?.name ?? "", ids: lookOf(own, state.labels).selected ?? [] };
}

/** A value with five digits. */
const brief = (value: number) => formatBriefly(value, Math.abs(value) / 900);

class RegionsPart implements Control {
  readonly #tools = radioGroup<ToolName>(
    text.regions.draw,
    regionKinds.map((value) => ({ value, content: text.regions.kinds[value] })),
    (tool) => this.context.change({ tool }, "tool"),
  );
  readonly #list = h("div", { class: "zw-region-rows" });
  readonly #along: HTMLSelectElement;
  readonly #files = h("input", { type: "file", accept: ".json,.geojson", hidden: true });
  readonly #ofLabels = button(text.regions.ofLabels, () => this.#addLabels());
  #selected: RegionLabels = { image: "", ids: [] };
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
    const axisChoice = labelled(text.regions.along, this.#along);
    const csv = button(text.regions.saveCsv, () => this.#saveCsv());
    this.#chartPart = h("div", { class: "zw-group" }, axisChoice, this.#chart.element, csv);
    const save = button(text.regions.save, () => {
      const json = JSON.stringify(regionsGeoJson(this.#state!.regions, dataset.axes));
      saveBlob({
        blob: new Blob([json], { type: "application/geo+json" }),
        name: `${dataset.title}.geojson`,
      });
    });
    const clear = button(text.regions.removeAll, () => context.change({ regions: [] }, "regions"));
    this.#actions = h("div", { class: "zw-buttons" }, save, clear);
    this.#files.addEventListener("change", () => {
      const [file] = this.#files.files ?? [];
      if (file) void this.#open(file);
      this.#files.value = "";
    });
    const open = button(text.regions.open, () => this.#files.click(), { title: text.regions.openHint });
    const parts = [this.#tools.element, this.#list, this.#chartPart, this.#actions];
    this.element = h(
      "div",
      { class: "zw-group" },
      ...parts,
      h("div", { class: "zw-buttons" }, open, this.#ofLabels),
      this.#files,
      this.#said,
    );
    this.#takeGeoJson();
  }

  /** Takes dropped files, and pasted text while the panel has the focus. */
  #takeGeoJson(): void {
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => {
      const [file] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault(); // also tells the page
      void this.#open(file);
    });
    this.element.addEventListener("paste", (event) => {
      const pasted = event.clipboardData?.getData("text/plain").trim() ?? "";
      const [file] = event.clipboardData?.files ?? [];
      // Names are pasted into their fields.
      if (!file && !/^[{[]/.test(pasted)) return;
      event.preventDefault();
      void this.#open(file ?? new Blob([pasted]));
    });
  }

  async #open(file: Blob): Promise<void> {
    try {
      if (file.size > maxBytes) throw new RangeError(text.regions.tooLong(maxBytes));
      const read = regionsFromGeoJson(await file.text(), this.#state!.axes, this.context.dataset.axes);
      const room = Math.max(0, maxRegions - this.#state!.regions.length);
      const taken = read.regions.slice(0, room);
      const leftOut = read.leftOut + read.regions.length - taken.length;
      this.#said.textContent = [
        ...(leftOut > 0 || taken.length === 0 ? [text.regions.leftOut(leftOut, maxRegions)] : []),
        ...(read.hadHoles ? [text.regions.holes] : []),
      ].join(" ");
      if (taken.length > 0)
        this.context.change(({ regions }) => ({ regions: [...regions, ...taken] }), "regions");
    } catch (error) {
      this.#said.textContent = text.regions.unreadable(errorMessage(error));
    }
  }

  /** Adds a region for each selected label. */
  #addLabels(): void {
    const { image, ids } = this.#selected;
    const add = ({ regions, axes }: ViewState) => {
      const known = new Set(regions.flatMap(({ labels }) => (labels?.image === image ? labels.ids : [])));
      const made = ids
        .filter((id) => !known.has(id))
        .map((id): RegionState => {
          const name = text.regions.label(image, id);
          return {
            name,
            kind: "labels",
            axes: [axes[0]!, axes[1]!],
            points: [],
            labels: { image, ids: [id] },
          };
        });
      return { regions: [...regions, ...made].slice(0, maxRegions) };
    };
    this.context.change(add, "regions");
  }

  sync(state: ViewState): void {
    this.#state = state;
    this.#selected = selectedLabels(this.context.dataset, state);
    this.#ofLabels.hidden = this.#selected.ids.length === 0;
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
    if (regions.some(({ kind }) => kind === "line")) entries.push([alongLines, text.regions.lines]);
    const texts = entries.map(([value, name]) => h("option", { value }, name));
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
          const place = [axes, region.points, region.labels, kind, state.isRaw];
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
      "aria-label": text.regions.nameOf(region.name),
      onchange: rename,
    });
    const remove = button("×", () => set((all) => all.toSpliced(at, 1), "regions"), {
      "aria-label": text.panels.remove(region.name),
    });
    const swatch = h("span", { class: "zw-swatch", "aria-hidden": "true" });
    swatch.style.background = regionColor(at);
    const facts = h("p", { class: "zw-region-facts" }, text.regions.computing);
    const bars = h("canvas", { class: "zw-region-bars", width: 256, height: 32, role: "img", hidden: true });
    const unit = dataset.unit === undefined || this.#state!.isRaw ? "" : ` ${unitText(dataset.unit)}`;
    const show = ({ count, missing, mean, std, min, max, area, histogram }: RegionStatistics) => {
      const size = area ? ` · ${brief(area.amount)} ${unitText(area.unit)}²` : "";
      const values = [brief(mean), brief(std), brief(min), brief(max)] as const;
      facts.textContent = `${text.regions.facts(...values, unit, formatCount(count))}${size}`;
      facts.title = missing > 0 ? text.regions.notCounted : "";
      bars.hidden = histogram.counts.length < 2;
      bars.ariaLabel = text.regions.histogram(region.name, brief(min), brief(max));
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
    const csv = this.#chart.csv();
    saveBlob({ blob: new Blob([csv], { type: "text/csv" }), name: `${this.context.dataset.title}.csv` });
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
