/** Panels beside the picture: controls, advice, sharing and facts. Loaded when they become visible. */
import { adviceFor, type DisplayedView } from "../model/advice.js";
import { type CodeRequest, javascriptCode, pythonCode } from "../model/code.js";
import type { ViewState, WantedState } from "../model/state.js";
import type { ControlCallbacks, ControlState } from "../panels/control.js";
import { Controls } from "../panels/controls.js";
import { factsPanel } from "../panels/facts.js";
import { LabelsPanel } from "../panels/labels.js";
import { LayersPanel } from "../panels/layers.js";
import { Meaning } from "../panels/meaning.js";
import { type Memory, MemoryPanel } from "../panels/memory.js";
import { ReadingPanel } from "../panels/reading.js";
import { RowsPanel } from "../panels/rows.js";
import { type ShareCallbacks, SharePanel } from "../panels/share.js";
import type { Dataset, Labels } from "../source/dataset.js";
import type { Measured } from "../source/measure.js";
import type { Observations } from "../source/observations.js";
import { adoptStyles } from "./panel-styles.js";

export interface SidePanelsCallbacks extends Omit<ControlCallbacks, "onChange"> {
  onChange(change: WantedState, control: string): void;
  onBudget(bytes: number): void;
  readonly share: Omit<ShareCallbacks, "code">;
  /** The view that a generated program reads; undefined for a store of the page. */
  codeRequest(): CodeRequest | undefined;
  measure(): Promise<Measured | undefined>;
}

/** State that the panels show in addition to the settings. */
export interface SidePanelsState {
  readonly controls: ControlState;
  readonly isPicture: boolean;
  /** The read view, for advice; undefined if there is no picture. */
  readonly displayedView: DisplayedView | undefined;
  /** Labels found for the image. */
  readonly labels: readonly Labels[];
  /** The table whose rows are points or labels. */
  readonly table: Observations | undefined;
}

export class SidePanels {
  readonly #callbacks: SidePanelsCallbacks;
  readonly #controls: Controls;
  readonly #meaning: Meaning;
  readonly #share: SharePanel;
  readonly #reading: ReadingPanel;
  readonly #memory: MemoryPanel;
  readonly #layers: LayersPanel;
  #labels: LabelsPanel | undefined;
  #rows: RowsPanel | undefined;
  /** In display order. */
  readonly elements: readonly HTMLElement[];

  /**
   * @param v1Order the selectable byte order, if it is uncertain
   * @param dock the element that the panels are for
   */
  constructor(
    dataset: Dataset,
    v1Order: "spec" | "writer" | undefined,
    callbacks: SidePanelsCallbacks,
    dock: HTMLElement,
  ) {
    adoptStyles(dock);
    this.#callbacks = callbacks;
    this.#meaning = new Meaning(dataset, (isRaw) => callbacks.onChange({ isRaw }, "raw"));
    this.#controls = new Controls(dataset, v1Order, callbacks);
    this.#share = new SharePanel({
      ...callbacks.share,
      code: (language) => {
        const request = callbacks.codeRequest();
        return request && (language === "python" ? pythonCode(request) : javascriptCode(request));
      },
    });
    this.#reading = new ReadingPanel(callbacks.measure);
    this.#memory = new MemoryPanel(callbacks.onBudget);
    this.#layers = new LayersPanel(
      dataset,
      (layers, control) => callbacks.onChange({ layers }, control),
      (imageOpacity) => callbacks.onChange({ imageOpacity }, "image-opacity"),
    );
    this.elements = [
      this.#controls.element,
      this.#layers.element,
      this.#meaning.element,
      this.#share.element,
      this.#reading.element,
      factsPanel(dataset.array),
      this.#memory.element,
    ];
  }

  sync(settings: ViewState, { controls, isPicture, displayedView, labels, table }: SidePanelsState): void {
    const isLabels = settings.colormap === "labels" && settings.channels === null;
    if (labels.length > 0 ? this.#labels?.labels !== labels : isLabels && !this.#labels)
      this.#addLabels(labels);
    if (this.#labels) this.#labels.element.hidden = labels.length === 0 && !isLabels;
    this.#syncRows(settings, table, controls.kind === "scatter");
    this.#controls.sync(settings, controls);
    this.#meaning.sync(settings);
    this.#labels?.sync(settings);
    this.#layers.element.hidden = controls.kind !== "image";
    this.#layers.sync(settings);
    this.#share.sync(isPicture);
    this.#reading.sync(displayedView && adviceFor(displayedView));
  }

  #syncRows(settings: ViewState, table: Observations | undefined, isPlot: boolean): void {
    if (table !== this.#rows?.observations) {
      this.#rows?.element.remove();
      this.#rows = table && new RowsPanel(table, isPlot, this.#callbacks.onChange);
      if (this.#rows) this.#controls.element.after(this.#rows.element);
    }
    this.#rows?.sync(settings);
  }

  #addLabels(labels: readonly Labels[]): void {
    this.#labels?.element.remove();
    this.#labels = new LabelsPanel(labels, (change, control) =>
      this.#callbacks.onChange({ labels: change }, control),
    );
    this.#controls.element.after(this.#labels.element);
  }

  /** Shows the nodes or variables related to the array. */
  addCollection(panel: HTMLElement): void {
    this.#controls.insert(panel);
  }

  showMemory(memory: Memory | undefined): void {
    this.#memory.sync(memory);
  }
}
