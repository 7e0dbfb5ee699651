/** Applies changes of the state: draws the slice, and updates the views and panels around it. */

import { computed, effect } from "@preact/signals-core";
import { errorMessage } from "../base/format.js";
import { LazyPart } from "../base/lazy-part.js";
import { text } from "../language/text.js";
import { type Layer, tableOf, volumeAxes } from "../model/layers.js";
import { type SliceKind, sliceKind } from "../model/plan.js";
import { arrayFacts, type Interval, type ViewState, type WantedState } from "../model/state.js";
import { placeText } from "../panels/coordinates.js";
import type { Change, PanelView } from "../panels/panel.js";
import { datasetShape } from "../source/dataset.js";
import type { Opened } from "../source/opened.js";
import { concernsAll } from "../tiles/read.js";
import type { TileStatus } from "../tiles/tile-set.js";
import { Dock } from "./dock.js";
import type { MainPanel } from "./main-panel.js";
import { MainPlane, type PlaneKind } from "./main-plane.js";
import type { ViewerView } from "./options.js";
import { RelatedDataLoader, stateData } from "./related-data-loader.js";
import { SliceGate } from "./slice-gate.js";
import { Slices } from "./slices.js";
import { StatusReporter } from "./status-reporter.js";
import { codeRequest, resolveFor } from "./target.js";
import type { ViewerActions, ViewerModel } from "./viewer-model.js";
import { VolumeHost } from "./volume-host.js";

/** Minimum interval between two updates of the panels while data arrive, in milliseconds. */
const minUpdateInterval = 700;
/** Milliseconds without a pan or zoom after which the picture is at rest. */
const restDelay = 150;

export class ViewController {
  readonly plane: MainPlane;
  readonly volume: VolumeHost;
  readonly status: StatusReporter;
  readonly dock: Dock;
  readonly #slices: Slices;
  readonly #gate = new SliceGate(() => this.plane.view?.rest());
  readonly #relatedData: RelatedDataLoader;
  /** Loaded with the first view. */
  readonly #pointing = new LazyPart(async () => {
    const { Pointing } = await import("./pointing.js");
    const { model, plane, mainPanel } = this;
    return new Pointing(model, plane, this.#crossSections, this.#gate, mainPanel.readout);
  });
  /** Loaded with the first profile or pane. */
  readonly #crossSections = new LazyPart(async () => {
    const { CrossSections } = await import("./cross-sections.js");
    return new CrossSections(this.mainPanel.beside, {
      ...this.model.inputs,
      onFailure: (sentence) => this.status.addSourceNote(sentence),
      onPoint: (pointed, by) => this.#pointing.value?.readout.show(pointed, by),
    });
  });
  /** The buttons above the picture, and the commands of keys and gestures. Loaded with the first view. */
  readonly #tools = new LazyPart(async () => {
    const { Tools } = await import("./tools.js");
    return new Tools(this.mainPanel, this.model);
  });
  /** The view that panels showed last. */
  #panelView: PanelView | undefined;
  /** Aborted when the source is closed. */
  #opening = AbortSignal.abort();
  /** Aborted when another view is shown. */
  #request = new AbortController();
  #updated = 0;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly model: ViewerModel,
    private readonly mainPanel: MainPanel,
  ) {
    const inputs = { ...model.inputs, onFrame: (status: TileStatus) => this.#follow(status) };
    this.plane = new MainPlane({
      ...inputs,
      onWindow: (rows, columns) => this.#setWindows(rows, columns),
      onPoint: (cell, by) => this.#pointing.value?.point(cell, by),
      onPick: (cell, isPinned) => this.#pointing.value?.pick(cell, isPinned),
    });
    this.volume = new VolumeHost({
      ...inputs,
      onPoint: (point, by) =>
        this.#pointing.value?.show(point && { ...point, axes: model.dataset!.axes }, by),
      onPick: (point) => this.#pointing.value?.choose(point),
    });
    this.#slices = new Slices(model);
    this.status = new StatusReporter(model, mainPanel, this.plane, this.volume, () => {
      this.end();
      model.shown.value = {}; // the panels show that there is no picture
    });
    this.#relatedData = new RelatedDataLoader(model, mainPanel, this.status, () => this.#showAgain());
    this.dock = new Dock(
      computed(() => this.#viewOfPanels()),
      mainPanel.modes,
    );
    effect(() => {
      const { dataset, settings } = { dataset: model.dataset, settings: model.settings.peek() };
      void model.shown.value;
      if (!dataset || !settings || model.isMoving.value) return;
      const axes = this.volume.view && volumeAxes(dataset, settings);
      mainPanel.showPlace(placeText(dataset.axes, settings.index, axes ?? settings.axes));
    });
  }

  /** Draws again after labels or a layer have been opened. */
  #showAgain(): void {
    const { view } = this.model;
    if (this.plane.kind) this.#showPlane(this.plane.kind);
    else if (this.volume.view && view) void this.#showVolume(view.settings);
  }

  /** Whether a plane or a volume is shown. */
  get isPicture(): boolean {
    return this.plane.view !== undefined || this.volume.view !== undefined;
  }

  /** Actions on the view. */
  readonly actions = {
    change: (change, control) => this.change(change, control),
    play: (axis) => this.#slices.play(axis),
    togglePlay: () => this.#slices.toggle(),
    step: (direction, order) => this.#slices.step(direction, order),
    zoom: (direction) => {
      if (this.volume.view) this.volume.view.zoom(direction);
      else if (direction === "reset") this.#showAll();
      else this.plane.view?.zoom(direction === "in" ? 2 : 0.5);
    },
    showAll: () => this.#showAll(),
    command: (command) => void this.#tools.load().then((tools) => tools.run(command)),
    setBudget: (bytes) => this.plane.view?.setBudget(bytes),
    codeRequest: () => this.model.view && codeRequest(this.model.view, this.plane.view),
  } satisfies Partial<ViewerActions>;

  /** Whether everything in view has been read. */
  get isRead(): boolean {
    return this.plane.view?.isRead ?? true;
  }

  // The life of a source.

  /** Clears the view. @param opening aborted when the next source is closed */
  clear(opening: AbortSignal): void {
    this.#opening = opening;
    this.#abortReads();
    this.#rest();
    this.model.dataset = undefined;
    this.model.settings.value = undefined;
    this.model.computing.value = undefined;
    this.#relatedData.begin(undefined, opening);
    this.dock.replace();
    this.end();
    this.mainPanel.show(undefined);
  }

  /** Prepares the panels for an open dataset, before a state is applied. */
  begin(opened: Extract<Opened, { kind: "dataset" }>, v1Order: "spec" | "writer" | undefined): void {
    const { dataset, path } = opened;
    this.model.dataset = dataset;
    this.#panelView = undefined;
    this.dock.begin({ ...this.model.actions, dataset, path, v1Order, derived: this.model.target?.derive });
    this.mainPanel.setHeading(dataset.title, dataset);
    this.#relatedData.begin(opened, this.#opening);
  }

  /** Removes the picture. */
  end(): void {
    this.#slices.stop();
    this.#gate.clear();
    this.#crossSections.value?.dispose();
    this.plane.end();
    this.volume.end();
    this.status.end();
  }

  destroy(): void {
    clearTimeout(this.#resting);
    this.#request.abort();
    this.end();
  }

  /** Aborts the reads of the previous view; returns the signal of the next. */
  #abortReads(): AbortSignal {
    this.#request.abort();
    this.#request = new AbortController();
    return this.#request.signal;
  }

  // The state and its consequences.

  /** Changes the state at the user's request. */
  change(wanted: Change | WantedState, control: string): void {
    if (!this.model.view) return;
    if (control === "pan" || control === "zoom") this.#move();
    const { dataset, settings } = this.model.view;
    const change: WantedState = typeof wanted === "function" ? wanted(settings) : wanted;
    // Another field or part has its own values and colours; stored values have another range.
    const isOther = change.field !== undefined || change.part !== undefined;
    const isOtherRange = isOther || (change.isRaw !== undefined && change.isRaw !== settings.isRaw);
    const reset: WantedState = {
      ...(isOther ? { colormap: undefined } : {}),
      ...(isOtherRange ? { range: undefined } : {}),
    };
    const state = resolveFor(dataset, { ...settings, ...reset, ...change });
    const [, slider] = /^index-(\d+)$/.exec(control) ?? [];
    if (slider) this.#slices.slide(Number(slider), state.index[Number(slider)]!, !this.#gate.isOpen);
    void this.apply(state, control);
    if (change.labels !== undefined) this.#relatedData.openLabels();
    this.model.options.onChange?.(this.model.view!, control);
  }

  #move(): void {
    clearTimeout(this.#resting);
    this.model.isMoving.value = true;
    this.#resting = setTimeout(() => {
      this.#rest();
      this.plane.view?.redraw();
    }, restDelay);
  }

  #rest(): void {
    clearTimeout(this.#resting);
    this.model.isMoving.value = false;
  }

  /** Adopts a state and updates everything that depends on it. */
  async apply(state: ViewState, cause: string): Promise<void> {
    const { model, plane } = this;
    const kind = sliceKind(arrayFacts(model.dataset!), state);
    model.cause = cause;
    model.settings.value = state;
    void this.#readCoordinates(state);
    this.#relatedData.openLayers(state);
    if (kind !== "image" && kind !== "line") {
      this.end();
      await this.#showText(kind);
      return;
    }
    const note = (sentence: string) => this.status.addSourceNote(sentence);
    const loading = [
      plane.load(kind),
      ...stateData(model.dataset!, state, note),
      this.#relatedData.readColumn(state),
    ].filter((part) => part !== undefined);
    if (loading.length > 0) {
      model.activity.value = "reading";
      await Promise.all(loading);
      if (model.settings.value !== state) return;
    }
    if (kind === "image" && state.view === "volume" && (await this.#showVolume(state))) return;
    if (model.settings.value !== state) return;
    this.volume.end();
    const isSlice = this.plane.kind === kind && /^(?:index-\d+|step)$/.test(cause);
    this.#gate.pass(isSlice, {
      show: () => this.#showPlane(kind, state),
      prepare: () => plane.prepare(model.dataset!, state),
    });
  }

  /** @returns false if a plane must be shown instead */
  async #showVolume(state: ViewState): Promise<boolean> {
    const isCurrent = () => this.model.settings.value === state;
    try {
      const view = await this.volume.show(this.model.dataset!, state, isCurrent);
      if (!view) return !isCurrent();
      if (this.plane.view) this.plane.end();
      if (view.element.parentElement === null) this.status.begin();
      this.mainPanel.show(view.element, true);
      this.#slices.follow(this.model.dataset!, state);
      this.#wantTools();
      this.#showCrossSections();
      this.model.shown.value = {};
      return true;
    } catch (error) {
      this.status.addSourceNote(text.volume.failed(errorMessage(error)));
      return !isCurrent();
    }
  }

  /** Reads the coordinates of the current view if they were not read with the dataset. */
  async #readCoordinates({ index }: ViewState): Promise<void> {
    const { axes } = this.model.dataset!;
    const missing = axes.flatMap(({ coordinates }, axis) =>
      coordinates && coordinates.at(index[axis]!) === undefined ? [coordinates.read(index[axis]!)] : [],
    );
    if (missing.length === 0) return;
    const signal = this.#opening;
    await Promise.allSettled(missing); // without coordinates, positions are shown as indices
    if (signal.aborted || !this.model.view) return;
    this.model.shown.value = {};
    this.plane.view?.redraw();
    this.#pointing.value?.again();
  }

  #showPlane(kind: PlaneKind, settings = this.model.view!.settings): void {
    const { dataset } = this.model.view!;
    this.#slices.follow(dataset, settings);
    const next = kind === "image" ? this.#slices.next(dataset, settings) : [];
    this.#abortReads();
    const { view, isOther } = this.plane.show(kind, dataset, settings, next, this.#gate.isPassing);
    this.mainPanel.show(view.element, true);
    view.frame.measure();
    if (isOther) this.status.begin();
    this.#wantTools();
    this.#showCrossSections();
    this.model.shown.value = {};
    this.#pointing.value?.again(true);
  }

  /** Loads the parts that the first view can do without. */
  #wantTools(): void {
    this.#tools.want();
    this.#pointing.want(() => {
      if (this.isPicture) this.#pointing.value!.again(true);
    });
  }

  async #showText(kind: SliceKind): Promise<void> {
    const { dataset, settings } = this.model.view!;
    const signal = this.#abortReads();
    this.model.activity.value = "reading";
    this.model.shown.value = {};
    if (kind === "empty") this.mainPanel.showText(text.picture.empty);
    else {
      this.mainPanel.setBusy(text.picture.reading);
      try {
        const { adoptStyles, createTable } = await import("./contents.js");
        adoptStyles(this.model.root);
        const table = await createTable(dataset, settings, signal);
        signal.throwIfAborted();
        this.mainPanel.show(table);
      } catch (error) {
        if (!signal.aborted) this.status.fail(error, "reading");
        return;
      }
    }
    this.status.showReady();
    if (kind !== "empty") this.#relatedData.find();
  }

  #setWindows(rows: Interval, columns: Interval): void {
    const { settings } = this.model.view!;
    const wanted = settings.axes.length > 1 ? [rows, columns] : [columns];
    const window = settings.window.map((old, axis) => wanted[settings.axes.indexOf(axis)] ?? old);
    this.change({ camera: null, window }, "mark");
  }

  /** Shows the whole slice, whatever it costs to read. */
  #showAll(): void {
    const { dataset, settings } = this.model.view!;
    const shape = datasetShape(dataset);
    const isDear = this.plane.isMiddle(dataset, settings);
    const window = settings.window.map((old, axis): Interval | null => {
      if (!settings.axes.includes(axis)) return old;
      return isDear ? [0, shape[axis]!] : null;
    });
    this.change({ camera: null, window }, "zoom");
  }

  // Views and panels around the picture.

  /** Called after every frame with the progress of reading. */
  #follow(status: TileStatus): void {
    const { view } = this.model;
    if (!view) return;
    const fatal = status.failures.find((error) => concernsAll(error));
    if (fatal !== undefined) {
      this.status.fail(fatal, "reading");
      return;
    }
    this.#crossSections.value?.follow();
    this.#showProgress(status);
    if (status.isCovered) this.#gate.open();
    // Data arrive in bursts: the panels are not updated for every tile.
    const now = performance.now();
    const isRecent = now - this.#updated < minUpdateInterval;
    if (this.model.isMoving.peek() || (!status.isComplete && isRecent)) return;
    this.#updated = now;
    this.#describe(view, status);
  }

  #showProgress(status: TileStatus): void {
    // The colour limits of a complete picture have been found.
    if (this.status.showProgress(status)) this.#showCrossSections();
    if (!status.isComplete || this.model.computing.peek() !== undefined) return;
    this.model.activity.value = "ready";
    this.#relatedData.find();
  }

  #describe(view: ViewerView, status: TileStatus): void {
    const { layers, ranges, kind } = this.volume.view ? this.volume : this.plane;
    this.mainPanel.legend.value = {
      ...view,
      layers: kind === "image" ? layers : [],
      ranges,
      level: this.volume.level,
    };
    this.model.shown.value = {};
    this.status.showNotes(view, status);
    this.#pointing.value?.again();
  }

  #showCrossSections(): void {
    // Their code may arrive after the source has been closed.
    if (!this.model.view) return;
    const { dataset, settings: state } = this.model.view;
    const { view: plane, kind, ranges } = this.plane;
    const limits = (layer: Layer) => ranges.limits(layer);
    const main = plane && kind === "image" ? { dataset, state, limits, plane } : undefined;
    const { value } = this.#crossSections;
    if (value) value.show(main);
    else if (main && (state.profile !== null || state.planes.length > 1))
      this.#crossSections.want(() => this.#showCrossSections());
  }

  /** Returns the view that panels describe: the last one while the picture moves. */
  #viewOfPanels(): PanelView | undefined {
    const { plane } = this;
    const { dataset, settings, shown, isMoving, playing, labels, collection } = this.model;
    if (isMoving.value) return this.#panelView;
    void shown.value;
    const state = settings.peek();
    this.#panelView = dataset &&
      state && {
        state,
        kind: dataset.embedding ? "scatter" : sliceKind(arrayFacts(dataset), state),
        seen: plane.view?.seen,
        numbers: this.volume.view ? this.volume.numbers : plane.numbers,
        playing: playing.value,
        isPicture: this.isPicture,
        displayed: plane.displayedView(dataset, state),
        labels: labels.value,
        table: tableOf(dataset, state),
        collection: collection.value,
        memory: plane.view?.memory,
      };
    return this.#panelView;
  }
}
