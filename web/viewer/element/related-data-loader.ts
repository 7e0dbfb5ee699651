/** Loads what accompanies a picture and can wait: sibling variables and images, labels, added layers. */
import { errorMessage } from "../base/format.js";
import { listOf, unusable } from "../base/unusable.js";
import { labelTableOf } from "../model/label-tables.js";
import { shownLabels } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Note } from "../panels/notes.js";
import type { Dataset, Embedding, Labels } from "../source/dataset.js";
import type { Opened } from "../source/opened.js";
import type { LayerOpener } from "./layer-opener.js";

type OpenedDataset = Extract<Opened, { kind: "dataset" }>;

export interface RelatedDataCallbacks {
  /** The current state; undefined if nothing is shown. */
  settings(): ViewState | undefined;
  onGo(path: string, variable?: string): void;
  /** Called with a list of alternatives to show. */
  onCollection(panel: HTMLElement): void;
  /** Called when labels have been found. */
  onLabels(): void;
  /** Called when the selected labels or a layer have been opened. */
  onNews(): void;
  /** Called when labels or layers begin to load, and when none is loading any more. */
  onPending(isPending: boolean): void;
  /** Called with an error that concerns one layer. */
  onError(error: unknown): void;
  /** Called with the notes on added layers. */
  onNotes(notes: readonly Note[]): void;
  /** Called when labels cannot be shown. */
  onFailure(sentence: string): void;
  /** Called with messages about requested labels that do not exist. */
  onUnusable(messages: readonly string[]): void;
}

export class RelatedDataLoader {
  #opened: OpenedDataset | undefined;
  #signal = AbortSignal.abort();
  #isFound = false;
  #labels: readonly Labels[] = [];
  #areLabelsKnown = false;
  #layers: Promise<LayerOpener> | undefined;
  /** The labels whose tables have been opened, or are being opened. */
  #tables = new Set<Dataset>();
  /** Number of labels and layers that are loading. */
  #pending = 0;

  constructor(private readonly callbacks: RelatedDataCallbacks) {}

  /** Labels of the image, once they have been found. */
  get labels(): readonly Labels[] {
    return this.#labels;
  }

  /** @param opened a picture, if any. @param signal aborts all loading */
  begin(opened: OpenedDataset | undefined, signal: AbortSignal): void {
    this.#opened = opened;
    this.#signal = signal;
    this.#isFound = false;
    this.#labels = [];
    this.#areLabelsKnown = false;
    this.#layers = undefined;
    this.#tables = new Set();
    this.#pending = 0;
    this.callbacks.onPending(false);
  }

  /** Counts a load, and reports its failure. */
  async #load(subject: string, load: () => Promise<void>): Promise<void> {
    const [opened, signal] = [this.#opened, this.#signal];
    this.#pending++;
    this.callbacks.onPending(true);
    try {
      await load();
    } catch (error) {
      if (!signal.aborted) this.callbacks.onFailure(`${subject} cannot be shown: ${errorMessage(error)}.`);
    } finally {
      if (opened === this.#opened) this.callbacks.onPending(--this.#pending > 0);
    }
  }

  /** Opens the added layers of a state. */
  openLayers({ layers }: ViewState): void {
    const opened = this.#opened;
    if (!opened || (layers.length === 0 && !this.#layers)) return;
    void this.#load("The layers", () => this.#openLayers(opened, layers));
  }

  async #openLayers({ dataset }: OpenedDataset, layers: ViewState["layers"]): Promise<void> {
    const signal = this.#signal;
    try {
      const onRetry = () => this.openLayers(this.callbacks.settings()!);
      this.#layers ??= import("./layer-opener.js").then(
        ({ LayerOpener }) => new LayerOpener(dataset, signal, { ...this.callbacks, onRetry }),
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
    void this.#load("The labels", () => this.#findLabels(opened.dataset));
    const { embedding } = opened.dataset;
    if (embedding) void this.#load("The points", () => this.#describe(embedding));
    if (this.callbacks.settings()?.colormap === "labels") this.#openTable(opened.dataset);
  }

  /** Opens the table of labels, once. */
  #openTable(labels: Dataset): void {
    const [signal, tables] = [this.#signal, this.#tables];
    if (tables.has(labels)) return;
    tables.add(labels);
    void this.#load("The table of the labels", async () => {
      try {
        const { loadLabelTable } = await import("./layer-opener.js");
        await loadLabelTable(labels, this.callbacks.settings()?.by ?? "", signal);
      } catch (error) {
        tables.delete(labels);
        throw error;
      }
      if (!signal.aborted && labelTableOf(labels)) this.callbacks.onNews();
    });
  }

  /** Reads the descriptions of points. */
  async #describe({ observations }: Embedding): Promise<void> {
    const signal = this.#signal;
    await observations.readDescribed().catch(() => {}); // rows are numbered without it
    if (!signal.aborted) this.callbacks.onNews();
  }

  async #findCollection({ path, collection }: OpenedDataset): Promise<void> {
    const signal = this.#signal;
    const found = await collection(signal).catch(() => undefined); // the picture does not depend on it
    if (!found) return;
    const { collectionPanel } = await import("../panels/collection.js");
    const panel = collectionPanel(found, path, (...way) => this.callbacks.onGo(...way));
    if (panel && !signal.aborted) this.callbacks.onCollection(panel);
  }

  async #findLabels(dataset: Dataset): Promise<void> {
    const signal = this.#signal;
    const labels = (await dataset.labels?.find().catch(() => [])) ?? [];
    if (signal.aborted) return;
    this.#labels = labels;
    this.#areLabelsKnown = true;
    this.#checkLabels();
    if (labels.length === 0) return;
    this.callbacks.onLabels();
    this.openLabels();
  }

  /** Warns of labels that do not exist; the first ones are shown instead. */
  #checkLabels(): void {
    const { name, isOn } = this.callbacks.settings()?.labels ?? { name: null, isOn: false };
    const names = this.#labels.map((labels) => labels.name);
    if (!this.#areLabelsKnown || !isOn || name === null || names.includes(name)) return;
    const expected = listOf(names, "none: the picture has no labels");
    this.callbacks.onUnusable([unusable("labels", name, expected)]);
  }

  /** Opens the selected labels. */
  openLabels(): void {
    this.#checkLabels();
    const [opened, settings, signal] = [this.#opened, this.callbacks.settings(), this.#signal];
    const labels = opened && settings && shownLabels(opened.dataset, settings);
    if (!labels) return;
    void this.#load(`The labels ${labels.name}`, async () => {
      // Open labels are drawn already.
      const isOpen = labels.dataset !== undefined && this.#tables.has(labels.dataset);
      const dataset = labels.dataset ?? (await labels.open());
      if (isOpen || signal.aborted) return;
      this.callbacks.onNews();
      this.#openTable(dataset);
    });
  }
}
