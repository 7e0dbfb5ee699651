/**
 * Controller: opens the source, owns the viewer state and notifies the panels. The tiles of the main plane
 * decide which data are read.
 */
import type { ZarrWarning } from "zarr-wasm";
import { h } from "../base/dom.js";
import { formatByteCount } from "../base/format.js";
import { Observable } from "../base/observable.js";
import type { Layer } from "../model/layers.js";
import { kindOf, type SliceKind } from "../model/plan.js";
import { factsOf, hasOtherRanges, type Interval, type ViewState, type WantedState } from "../model/state.js";
import { placeText } from "../panels/coordinates.js";
import { Crumbs } from "../panels/crumbs.js";
import { type Explanation, explain, type Stage as Failing } from "../panels/messages.js";
import { type Note, Notes } from "../panels/notes.js";
import { type Dataset, shapeOf } from "../source/dataset.js";
import type { Measured } from "../source/measure.js";
import { nameOf, type Opened, openPlace, RefusedAddress, readPlace } from "../source/open.js";
import { concernsAll } from "../tiles/read.js";
import { acquire, release } from "../tiles/shared.js";
import type { TileStatus } from "../tiles/tile-set.js";
import { BesidePlace } from "./beside-place.js";
import { Companions } from "./companions.js";
import { followLinked, joinLink, type Linked, tellLinked } from "./links.js";
import { MainPlane, type PlaneKind } from "./main-plane.js";
import { countText, damageNotes, errorsOf, leftOutNotes, middleNote, placeNotes } from "./noting.js";
import type { ViewerOptions, ViewerTarget, ViewerView } from "./options.js";
import { Pointing } from "./pointing.js";
import type { Cell } from "./reading.js";
import { codeRequestOf, linkTo } from "./sharing.js";
import { indexOf } from "./shown.js";
import type { SideCallbacks } from "./side.js";
import { SidePlace } from "./side-place.js";
import { Slices } from "./slices.js";
import { Stage, type ViewerState } from "./stage.js";
import { failingPlace, isSamePlace, refusal, resolveFor } from "./target.js";
import { valueFormat } from "./value-format.js";

/** Minimum interval between two status messages, in milliseconds. */
const restBetweenWords = 700;
/** Milliseconds without a pan or zoom after which the picture is at rest. */
const restAfterMoves = 150;

/** Maximum number of warnings kept per document. */
const maxWarnings = 100;

export class Viewer implements Linked {
  readonly #stage = new Stage();
  readonly #crumbs = new Crumbs({ onGo: (path, as) => this.#go({ path, as }) });
  readonly #notes = new Notes();
  readonly #side = new SidePlace({ ...this.#sideCallbacks(), onLoad: () => this.#syncSide() });
  readonly #root: HTMLElement;
  readonly #state = new Observable<ViewState | undefined>(undefined);
  readonly #plane = new MainPlane({
    onCamera: (camera, cause) => this.#change({ camera }, cause),
    onWindow: (rows, columns) => this.#setWindows(rows, columns),
    onReset: () => this.#reset(),
    onPoint: (cell, by) => this.#point(cell, by),
    onPick: (cell) => {
      if (this.#beside.isPicking) this.#change({ index: indexOf(this.view!.settings, cell) }, "pick");
    },
    onStep: (direction) => this.#slices.step(direction),
    onPlay: () => {
      this.#slices.toggle();
      this.#syncSide();
    },
    onFrame: (status) => this.#follow(status),
    format: () => this.#valueFormat(),
  });
  readonly #slices = new Slices({
    view: () => this.view,
    isReady: () => this.state === "ready",
    onIndex: (index, cause) => this.#change({ index }, cause),
  });
  readonly #companions = new Companions({
    settings: () => this.#state.value,
    onGo: (path, variable) => this.#go({ path, variable }),
    onCollection: (panel) => this.#side.prepend(panel),
    onLabels: () => this.#syncSide(),
    onNews: () => {
      if (this.#plane.kind) this.#showPlane(this.#plane.kind);
    },
    onFailure: (sentence) => {
      this.#sentences.push(sentence);
      this.#notes.show(this.#placeNotes());
    },
  });
  readonly #beside = new BesidePlace({
    onPick: (index) => this.#change({ index }, "pick"),
    onPoint: (pointed, by) => this.#stage.readout.show(pointed, by),
    format: () => this.#valueFormat(),
  });
  readonly #pointing = new Pointing(this.#stage.readout, () => this.#options.onPointer);

  #options: ViewerOptions = {};
  #target: ViewerTarget | undefined;
  #dataset: Dataset | undefined;
  #warnings: readonly ZarrWarning[] = [];
  /** Notes on how the source was read, and on its metadata. */
  #sentences: string[] = [];
  /** Aborted when the current source is closed. */
  #opening = new AbortController();
  #request = new AbortController();
  /** Status of the last frame. */
  #status: TileStatus | undefined;
  #started = 0;
  #said = 0;
  /**
   * Set while the picture is moving: descriptions of the view are updated when it rests, to keep frames
   * short.
   */
  #moving: ReturnType<typeof setTimeout> | undefined;
  #leaveLink = () => {};
  /** Errors that have been reported. */
  readonly #told = new Set<unknown>();

  constructor(element: HTMLElement, options: ViewerOptions = {}) {
    this.#stage.beside.append(this.#beside.element);
    const parts = [this.#crumbs.element, this.#stage.element, this.#notes.element];
    const grid = h(
      "div",
      { class: "zw-layout" },
      h("div", { class: "zw-main" }, ...parts),
      this.#side.element,
    );
    this.#root = h("div", { class: "zw-viewer", "data-state": "empty" }, grid);
    element.replaceChildren(this.#root);
    this.#state.subscribe((state, _before, cause) => {
      const { link } = this.#options;
      if (state && link && cause !== "link" && cause !== "open") tellLinked(link, this);
    });
    this.setOptions(options);
  }

  // Public interface.

  /** Replaces all options. */
  setOptions(options: ViewerOptions): void {
    const before = this.#options;
    this.#options = options;
    const controls = options.controls ?? "full";
    this.#root.dataset["controls"] = controls;
    this.#side.isSeen = controls === "full";
    if (options.link === before.link) return;
    this.#leaveLink();
    this.#leaveLink = options.link ? joinLink(options.link, this) : () => {};
    if (options.link) followLinked(options.link, this);
  }

  get current(): ViewState | undefined {
    return this.#state.value;
  }

  follow(wanted: WantedState): void {
    if (this.view) this.#change(wanted, "link");
  }

  /** The address of the view on a viewer page; undefined without a page, and for a store of the page. */
  get link(): string | undefined {
    const [view, { page }] = [this.view, this.#options];
    return view && page ? linkTo(view, page) : undefined;
  }

  /** The view as PNG; undefined if there is no picture. */
  async picture(): Promise<Blob | undefined> {
    if (!this.#plane.view) return undefined;
    const { pictureOf } = await import("./picture.js");
    return pictureOf(this.#stage.element);
  }

  get state(): ViewerState {
    return this.#root.dataset["state"] as ViewerState;
  }
  set #doing(state: ViewerState) {
    this.#root.dataset["state"] = state;
  }

  get view(): ViewerView | undefined {
    const [target, dataset, settings] = [this.#target, this.#dataset, this.#state.value];
    return target && dataset && settings && { target, dataset, array: dataset.array, settings };
  }

  /** The last requested target, with its address as parsed. */
  get target(): ViewerTarget | undefined {
    return this.#target;
  }

  async show(asked: ViewerTarget): Promise<void> {
    const target = this.#read(asked);
    if (!target) return;
    const isOpen = this.#dataset && this.#target && isSamePlace(this.#target, target);
    this.#target = target;
    if (!isOpen) return this.#open();
    await this.#apply(resolveFor(this.#dataset!, target.settings ?? {}), "address");
  }

  change(wanted: WantedState): void {
    if (this.view) this.#change(wanted, "program");
  }

  async reload(): Promise<void> {
    if (this.#target) await this.#open(this.#state.value);
  }

  destroy(): void {
    clearTimeout(this.#moving);
    this.#leaveLink();
    this.#request.abort();
    this.#opening.abort();
    this.#endPlane();
    this.#stage.setIdle("");
    this.#root.remove();
  }

  // Opening.

  /** Resolves the target's address; reports an error and returns undefined if it cannot be opened. */
  #read(asked: ViewerTarget): ViewerTarget | undefined {
    try {
      const { place, note } = readPlace(asked);
      this.#sentences = note === undefined ? [] : [note];
      if (note !== undefined) this.#options.onPlace?.(place, "read");
      return place;
    } catch (error) {
      this.#begin();
      this.#opening.abort();
      this.#target = asked;
      this.#forget();
      this.#stage.setHeading(nameOf(asked), undefined);
      if (!(error instanceof RefusedAddress)) this.#fail(error, "opening");
      else this.#failWith(refusal(error), "opening");
      return undefined;
    }
  }

  /** Navigates to another node of the same source. */
  #go({ path, as, variable }: Pick<ViewerTarget, "path" | "as" | "variable">): void {
    const { source, name, v1Order } = this.#target!;
    const target = { source, name, v1Order, path: path || undefined, as, variable };
    this.#sentences = [];
    this.#options.onPlace?.(target, "go");
    this.#target = target;
    void this.#open();
  }

  #reorder(v1Order: "spec" | "writer"): void {
    this.#target = { ...this.#target!, v1Order };
    void this.#open(this.#state.value);
  }

  /** Starts a new request and aborts the previous one. */
  #begin(): AbortSignal {
    this.#request.abort();
    this.#request = new AbortController();
    return this.#request.signal;
  }

  async #open(wanted: WantedState | undefined = this.#target!.settings): Promise<void> {
    const target = this.#target!;
    this.#begin();
    this.#opening.abort();
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    this.#forget();
    this.#doing = "opening";
    this.#stage.setHeading(nameOf(target), undefined);
    this.#stage.setBusy("Opening…");
    const warnings: ZarrWarning[] = [];
    // Workers start while the metadata are read.
    acquire().pool.start();
    try {
      const onWarning = (warning: ZarrWarning) => {
        if (warnings.length < maxWarnings) warnings.push(warning);
      };
      const opened = await openPlace(target, { signal, onWarning });
      signal.throwIfAborted();
      this.#warnings = warnings;
      await this.#showOpened(opened, wanted ?? {});
    } catch (error) {
      if (signal.aborted) return;
      const { path = "" } = target;
      // The groups above it may exist.
      if (path !== "") this.#crumbs.show(nameOf({ ...target, path: undefined }), path, path, false);
      this.#fail(error, "opening");
    } finally {
      release(); // the shown content holds its own reference by now
    }
  }

  #forget(): void {
    this.#dataset = undefined;
    this.#state.set(undefined, "open");
    this.#companions.begin(undefined, this.#opening.signal);
    this.#warnings = [];
    this.#crumbs.hide();
    this.#told.clear();
    this.#notes.show([]);
    this.#side.replace();
    this.#endPlane();
    this.#stage.show(undefined);
  }

  async #showOpened(opened: Opened, wanted: WantedState): Promise<void> {
    const { path = "", as } = this.#target!;
    this.#sentences = [...this.#sentences, ...opened.notes];
    this.#crumbs.show(
      nameOf({ ...this.#target!, path: undefined }),
      path,
      opened.kind === "dataset" ? opened.path : path,
      as === "contents" || opened.kind === "contents",
    );
    if (opened.kind !== "dataset") return this.#showContents(opened);
    this.#showDataset(opened);
    await this.#apply(resolveFor(this.#dataset!, wanted), "open");
    if (this.#options.link) followLinked(this.#options.link, this);
    if (this.view) this.#options.onChange?.(this.view, "open");
  }

  /** Shows content other than pictures: a plate, a group. */
  async #showContents(opened: Exclude<Opened, { kind: "dataset" }>): Promise<void> {
    const { signal } = this.#opening;
    const go = (path: string) => this.#go({ path });
    const { contentsOf } = await import("./contents.js");
    const { main, beside } = await contentsOf(opened, this.#target!, go, signal);
    signal.throwIfAborted();
    this.#stage.show(main);
    this.#side.replace(...beside);
    this.#rest();
    this.#options.onPlace?.(this.#target!, "open");
  }

  #showDataset(opened: Extract<Opened, { kind: "dataset" }>): void {
    const { dataset } = opened;
    this.#dataset = dataset;
    const { v1Order } = this.#target!;
    const isOrderUnsure = this.#warnings.some(({ code }) => code === "v1-order") || v1Order === "writer";
    this.#side.begin({ dataset, v1Order: isOrderUnsure ? (v1Order ?? "spec") : undefined });
    this.#stage.setHeading(dataset.title, dataset);
    this.#companions.begin(opened, this.#opening.signal);
  }

  // The state and its consequences.

  /** Changes the state at the user's request. */
  #change(change: WantedState, control: string): void {
    if (control.startsWith("index-")) this.#slices.leaveWay();
    if (control === "pan" || control === "zoom") this.#move();
    const { dataset, settings } = this.view!;
    // Another field or part has its own values and colours; stored values have another range.
    const isOther = change.field !== undefined || change.part !== undefined;
    const isOtherRange = isOther || (change.isRaw !== undefined && change.isRaw !== settings.isRaw);
    const isFoundAnew = isOtherRange || "range" in change || hasOtherRanges(settings, change);
    const reset: WantedState = {
      ...(isOther ? { colormap: undefined } : {}),
      ...(isOtherRange ? { range: undefined } : {}),
      // Locked limits are part of the state, so that a shared link shows the same colours.
      keptLimits: isFoundAnew ? undefined : { ...this.#plane.ranges.found, ...settings.keptLimits },
    };
    void this.#apply(resolveFor(dataset, { ...settings, ...reset, ...change }), control);
    if (change.labels !== undefined) void this.#companions.openLabels();
    this.#options.onChange?.(this.view!, control);
  }

  #move(): void {
    clearTimeout(this.#moving);
    this.#moving = setTimeout(() => {
      this.#moving = undefined;
      this.#plane.view?.redraw();
    }, restAfterMoves);
  }

  /** Adopts a state and updates everything that depends on it. */
  async #apply(state: ViewState, cause: string): Promise<void> {
    const kind = kindOf(factsOf(this.#dataset!), state);
    this.#state.set(state, cause);
    void this.#readCoordinates(state);
    if (kind !== "image" && kind !== "line") {
      this.#endPlane();
      await this.#showText(kind);
      return;
    }
    const loading = this.#plane.load(kind);
    if (loading) {
      this.#doing = "reading";
      await loading;
      if (this.#state.value !== state) return;
    }
    this.#showPlane(kind);
  }

  /** Reads the coordinates of the current view if they were not read with the dataset. */
  async #readCoordinates({ index }: ViewState): Promise<void> {
    const { axes } = this.#dataset!;
    const missing = axes.flatMap(({ coordinates }, axis) =>
      coordinates && coordinates.at(index[axis]!) === undefined ? [coordinates.read(index[axis]!)] : [],
    );
    if (missing.length === 0) return;
    const { signal } = this.#opening;
    await Promise.allSettled(missing); // without coordinates, positions are shown as indices
    if (signal.aborted || !this.view) return;
    this.#syncSide();
    this.#plane.view?.redraw();
    this.#pointAgain();
  }

  #showPlane(kind: PlaneKind): void {
    const { dataset, settings } = this.view!;
    this.#slices.follow(dataset, settings);
    const next = kind === "image" ? this.#slices.next(dataset, settings) : [];
    this.#begin();
    const { view, isOther } = this.#plane.show(kind, dataset, settings, next);
    this.#stage.show(view.element, true);
    view.frame.measure();
    if (isOther) {
      this.#started = performance.now();
      // The status of the new view is unknown, so that it is not reported as complete.
      this.#doing = "reading";
    }
    this.#showBeside();
    if (this.#moving === undefined) this.#syncSide();
    this.#point(view.cell, this.#pointing.by);
  }

  #endPlane(): void {
    this.#slices.stop();
    this.#beside.dispose();
    this.#plane.end();
    this.#side.showMemory(undefined);
    this.#status = undefined;
  }

  async #showText(kind: SliceKind): Promise<void> {
    const { dataset, settings } = this.view!;
    const signal = this.#begin();
    this.#doing = "reading";
    this.#syncSide();
    if (kind === "empty")
      this.#stage.showText("The array has no elements: one of its dimensions has length 0.");
    else {
      this.#stage.setBusy("Reading…");
      try {
        const { tableOf } = await import("./contents.js");
        const table = await tableOf(dataset, settings, signal);
        signal.throwIfAborted();
        this.#stage.show(table);
      } catch (error) {
        if (!signal.aborted) this.#fail(error, "reading");
        return;
      }
    }
    this.#rest();
    if (kind !== "empty") this.#companions.find();
  }

  /** Called for content other than pictures: it is complete when shown. */
  #rest(): void {
    this.#stage.setIdle("");
    this.#notes.show(this.#placeNotes());
    this.#doing = "ready";
  }

  #setWindows(rows: Interval, columns: Interval): void {
    const { settings } = this.view!;
    const wanted = settings.axes.length > 1 ? [rows, columns] : [columns];
    const window = settings.window.map((old, axis) => wanted[settings.axes.indexOf(axis)] ?? old);
    this.#change({ camera: null, window }, "mark");
  }

  /** Shows everything, at any cost of reading. */
  #reset(): void {
    const { dataset, settings } = this.view!;
    const shape = shapeOf(dataset);
    const isDear = this.#plane.isMiddle(dataset, settings);
    const window = settings.window.map((old, axis): Interval | null => {
      if (!settings.axes.includes(axis)) return old;
      return isDear ? [0, shape[axis]!] : null;
    });
    this.#change({ camera: null, window }, "zoom");
  }

  // Descriptions of the view.

  /** Called after every frame with the progress of reading. */
  #follow(status: TileStatus): void {
    const { view } = this;
    if (!view) return;
    const fatal = status.failures.find((error) => concernsAll(error));
    if (fatal !== undefined) {
      this.#fail(fatal, "reading");
      return;
    }
    const plane = this.#plane.view;
    if (plane) this.#beside.follow(plane);
    this.#showProgress(status);
    // Data arrive in bursts: the status is not updated for every tile.
    const now = performance.now();
    if (this.#moving !== undefined || (!status.isComplete && now - this.#said < restBetweenWords)) return;
    this.#said = now;
    const { layers, ranges, kind } = this.#plane;
    this.#stage.legend.show({ ...view, layers: kind === "image" ? layers : [], ranges });
    this.#syncSide();
    this.#side.showMemory(plane?.memory);
    this.#showNotes(view, status);
    this.#pointAgain();
  }

  #showProgress(status: TileStatus): void {
    const wasComplete = this.#status?.isComplete;
    this.#status = status;
    const { chunks, done, bytes, isComplete } = status;
    const text = countText(chunks);
    if (!isComplete) {
      this.#doing = "reading";
      const progress = { chunks: done, totalChunks: chunks, bytes };
      this.#stage.setBusy(`Reading ${text}…`, progress);
      this.#options.onProgress?.(progress);
      return;
    }
    if (!wasComplete || this.state !== "ready") {
      const time = Math.round(performance.now() - this.#started);
      this.#stage.setIdle(`${text}, ${formatByteCount(bytes)}, ${time} ms`);
      this.#options.onProgress?.({ chunks, totalChunks: chunks, bytes });
      // The colour limits have been found.
      this.#showBeside();
    }
    this.#doing = "ready";
    this.#companions.find();
  }

  #showBeside(): void {
    const { dataset, settings: state } = this.view!;
    const limits = (layer: Layer) => this.#plane.ranges.limits(layer);
    this.#beside.show(this.#plane.kind === "image" ? { dataset, state, limits } : undefined);
  }

  #sideCallbacks(): SideCallbacks {
    return {
      onChange: (change, control) => this.#change(change, control),
      onZoom: (direction) => {
        if (direction === "reset") this.#reset();
        else this.#plane.view?.zoom(direction === "in" ? 2 : 0.5);
      },
      onPlay: (axis) => {
        this.#slices.play(axis);
        this.#syncSide();
      },
      onV1Order: (order) => this.#reorder(order),
      onBudget: (bytes) => this.#plane.view?.setBudget(bytes),
      share: {
        link: () => this.link,
        picture: async () => {
          const [view, blob] = [this.view, await this.picture()];
          const { fileName } = await import("./picture.js");
          return view && blob && { blob, name: fileName(view.dataset.title) };
        },
      },
      codeRequest: () => this.view && codeRequestOf(this.view, this.#plane.view),
      measure: () => this.#measure(),
    };
  }

  /** Updates the panels for the current view and its statistics. */
  #syncSide(): void {
    const { view } = this;
    if (!view) return;
    const { dataset, settings } = view;
    const kind = kindOf(factsOf(dataset), settings);
    const plane = this.#plane;
    this.#side.sync(settings, {
      controls: { kind, seen: plane.view?.seen, numbers: plane.numbers, playing: this.#slices.playing },
      isPicture: plane.view !== undefined,
      lookedAt: plane.lookedAt(dataset, settings),
      labels: this.#companions.labels,
    });
    this.#stage.showPlace(placeText(dataset.axes, settings.index, settings.axes));
  }

  async #measure(): Promise<Measured | undefined> {
    const [view, plane] = [this.view, this.#plane.view];
    const seen = plane?.seen;
    if (!view || !seen) return undefined;
    const { dataset, settings, target } = view;
    const { measureMiddle } = await import("./measuring.js");
    const options = { v1Order: target.v1Order, signal: this.#request.signal };
    return measureMiddle(dataset, settings, { seen, level: plane!.level }, options);
  }

  #valueFormat(): (value: number) => string {
    const { dataset, settings } = this.view!;
    return valueFormat(dataset, settings);
  }

  #point(cell: Cell | undefined, by: "pointer" | "keyboard"): void {
    const { dataset, settings } = this.view!;
    const { axes } = dataset;
    // While dragging, the element under the pointer stays the same.
    if (this.#moving !== undefined && by === "pointer" && cell) return;
    const readings = cell ? this.#plane.view!.read(cell) : [];
    this.#pointing.show(cell && { index: indexOf(settings, cell), axes, readings }, by);
    this.#beside.point(cell);
  }

  /** The value under the pointer may have been read. */
  #pointAgain(): void {
    const cell = this.#plane.view?.cell;
    if (cell) this.#point(cell, this.#pointing.by);
  }

  #placeNotes(): Note[] {
    return placeNotes(this.#sentences, this.#warnings, () => this.#reorder("writer"));
  }

  #showNotes({ dataset, settings }: ViewerView, status: TileStatus): void {
    const errors = errorsOf(this.#plane.view?.gaps ?? [], status);
    for (const error of errors) this.#report(error);
    const limits = leftOutNotes(status);
    const isMiddle = limits.length === 0 && this.#plane.isMiddle(dataset, settings);
    this.#notes.show([
      ...this.#placeNotes(),
      ...damageNotes(errors, failingPlace(this.#target!, "reading"), () => this.#plane.view?.retry()),
      ...limits,
      ...(isMiddle ? [middleNote(dataset, settings, () => this.#reset())] : []),
    ]);
  }

  // Errors.

  #report(error: unknown): void {
    if (this.#told.has(error)) return;
    this.#told.add(error);
    this.#options.onError?.(error);
  }

  #fail(error: unknown, stage: Failing): void {
    this.#report(error);
    this.#failWith(explain(error, failingPlace(this.#target!, stage)), stage);
  }

  #failWith(explanation: Explanation, stage: Failing): void {
    this.#endPlane();
    this.#doing = "error";
    this.#stage.setIdle("");
    this.#notes.show(this.#placeNotes());
    this.#stage.showError(explanation, () => {
      if (stage === "opening") void this.#open();
      else void this.#apply(this.#state.value!, "retry");
    });
  }
}
