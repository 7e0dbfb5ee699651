/** Applies changes of the state: draws the slice, and updates the views and panels around it. */
import { errorMessage } from "../base/format.js";
import type { Command } from "../input/gestures.js";
import type { Camera } from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import { type SliceKind, sliceKind } from "../model/plan.js";
import { arrayFacts, type Interval, type ViewState, type WantedState } from "../model/state.js";
import { tableOf } from "../model/table.js";
import type { Orbit, VolumeCut } from "../model/volume.js";
import { datasetShape } from "../source/dataset.js";
import type { Measured } from "../source/measure.js";
import type { Opened } from "../source/opened.js";
import { concernsAll } from "../tiles/read.js";
import type { TileStatus } from "../tiles/tile-set.js";
import { LazyCrossSections } from "./lazy-cross-sections.js";
import { LazySidePanels } from "./lazy-side-panels.js";
import { LazyVolume } from "./lazy-volume.js";
import type { MainPanel } from "./main-panel.js";
import { MainPlane, type PlaneKind } from "./main-plane.js";
import type { ViewerView } from "./options.js";
import { PointerReporter } from "./pointer-reporter.js";
import { Pointing } from "./pointing.js";
import { RelatedDataLoader } from "./related-data-loader.js";
import type { SidePanelsCallbacks } from "./side-panels.js";
import { SliceGate } from "./slice-gate.js";
import { Slices } from "./slices.js";
import { stateData } from "./state-data.js";
import { StatusReporter, type StatusReporterCallbacks } from "./status-reporter.js";
import { resolveFor } from "./target.js";
import type { Tools } from "./tools.js";
import { valueFormat } from "./value-format.js";
import { codeRequest } from "./view-link.js";
import type { ViewerModel } from "./viewer-model.js";

/** Minimum interval between two updates of the panels while data arrive, in milliseconds. */
const minUpdateInterval = 700;
/** Milliseconds without a pan or zoom after which the picture is at rest. */
const restDelay = 150;

export interface ViewControllerCallbacks
  extends Pick<StatusReporterCallbacks, "onRetry">,
    Pick<SidePanelsCallbacks, "onV1Order"> {
  /** Opens another node or variable of the same source. */
  onGo(path: string, variable?: string): void;
  readonly share: SidePanelsCallbacks["share"];
}

export class ViewController {
  readonly #inputs = {
    onFrame: (status: TileStatus) => this.#follow(status),
    onStep: (direction: 1 | -1, axis?: number) => this.#slices.step(direction, axis),
    onCommand: (command: Command) => void this.#command(command),
    onPlay: () => {
      this.#slices.toggle();
      this.#syncSide();
    },
    onCamera: (camera: Camera, cause: string) => this.change({ camera }, cause),
    onReset: () => this.#showAll(),
    onOrbit: (orbit: Orbit | null, cause: string) => this.change({ orbit }, cause),
    onCut: (cut: VolumeCut | null) => this.change({ cut }, "cut"),
    onPick: (index: readonly number[]) => this.change({ index }, "pick"),
    format: () => valueFormat(this.model.dataset!, this.model.settings.value!),
  };
  readonly plane = new MainPlane({
    ...this.#inputs,
    onWindow: (rows, columns) => this.#setWindows(rows, columns),
    onPoint: (cell, by) => this.#pointing.point(cell, by),
    onPick: (cell, isPinned) => this.#pointing.pick(cell, isPinned),
  });
  readonly status: StatusReporter;
  readonly side: LazySidePanels;
  readonly #slices = new Slices({
    view: () => this.model.view,
    isReady: () => this.model.activity === "ready",
    onIndex: (index, cause) => this.change({ index }, cause),
  });
  readonly #gate = new SliceGate(() => this.plane.view?.rest());
  readonly #relatedData: RelatedDataLoader;
  readonly #crossSections = new LazyCrossSections({
    ...this.#inputs,
    onFailure: (sentence) => this.status.addSourceNote(sentence),
    onPoint: (pointed, by) => this.mainPanel.readout.show(pointed, by),
  });
  readonly #pointing: Pointing;
  readonly #volume = new LazyVolume({
    onPoint: (point, by) =>
      this.#pointing.reporter.show(point && { ...point, axes: this.model.dataset!.axes }, by),
    ...this.#inputs,
  });
  #tools: Tools | undefined;
  /** Aborted when the source is closed. */
  #opening = AbortSignal.abort();
  /** Aborted when another view is shown. */
  #request = new AbortController();
  #updated = 0;
  /**
   * Set while the picture is moving: descriptions of the view are updated when it rests, to keep frames
   * short.
   */
  #moving: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly model: ViewerModel,
    private readonly mainPanel: MainPanel,
    private readonly callbacks: ViewControllerCallbacks,
  ) {
    this.status = new StatusReporter(model, mainPanel, this.plane, this.#volume, {
      onFailure: () => this.end(),
      onRetry: callbacks.onRetry,
      onReadInCOrder: () => callbacks.onV1Order("writer"),
      onReadWholeSlice: () => this.#showAll(),
    });
    this.side = new LazySidePanels(this.#sideCallbacks());
    this.#relatedData = this.#makeRelatedData();
    const reporter = new PointerReporter(mainPanel.readout, () => model.options.onPointer);
    this.#pointing = new Pointing(model, this.plane, this.#crossSections, reporter, {
      isHeld: (by) => this.#moving !== undefined && by === "pointer",
      isWaiting: () => this.#gate.isWaiting,
      onChange: (change, control) => this.change(change, control),
    });
    mainPanel.crossSections.append(this.#crossSections.element);
  }

  /** Whether a plane or a volume is shown. */
  get isPicture(): boolean {
    return this.plane.view !== undefined || this.#volume.view !== undefined;
  }

  #zoom(direction: "in" | "out" | "reset"): void {
    if (this.#volume.view) this.#volume.view.zoom(direction);
    else if (direction === "reset") this.#showAll();
    else this.plane.view?.zoom(direction === "in" ? 2 : 0.5);
  }

  /** Loads the buttons above the picture, and runs a command that keys or gestures gave. */
  async #command(command?: Command): Promise<void> {
    const { Tools } = await import("./tools.js");
    this.#tools ??= new Tools(this.mainPanel, {
      onZoom: (direction) => this.#zoom(direction),
      picture: () => this.callbacks.share.picture(),
      view: () => this.model.view!,
      onTool: (tool) => this.change({ tool }, "tool"),
    });
    this.#tools.choose(this.model.settings.value?.tool);
    if (command) this.#tools.run(command);
  }

  #makeRelatedData(): RelatedDataLoader {
    return new RelatedDataLoader({
      settings: () => this.model.settings.value,
      onGo: (path, variable) => this.callbacks.onGo(path, variable),
      onCollection: (panel) => this.side.addCollection(panel),
      onLabels: () => this.#syncSide(),
      onNews: () => {
        const { value } = this.model.settings;
        if (this.plane.kind) this.#showPlane(this.plane.kind);
        else if (this.#volume.view && value) void this.#showVolume(value);
      },
      onPending: (isPending) => this.mainPanel.setPending(isPending),
      onError: (error) => this.model.options.onError?.(error),
      onNotes: (notes) => this.status.setLayerNotes(notes),
      onFailure: (sentence) => this.status.addSourceNote(sentence),
      onUnusable: (messages) => this.status.addUnusable(messages),
    });
  }

  #sideCallbacks() {
    return {
      onLoad: () => this.#syncSide(),
      onChange: (change: WantedState, control: string) => this.change(change, control),
      onPlay: (axis: number | undefined) => {
        this.#slices.play(axis);
        this.#syncSide();
      },
      onV1Order: (order: "spec" | "writer") => this.callbacks.onV1Order(order),
      onBudget: (bytes: number) => this.plane.view?.setBudget(bytes),
      share: this.callbacks.share,
      codeRequest: () => {
        const { view } = this.model;
        return view && codeRequest(view, this.plane.view);
      },
      measure: () => this.#measure(),
    };
  }

  // The life of a source.

  /** Clears the view. @param opening aborted when the next source is closed */
  clear(opening: AbortSignal): void {
    this.#opening = opening;
    this.#abortReads();
    this.model.dataset = undefined;
    this.model.settings.set(undefined, "open");
    this.#relatedData.begin(undefined, opening);
    this.side.replace();
    this.end();
    this.mainPanel.show(undefined);
  }

  /** Prepares the panels for an open dataset, before a state is applied. */
  begin(opened: Extract<Opened, { kind: "dataset" }>, v1Order: "spec" | "writer" | undefined): void {
    const { dataset } = opened;
    this.model.dataset = dataset;
    this.side.begin({ dataset, v1Order });
    this.mainPanel.setHeading(dataset.title, dataset);
    this.#relatedData.begin(opened, this.#opening);
  }

  /** Removes the picture. */
  end(): void {
    this.#slices.stop();
    this.#gate.clear();
    this.#crossSections.dispose();
    this.plane.end();
    this.#volume.end();
    this.side.showMemory(undefined);
    this.status.end();
  }

  destroy(): void {
    clearTimeout(this.#moving);
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
  change(change: WantedState, control: string): void {
    if (control === "pan" || control === "zoom") this.#move();
    const { dataset, settings } = this.model.view!;
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
    clearTimeout(this.#moving);
    this.#moving = setTimeout(() => {
      this.#moving = undefined;
      this.plane.view?.redraw();
    }, restDelay);
  }

  /** Adopts a state and updates everything that depends on it. */
  async apply(state: ViewState, cause: string): Promise<void> {
    const { model, plane } = this;
    const kind = sliceKind(arrayFacts(model.dataset!), state);
    model.settings.set(state, cause);
    void this.#readCoordinates(state);
    this.#relatedData.openLayers(state);
    if (kind !== "image" && kind !== "line") {
      this.end();
      await this.#showText(kind);
      return;
    }
    const note = (sentence: string) => this.status.addSourceNote(sentence);
    const loading = [plane.load(kind), ...stateData(model.dataset!, state, note)].filter(
      (part) => part !== undefined,
    );
    if (loading.length > 0) {
      model.activity = "reading";
      await Promise.all(loading);
      if (model.settings.value !== state) return;
    }
    if (kind === "image" && state.view === "volume" && (await this.#showVolume(state))) return;
    if (model.settings.value !== state) return;
    this.#volume.end();
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
      const view = await this.#volume.show(this.model.dataset!, state, isCurrent);
      if (!view) return !isCurrent();
      if (this.plane.view) this.plane.end();
      if (view.element.parentElement === null) this.status.begin();
      this.mainPanel.show(view.element, true);
      this.#slices.follow(this.model.dataset!, state);
      if (!this.#tools) void this.#command();
      this.#showCrossSections();
      if (this.#moving === undefined) this.#syncSide();
      return true;
    } catch (error) {
      this.status.addSourceNote(`The volume cannot be shown: ${errorMessage(error)}.`);
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
    this.#syncSide();
    this.plane.view?.redraw();
    this.#pointing.again();
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
    if (this.#tools) this.#tools.choose(settings.tool);
    else void this.#command();
    this.#showCrossSections();
    if (this.#moving === undefined) this.#syncSide();
    this.#pointing.again(true);
  }

  async #showText(kind: SliceKind): Promise<void> {
    const { dataset, settings } = this.model.view!;
    const signal = this.#abortReads();
    this.model.activity = "reading";
    this.#syncSide();
    if (kind === "empty")
      this.mainPanel.showText("The array has no elements: one of its dimensions has length 0.");
    else {
      this.mainPanel.setBusy("Reading…");
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
    this.#crossSections.follow();
    this.#showProgress(status);
    if (status.isCovered) this.#gate.open();
    // Data arrive in bursts: the panels are not updated for every tile.
    const now = performance.now();
    const isRecent = now - this.#updated < minUpdateInterval;
    if (this.#moving !== undefined || (!status.isComplete && isRecent)) return;
    this.#updated = now;
    this.#describe(view, status);
  }

  #showProgress(status: TileStatus): void {
    // The colour limits of a complete picture have been found.
    if (this.status.showProgress(status)) this.#showCrossSections();
    if (!status.isComplete) return;
    this.model.activity = "ready";
    this.#relatedData.find();
  }

  #describe(view: ViewerView, status: TileStatus): void {
    const { layers, ranges, kind } = this.#volume.view ? this.#volume : this.plane;
    this.mainPanel.legend.show({ ...view, layers: kind === "image" ? layers : [], ranges });
    this.#syncSide();
    this.status.showNotes(view, status);
    this.#pointing.again();
  }

  #showCrossSections(): void {
    const { dataset, settings: state } = this.model.view!;
    const { view: plane, kind, ranges } = this.plane;
    const limits = (layer: Layer) => ranges.limits(layer);
    this.#crossSections.show(plane && kind === "image" ? { dataset, state, limits, plane } : undefined);
  }

  /** Updates the panels for the current view and its statistics. */
  #syncSide(): void {
    const { model, plane } = this;
    if (!model.view) return;
    const { dataset, settings } = model.view;
    const kind = sliceKind(arrayFacts(dataset), settings);
    this.side.sync(settings, {
      controls: {
        kind: dataset.embedding ? "scatter" : kind,
        seen: plane.view?.seen,
        numbers: this.#volume.view ? this.#volume.numbers : plane.numbers,
        playing: this.#slices.playing,
      },
      isPicture: this.isPicture,
      displayedView: plane.displayedView(dataset, settings),
      labels: this.#relatedData.labels,
      table: tableOf(dataset, settings),
    });
    this.side.showMemory(plane.view?.memory);
    this.mainPanel.showPlace(this.#volume.place(dataset, settings));
  }

  async #measure(): Promise<Measured | undefined> {
    const [view, plane] = [this.model.view, this.plane.view];
    const seen = plane?.seen;
    if (!view || !seen) return undefined;
    const { dataset, settings, target } = view;
    const { measureView } = await import("./measure-view.js");
    const options = { v1Order: target.v1Order, signal: this.#request.signal };
    return measureView(dataset, settings, { seen, level: plane!.level }, options);
  }
}
