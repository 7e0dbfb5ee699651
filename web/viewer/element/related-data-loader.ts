/** Loads the data of a picture: colour maps, positions and columns first; labels, added layers and siblings later. */

import { loadColormap } from "../base/colormaps.js";
import { errorMessage } from "../base/format.js";
import { listOf, unusable } from "../base/unusable.js";
import { text } from "../language/text.js";
import { labelTableOf } from "../model/label-look.js";
import { shownLabels, tableOf } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Note } from "../panels/messages.js";
import type { Dataset, Embedding } from "../source/dataset.js";
import type { Opened } from "../source/opened.js";
import type { ColumnReader } from "./column-reader.js";
import type { LayerOpener } from "./layer-opener.js";
import type { MainPanel } from "./main-panel.js";
import { loadProjection } from "./projections.js";
import type { StatusReporter } from "./status-reporter.js";
import type { ViewerModel } from "./viewer-model.js";

type OpenedDataset = Extract<Opened, { kind: "dataset" }>;

export class RelatedDataLoader {
  #opened: OpenedDataset | undefined;
  #signal = AbortSignal.abort();
  #isFound = false;
  #areLabelsKnown = false;
  #layers: Promise<LayerOpener> | undefined;
  #columns: Promise<ColumnReader> | undefined;
  /** The labels whose tables have been opened, or are being opened. */
  #tables = new Set<Dataset>();
  /** Number of labels and layers that are loading. */
  #pending = 0;

  /** @param onNews called when labels or a layer have been opened, and can be drawn */
  constructor(
    private readonly model: ViewerModel,
    private readonly mainPanel: MainPanel,
    private readonly status: StatusReporter,
    private readonly onNews: () => void,
  ) {}

  get #settings(): ViewState | undefined {
    return this.model.settings.peek();
  }

  /** @param opened a picture, if any. @param signal aborts all loading */
  begin(opened: OpenedDataset | undefined, signal: AbortSignal): void {
    this.#opened = opened;
    this.#signal = signal;
    this.#isFound = false;
    this.model.labels.value = [];
    this.model.collection.value = undefined;
    this.#areLabelsKnown = false;
    this.#layers = undefined;
    this.#tables = new Set();
    this.#columns = undefined;
    this.model.columnNote.value = undefined;
    this.#pending = 0;
    this.mainPanel.setPending(false);
  }

  /** Counts a load, and reports its failure. */
  async #load(subject: string, load: () => Promise<void>): Promise<void> {
    const [opened, signal] = [this.#opened, this.#signal];
    this.#pending++;
    this.mainPanel.setPending(true);
    try {
      await load();
    } catch (error) {
      if (!signal.aborted) this.status.addSourceNote(text.related.failed(subject, errorMessage(error)));
    } finally {
      if (opened === this.#opened) this.mainPanel.setPending(--this.#pending > 0);
    }
  }

  /** Opens the added layers of a state. */
  openLayers({ layers }: ViewState): void {
    const opened = this.#opened;
    if (!opened || (layers.length === 0 && !this.#layers)) return;
    void this.#load(text.related.layers, () => this.#openLayers(opened, layers));
  }

  async #openLayers({ dataset }: OpenedDataset, layers: ViewState["layers"]): Promise<void> {
    const signal = this.#signal;
    try {
      this.#layers ??= import("./layer-opener.js").then(
        ({ LayerOpener }) => new LayerOpener(dataset, signal, this.onNews, this.model),
      );
      await (await this.#layers).open(layers);
    } catch (error) {
      this.#layers = undefined;
      throw error;
    }
  }

  /** Starts the search, once; called after the picture has been drawn. */
  find(): void {
    const opened = this.#opened;
    if (!opened || this.#isFound) return;
    this.#isFound = true;
    void this.#findCollection(opened);
    void this.#load(text.related.labels, () => this.#findLabels(opened.dataset));
    const { embedding } = opened.dataset;
    if (embedding) void this.#load(text.related.points, () => this.#describe(embedding));
    if (this.#settings?.colormap === "labels") this.#openTable(opened.dataset);
  }

  /** Opens the table of labels, once. */
  #openTable(labels: Dataset): void {
    const [signal, tables] = [this.#signal, this.#tables];
    if (tables.has(labels)) return;
    tables.add(labels);
    void this.#load(text.related.table, async () => {
      try {
        const { loadLabelTable } = await import("./layer-opener.js");
        await loadLabelTable(labels, "", signal);
        if (!signal.aborted && this.#settings) await this.readColumn(this.#settings);
      } catch (error) {
        tables.delete(labels);
        throw error;
      }
      if (!signal.aborted && labelTableOf(labels)) this.onNews();
    });
  }

  /** Reads the column that colours points or labels; undefined without one. A long read goes on in the background. */
  readColumn(state: ViewState): Promise<void> | undefined {
    const [opened, signal] = [this.#opened, this.#signal];
    const observations = opened && tableOf(opened.dataset, state);
    if (!observations || (state.by === "" && !this.#columns)) return undefined;
    const onNote = (note: Note | undefined) => {
      if (!signal.aborted) this.model.columnNote.value = note;
    };
    const onNews = () => {
      if (!signal.aborted) this.onNews();
    };
    this.#columns ??= import("./column-reader.js").then(
      ({ ColumnReader }) => new ColumnReader(signal, { onNote, onNews }),
    );
    return this.#columns.then(
      (reader) => reader.read(observations, state.by),
      () => {
        this.#columns = undefined; // a script that cannot be loaded must not hide the picture
      },
    );
  }

  /** Reads the descriptions of points. */
  async #describe({ observations }: Embedding): Promise<void> {
    const signal = this.#signal;
    await observations.readDescribed().catch(() => {}); // rows are numbered without it
    if (!signal.aborted) this.onNews();
  }

  async #findCollection({ collection }: OpenedDataset): Promise<void> {
    const signal = this.#signal;
    const found = await collection(signal).catch(() => undefined); // the picture does not depend on it
    if (!signal.aborted) this.model.collection.value = found;
  }

  async #findLabels(dataset: Dataset): Promise<void> {
    const signal = this.#signal;
    const labels = (await dataset.labels?.find().catch(() => [])) ?? [];
    if (signal.aborted) return;
    this.#areLabelsKnown = true;
    if (labels.length > 0) this.model.labels.value = labels;
    this.#checkLabels();
    if (labels.length > 0) this.openLabels();
  }

  /** Warns of labels that do not exist; the first ones are shown instead. */
  #checkLabels(): void {
    const { name, isOn } = this.#settings?.labels ?? { name: null, isOn: false };
    const names = this.model.labels.peek().map((labels) => labels.name);
    if (!this.#areLabelsKnown || !isOn || name === null || names.includes(name)) return;
    const expected = listOf(names, text.related.noLabels);
    this.status.addUnusable([unusable("labels", name, expected)]);
  }

  /** Opens the selected labels. */
  openLabels(): void {
    this.#checkLabels();
    const [opened, settings, signal] = [this.#opened, this.#settings, this.#signal];
    const labels = opened && settings && shownLabels(opened.dataset, settings);
    if (!labels) return;
    void this.#load(text.related.labelsNamed(labels.name), async () => {
      // Open labels are drawn already.
      const isOpen = labels.dataset !== undefined && this.#tables.has(labels.dataset);
      const dataset = labels.dataset ?? (await labels.open());
      if (isOpen || signal.aborted) return;
      this.onNews();
      this.#openTable(dataset);
    });
  }
}

/** Returns the loads of missing parts. @param onFailure is given a sentence; the picture is drawn without that part */
export function stateData(
  dataset: Dataset,
  state: ViewState,
  onFailure: (sentence: string) => void,
): (Promise<void> | undefined)[] {
  const { colormap, byColormap } = state;
  const map = (name: ViewState["byColormap"]) =>
    name === null
      ? undefined
      : loadColormap(name)?.catch((error: unknown) =>
          onFailure(text.related.colormap(name, errorMessage(error))),
        );
  const places = loadProjection(dataset, state)?.catch((error: unknown) =>
    onFailure(text.related.positions(errorMessage(error))),
  );
  return [map(colormap), map(byColormap), places];
}
