/**
 * The conductor: opens a place, keeps the state, and tells everybody what is shown. What is read is up to the tiles
 * of the plane view; tables and single values, which are small, are read here.
 */
import { get, type Source, slice, type ZarrWarning } from "zarr-wasm";
import { h } from "../base/dom.js";
import { formatBriefly, formatByteCount, formatTime, messageOf, scalarAt } from "../base/format.js";
import { Observable } from "../base/observable.js";
import type { LookedAt } from "../model/advice.js";
import { channelAxisOf, channelLabel, isPicture } from "../model/channels.js";
import type { CodeRequest } from "../model/code.js";
import { aspectOf, isComposite, type Layer, layersOf, playableAxes, shownLabels } from "../model/layers.js";
import { kindOf, planTable, type SliceKind } from "../model/plan.js";
import { writeQuery } from "../model/query.js";
import {
  factsOf,
  type Interval,
  leafOf,
  resolveState,
  type ViewState,
  type WantedState,
} from "../model/state.js";
import type { LayerNumbers } from "../panels/control.js";
import { dateText, placeText, unitText } from "../panels/coordinates.js";
import { Crumbs } from "../panels/crumbs.js";
import { chunkTitle, explain, type Stage as Failing, sentence } from "../panels/messages.js";
import { type Note, Notes } from "../panels/notes.js";
import type { Pointed } from "../panels/readout.js";
import { tableView, valueView } from "../panels/table.js";
import { type Dataset, type Labels, shapeOf } from "../source/dataset.js";
import { isTime } from "../source/leaf.js";
import type { Measured } from "../source/measure.js";
import { nameOf, type Opened, openPlace, RefusedAddress, readPlace } from "../source/open.js";
import { concernsAll } from "../tiles/read.js";
import type { Gap } from "../tiles/tile.js";
import type { TileStatus } from "../tiles/tile-set.js";
import { BesidePlace } from "./beside-place.js";
import { wholeCost } from "./home.js";
import { ImagePainter } from "./image-painter.js";
import type { LinePainter } from "./line-painter.js";
import { followLinked, joinLink, type Linked, tellLinked } from "./links.js";
import type { ViewerOptions, ViewerTarget, ViewerView } from "./options.js";
import { type Cell, indexOf, PlaneView } from "./plane-view.js";
import { Player } from "./player.js";
import { Ranges } from "./ranges.js";
import type { Side } from "./side.js";
import { Stage, type ViewerState } from "./stage.js";

export class Viewer implements Linked {
  readonly #stage = new Stage();
  readonly #crumbs = new Crumbs({ onGo: (path, as) => this.#go(path, as) });
  readonly #notes = new Notes();
  readonly #sidePlace = h("div", { class: "zw-side", role: "group", "aria-label": "View and array" });
  readonly #root: HTMLElement;
  readonly #ranges = new Ranges();
  readonly #state = new Observable<ViewState | undefined>(undefined);
  #target: ViewerTarget | undefined;
  #dataset: Dataset | undefined;
  #layers: readonly Layer[] = [];
  #plane: PlaneView | undefined;
  #planeKind: "image" | "line" | undefined;
  readonly #player = new Player({
    rate: () => this.view?.settings.frameRate ?? 1,
    isReady: () => this.state === "ready",
    step: (axis) => this.#step(axis, 1, "play"),
  });
  readonly #beside = new BesidePlace({
    onPick: (index) => this.#change({ index }, "pick"),
    onPoint: (pointed, by) => this.#stage.readout.show(pointed, by),
    format: () => this.#valueFormat(),
  });
  /** Where the reader went last: the next slice on the way is read ahead. */
  #way: { readonly axis: number; readonly direction: 1 | -1 } | undefined;
  /** Loaded with the first line. */
  #linePainter: typeof LinePainter | undefined;
  /** What stands beside the picture, when it has been loaded. */
  #side: Side | undefined;
  #labels: readonly Labels[] = [];
  #warnings: ZarrWarning[] = [];
  /** What has to be said of how the place was read, and of its metadata. */
  #sentences: string[] = [];
  /** Until the first picture is there: what can wait for it. */
  #later: (() => void)[] = [];
  #opening = new AbortController();
  #status: TileStatus | undefined;
  #pointedBy: "pointer" | "keyboard" = "pointer";
  #started = 0;
  #said = 0;
  #request = new AbortController();

  #options: ViewerOptions = {};
  #leaveLink = () => {};
  #reported = "";
  readonly #told = new Set<unknown>();

  constructor(element: HTMLElement, options: ViewerOptions = {}) {
    this.#stage.beside.append(this.#beside.element);
    const main = h(
      "div",
      { class: "zw-main" },
      this.#crumbs.element,
      this.#stage.element,
      this.#notes.element,
    );
    const grid = h("div", { class: "zw-layout" }, main, this.#sidePlace);
    this.#root = h("div", { class: "zw-viewer", "data-state": "empty" }, grid);
    element.replaceChildren(this.#root);
    this.#state.subscribe((state, _before, cause) => {
      const { link } = this.#options;
      if (state && link && cause !== "link" && cause !== "open") tellLinked(link, this);
    });
    this.setOptions(options);
  }

  /** Takes the place of all options that were given before. */
  setOptions(options: ViewerOptions): void {
    const before = this.#options;
    this.#options = options;
    this.#root.dataset["controls"] = options.controls ?? "full";
    void this.#loadSide();
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

  /** The address of the view on a page of the viewer; undefined without one, and for a store of the page's own. */
  get link(): string | undefined {
    const [view, { page }] = [this.view, this.#options];
    if (!view || !page || !isAddress(view.target.source)) return undefined;
    const { target, dataset, settings } = view;
    const url = new URL(page, location.href);
    // The page's own address is short where it reads from its own server.
    const whole = absolute(target.source as string);
    const source = url.origin === location.origin ? String(target.source) : whole;
    url.search = writeQuery({ ...target, source }, { array: factsOf(dataset), settings });
    return url.href;
  }

  /** What is seen as PNG; undefined where it is no picture. */
  async picture(): Promise<Blob | undefined> {
    if (!this.#plane) return undefined;
    const { pictureOf } = await import("./picture.js");
    return pictureOf(this.#stage.element);
  }

  /** What a program that shows the view is to read; undefined for a store of the page's own. */
  #codeRequest(): CodeRequest | undefined {
    const view = this.view;
    if (!view || !isAddress(view.target.source)) return undefined;
    const { target, dataset, settings: state } = view;
    return {
      source: absolute(target.source as string),
      v1Order: target.v1Order,
      dataset,
      state,
      seen: this.#plane?.seen,
      level: this.#plane?.level,
    };
  }

  get state(): ViewerState {
    return this.#root.dataset["state"] as ViewerState;
  }

  get view(): ViewerView | undefined {
    const [target, dataset, settings] = [this.#target, this.#dataset, this.#state.value];
    return target && dataset && settings && { target, dataset, array: dataset.array, settings };
  }

  /** What was asked for last, as its address was read. */
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
    this.#leaveLink();
    this.#request.abort();
    this.#opening.abort();
    this.#endPlane();
    this.#root.remove();
  }

  /** The target with an address that can be opened; undefined where there is none, which is said. */
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

  /** The reader goes to another node of the same source. */
  #go(path: string, as?: "contents"): void {
    const { source, name, v1Order } = this.#target!;
    const target: ViewerTarget = { source, name, v1Order, path: path === "" ? undefined : path, as };
    this.#sentences = [];
    this.#options.onPlace?.(target, "go");
    this.#target = target;
    void this.#open();
  }

  /** A new request; the one before is aborted. */
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
    this.#root.dataset["state"] = "opening";
    this.#stage.setHeading(nameOf(target), undefined);
    this.#stage.setBusy("Opening…");
    const warnings: ZarrWarning[] = [];
    try {
      const onWarning = (warning: ZarrWarning) => warnings.push(warning);
      const opened = await openPlace(target, { signal, onWarning });
      signal.throwIfAborted();
      this.#warnings = warnings;
      await this.#showOpened(opened, wanted ?? {});
    } catch (error) {
      if (!signal.aborted) this.#fail(error, "opening");
    }
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
    if (opened.kind !== "dataset") {
      await this.#showBesides(opened);
      this.#options.onPlace?.(this.#target!, "open");
      return;
    }
    this.#showDataset(opened);
    await this.#apply(resolveFor(this.#dataset!, wanted), "open");
    if (this.#options.link) followLinked(this.#options.link, this);
    if (this.view) this.#options.onChange?.(this.view, "open");
  }

  /** What is no picture: a plate, what is in a group. */
  async #showBesides(opened: Exclude<Opened, { kind: "dataset" }>): Promise<void> {
    const go = (path: string) => this.#go(path);
    const { signal } = this.#opening;
    if (opened.kind === "plate") {
      const { plateView } = await import("../panels/plate.js");
      signal.throwIfAborted();
      this.#stage.show(plateView(opened.plate, go));
    } else {
      const { treeView } = await import("../panels/tree.js");
      signal.throwIfAborted();
      this.#stage.show(treeView(opened.what, opened.branch, { onGo: go, signal }));
      const { attributesPanel } = await import("../panels/facts.js");
      signal.throwIfAborted();
      const attributes = attributesPanel("Group", opened.attributes);
      this.#sidePlace.replaceChildren(...(attributes ? [attributes] : []));
    }
    this.#stage.setIdle("");
    this.#notes.show(this.#warningNotes());
    this.#root.dataset["state"] = "ready";
  }

  #forget(): void {
    this.#dataset = undefined;
    this.#state.set(undefined, "open");
    this.#side = undefined;
    this.#labels = [];
    this.#later = [];
    this.#warnings = [];
    this.#crumbs.hide();
    this.#told.clear();
    this.#notes.show([]);
    this.#sidePlace.replaceChildren();
    this.#endPlane();
    this.#stage.show(undefined);
  }

  #endPlane(): void {
    this.#player.stop();
    this.#beside.dispose();
    this.#plane?.dispose();
    this.#plane = undefined;
    this.#side?.showMemory(undefined);
    this.#planeKind = undefined;
    this.#layers = [];
    this.#status = undefined;
  }

  #showDataset({ dataset, path, collection }: Extract<Opened, { kind: "dataset" }>): void {
    this.#dataset = dataset;
    void this.#loadSide();
    this.#stage.setHeading(dataset.title, dataset);
    this.#later = [() => void this.#findCollection(path, collection), () => void this.#findLabels(dataset)];
  }

  /** What stands beside the picture, where that is to be seen. */
  async #loadSide(): Promise<void> {
    const dataset = this.#dataset;
    if (!dataset || this.#side || this.#root.dataset["controls"] !== "full") return;
    const { Side } = await import("./side.js");
    if (this.#dataset !== dataset || this.#side) return;
    const { v1Order } = this.#target!;
    const isOrderUnsure = this.#warnings.some(({ code }) => code === "v1-order") || v1Order === "writer";
    this.#side = new Side(dataset, isOrderUnsure ? (v1Order ?? "spec") : undefined, {
      onChange: (change, control) => this.#change(change, control),
      onZoom: (direction) => this.#zoom(direction),
      onPlay: (axis) => this.#play(axis),
      onV1Order: (order) => this.#reorder(order),
      onBudget: (bytes) => this.#plane?.setBudget(bytes),
      share: {
        link: () => this.link,
        picture: async () => {
          const [view, blob] = [this.view, await this.picture()];
          const { fileName } = await import("./picture.js");
          return view && blob && { blob, name: fileName(view.dataset.title) };
        },
      },
      codeRequest: () => this.#codeRequest(),
      measure: () => this.#measure(),
    });
    this.#sidePlace.append(...this.#side.elements);
    this.#syncControls();
    this.#side.showMemory(this.#plane?.memory);
  }

  /** After the first picture: what belongs together with it. */
  async #findCollection(
    path: string,
    find: Extract<Opened, { kind: "dataset" }>["collection"],
  ): Promise<void> {
    const { signal } = this.#opening;
    const found = await find(signal).catch(() => undefined); // nothing that the picture needs
    if (!found) return;
    const { collectionPanel } = await import("../panels/collection.js");
    const panel = collectionPanel(found, path, (other) => this.#go(other));
    if (panel && !signal.aborted) this.#sidePlace.prepend(panel);
  }

  /** After the first picture: the labels of an image. */
  async #findLabels(dataset: Dataset): Promise<void> {
    const { signal } = this.#opening;
    const labels = (await dataset.labels?.find().catch(() => [])) ?? [];
    if (labels.length === 0 || signal.aborted) return;
    this.#labels = labels;
    this.#syncControls();
    await this.#openLabels();
  }

  /** Opens the labels that are to be shown, and shows them. */
  async #openLabels(): Promise<void> {
    const [dataset, { signal }] = [this.#dataset, this.#opening];
    const labels = dataset && shownLabels(dataset, this.view!.settings);
    if (!labels || labels.dataset) return this.#showAgain(labels !== undefined);
    try {
      await labels.open();
      if (!signal.aborted) this.#showAgain(true);
    } catch (error) {
      if (signal.aborted) return;
      const message = messageOf(error);
      this.#sentences.push(`The labels ${labels.name} cannot be shown: ${message}.`);
      this.#notes.show(this.#warningNotes());
    }
  }

  /** The same state, of which more is known. */
  #showAgain(isNews: boolean): void {
    if (isNews && this.#planeKind) this.#showPlane(this.#planeKind);
  }

  /** Plays the slices along an axis, or stops. */
  #play(axis: number | undefined): void {
    if (axis === undefined) this.#player.stop();
    else this.#player.play(axis);
    this.#way = axis === undefined ? undefined : { axis, direction: 1 };
    this.#syncControls();
  }

  /** One slice on; after the last comes the first. */
  #step(axis: number, direction: 1 | -1, cause: string): void {
    const { dataset, settings } = this.view!;
    const { length } = dataset.axes[axis]!;
    this.#way = { axis, direction };
    const index = settings.index.map((old, i) => (i === axis ? (old + direction + length) % length : old));
    this.#change({ index }, cause);
  }

  /** The axis that keys go along: the last one, else time, else the first. */
  #wayAxis(): number | undefined {
    const { dataset, settings } = this.view!;
    const axes = playableAxes(dataset, settings);
    const isTimed = (axis: number) =>
      dataset.axes[axis]!.role === "time" || dataset.axes[axis]!.type === "time";
    return axes.find((axis) => axis === this.#way?.axis) ?? axes.find(isTimed) ?? axes[0];
  }

  /** Layers that will be shown soon: what is played, or gone through, is read ahead. */
  #nextLayers(): Layer[] {
    const { dataset, settings } = this.view!;
    const way = this.#way;
    if (!way || !playableAxes(dataset, settings).includes(way.axis)) return [];
    const { length } = dataset.axes[way.axis]!;
    const count = Math.min(this.#player.axis === undefined ? 1 : slicesAhead, length - 1);
    return Array.from({ length: count }, (_, i) => {
      const at = (settings.index[way.axis]! + way.direction * (i + 1) + length * count) % length;
      const index = settings.index.map((old, axis) => (axis === way.axis ? at : old));
      return layersOf(dataset, { ...settings, index });
    }).flat();
  }

  /** A change of the state by the reader. */
  #change(change: WantedState, control: string): void {
    if (control.startsWith("index-")) this.#way = undefined;
    const { dataset, settings } = this.view!;
    // Another field or part has values and colours of its own; stored values have another range.
    const isOther = change.field !== undefined || change.part !== undefined;
    const isOtherRange = isOther || (change.isRaw !== undefined && change.isRaw !== settings.isRaw);
    const reset: WantedState = {
      ...(isOther ? { colormap: undefined } : {}),
      ...(isOtherRange ? { range: undefined } : {}),
    };
    void this.#apply(resolveFor(dataset, { ...settings, ...reset, ...change }), control);
    if (change.labels !== undefined) void this.#openLabels();
    this.#options.onChange?.(this.view!, control);
  }

  #reorder(v1Order: "spec" | "writer"): void {
    this.#target = { ...this.#target!, v1Order };
    void this.#open(this.#state.value);
  }

  #zoom(direction: "in" | "out" | "reset"): void {
    if (direction === "reset") this.#reset();
    else this.#plane?.zoom(direction === "in" ? 2 : 0.5);
  }

  /** Everything, whatever it costs to read. */
  #reset(): void {
    const { dataset, settings } = this.view!;
    const shape = shapeOf(dataset);
    const isDear = this.#isMiddle();
    const window = settings.window.map((old, axis): Interval | null => {
      if (!settings.axes.includes(axis)) return old;
      return isDear ? [0, shape[axis]!] : null;
    });
    this.#change({ camera: null, window }, "zoom");
  }

  /** Whether only the middle is shown where nobody has chosen a part. */
  #isMiddle(): boolean {
    const seen = this.#plane?.seen;
    const { settings, dataset } = this.view!;
    if (!seen || settings.axes.length !== 2) return false;
    if (settings.camera || settings.axes.some((axis) => settings.window[axis])) return false;
    const [rows, columns] = settings.axes.map((axis) => shapeOf(dataset)[axis]!);
    return seen.bottom - seen.top < rows! && seen.right - seen.left < columns!;
  }

  /** Takes a state over: everything that follows from it is made to follow. */
  async #apply(state: ViewState, cause: string): Promise<void> {
    const dataset = this.#dataset!;
    const kind = kindOf(factsOf(dataset), state);
    this.#state.set(state, cause);
    void this.#readCoordinates(state);
    if (kind === "line" && !this.#linePainter) {
      this.#root.dataset["state"] = "reading";
      this.#linePainter = (await import("./line-painter.js")).LinePainter;
      if (this.#state.value !== state) return;
    }
    if (kind === "image" || kind === "line") return this.#showPlane(kind);
    this.#endPlane();
    await this.#showText(kind);
  }

  /** Coordinates of what is shown, where they were not read with the dataset. */
  async #readCoordinates({ index }: ViewState): Promise<void> {
    const { axes } = this.#dataset!;
    const missing = axes.flatMap(({ coordinates }, axis) =>
      coordinates && coordinates.at(index[axis]!) === undefined ? [coordinates.read(index[axis]!)] : [],
    );
    if (missing.length === 0) return;
    const { signal } = this.#opening;
    await Promise.allSettled(missing); // without them, indices say where one is
    if (!signal.aborted && this.view) this.#syncAll();
  }

  /** Panels follow what has become known. */
  #syncAll(): void {
    const { dataset, settings } = this.view!;
    this.#stage.showPlace(placeText(dataset.axes, settings.index, settings.axes));
    this.#syncControls();
    this.#plane?.redraw();
    if (this.#plane?.cell) this.#point(this.#plane.cell, this.#pointedBy);
  }

  #showPlane(kind: "image" | "line"): void {
    const { dataset, settings: state } = this.view!;
    const before = this.#layers;
    this.#layers = layersOf(dataset, state);
    this.#ranges.begin(this.#layers, state.isRangeLocked);
    if (!isSameReading(before, this.#layers)) this.#started = performance.now();
    this.#begin();
    if (!this.#plane || this.#planeKind !== kind) {
      this.#endPlaneOnly();
      this.#planeKind = kind;
      this.#plane = this.#makePlane(kind);
    }
    this.#stage.show(this.#plane.element, true);
    // Nothing is known yet of what is new, so that it is not said to be there.
    if (!isSameReading(before, this.#layers)) this.#root.dataset["state"] = "reading";
    const playing = this.#player.axis;
    if (playing !== undefined && !playableAxes(dataset, state).includes(playing)) this.#player.stop();
    const next = kind === "image" ? this.#nextLayers() : [];
    this.#plane.show({ dataset, state, layers: this.#layers, next, aspect: aspectOf(dataset, state) });
    this.#showBeside();
    this.#syncControls();
    this.#point(this.#plane.cell, this.#pointedBy);
  }

  #showBeside(): void {
    const { dataset, settings: state } = this.view!;
    const limits = (layer: Layer) => this.#ranges.limits(layer);
    this.#beside.show(this.#planeKind === "image" ? { dataset, state, limits } : undefined);
  }

  #endPlaneOnly(): void {
    this.#plane?.dispose();
    this.#plane = undefined;
  }

  #makePlane(kind: "image" | "line"): PlaneView {
    const callbacks = {
      onCamera: (camera: ViewState["camera"], cause: string) => this.#change({ camera }, cause),
      onWindow: (rows: Interval, columns: Interval) => this.#setWindows(rows, columns),
      onReset: () => this.#reset(),
      onPoint: (cell: Cell | undefined, by: "pointer" | "keyboard") => this.#point(cell, by),
      onPick: (cell: Cell) => {
        if (this.#beside.isPicking) this.#change({ index: indexOf(this.view!.settings, cell) }, "pick");
      },
      onStep: (direction: 1 | -1) => {
        const axis = this.#wayAxis();
        if (axis !== undefined) this.#step(axis, direction, "step");
      },
      onPlay: () => this.#play(this.#player.axis === undefined ? this.#wayAxis() : undefined),
      onFrame: (status: TileStatus) => this.#follow(status),
    };
    return new PlaneView(this.#ranges, callbacks, (frame, redraw, budget) =>
      kind === "image"
        ? new ImagePainter(redraw, budget, this.#ranges)
        : new this.#linePainter!(frame, redraw, this.#ranges, () => this.#valueFormat()),
    );
  }

  #setWindows(rows: Interval, columns: Interval): void {
    const { settings } = this.view!;
    const wanted = settings.axes.length > 1 ? [rows, columns] : [columns];
    const window = settings.window.map((old, axis) => wanted[settings.axes.indexOf(axis)] ?? old);
    this.#change({ camera: null, window }, "mark");
  }

  /** After every frame: what has been read, and what has not. */
  #follow(status: TileStatus): void {
    if (!this.view) return;
    const fatal = status.failures.find((error) => concernsAll(error));
    if (fatal !== undefined) {
      this.#fail(fatal, "reading");
      return;
    }
    if (this.#plane) this.#beside.follow(this.#plane);
    const wasComplete = this.#status?.isComplete;
    this.#status = status;
    const { chunks, done, bytes } = status;
    const text = countText(chunks);
    if (!status.isComplete) {
      this.#root.dataset["state"] = "reading";
      this.#stage.setBusy(`Reading ${text}…`, { chunks: done, totalChunks: chunks, bytes });
      this.#options.onProgress?.({ chunks: done, totalChunks: chunks, bytes });
    } else {
      if (!wasComplete || this.state !== "ready") {
        const time = Math.round(performance.now() - this.#started);
        this.#stage.setIdle(`${text}, ${formatByteCount(bytes)}, ${time} ms`);
        this.#options.onProgress?.({ chunks, totalChunks: chunks, bytes });
        // The colours have been found.
        this.#showBeside();
      }
      this.#root.dataset["state"] = "ready";
      for (const run of this.#later.splice(0)) run();
    }
    // Much comes at once while it comes: not everything is said of every tile.
    const now = performance.now();
    if (!status.isComplete && now - this.#said < restBetweenWords) return;
    this.#said = now;
    this.#showLegend();
    this.#syncControls();
    this.#side?.showMemory(this.#plane?.memory);
    this.#showNotes(status);
    if (this.#plane?.cell) this.#point(this.#plane.cell, this.#pointedBy);
  }

  #showLegend(): void {
    const [layer] = this.#layers;
    if (!layer || this.#planeKind !== "image") {
      this.#stage.legend.hide();
      return;
    }
    const { dataset, settings } = this.view!;
    if (isComposite(dataset, settings)) {
      this.#showChannelLegend();
      return;
    }
    const [low, high] = this.#ranges.limits(layer).map(this.#valueFormat());
    const { unit } = this.#dataset!;
    const end = unit !== undefined && !layer.isRaw ? `${high} ${unitText(unit)}` : high!;
    this.#stage.legend.show(layer.style, low!, end, this.#legendNote(layer));
  }

  /** Which colour stands for what; a picture speaks for itself. */
  #showChannelLegend(): void {
    const { dataset } = this.view!;
    const axis = channelAxisOf(dataset)!;
    const channels = this.#layers.filter(({ style }) => style.kind === "tint");
    if (isPicture(dataset)) this.#stage.legend.hide();
    else
      this.#stage.legend.showChannels(
        channels.map((layer) => {
          const [low, high] = this.#ranges.limits(layer).map(this.#valueFormat()) as [string, string];
          return { style: layer.style, label: channelLabel(dataset, layer.index[axis]!), low, high };
        }),
      );
  }

  #valueFormat(): (value: number) => string {
    const { dataset, settings } = this.view!;
    if (dataset.decodedKind === "milliseconds" && !settings.isRaw) return dateText;
    const dtype = leafOf(dataset, settings.field)?.dtype;
    if (dtype?.core !== "datetime64" || !isTime(dtype)) return formatBriefly;
    return (value) => (Number.isFinite(value) ? formatTime(dtype, BigInt(Math.round(value))) : "–");
  }

  /** What the colours do not say. */
  #legendNote(layer: Layer): string {
    const { missing, infinite } = this.#ranges.findings(layer);
    const count = (n: number, one: string, many: string) => (n === 0 ? [] : [`${n} ${n === 1 ? one : many}`]);
    const notes = [
      ...(layer.style.kind === "labels" ? ["Every label has its own colour; 0 is the background"] : []),
      ...(layer.dataset.decode && !layer.isRaw
        ? count(missing, "element is missing (chequered)", "elements are missing (chequered)")
        : count(missing, "element is not a number (chequered)", "elements are not numbers (chequered)")),
      ...count(infinite, "element is infinite", "elements are infinite"),
    ];
    return notes.join(" · ");
  }

  #syncControls(): void {
    const { view } = this;
    if (!view) return;
    const kind = kindOf(factsOf(view.dataset), view.settings);
    const numbers = kind === "image" || kind === "line" ? this.#numbers() : [];
    const playing = this.#player.axis;
    this.#side?.sync(view.settings, {
      controls: { kind, seen: this.#plane?.seen, numbers, playing },
      isPicture: this.#plane !== undefined,
      lookedAt: this.#lookedAt(),
      labels: this.#labels,
    });
    this.#stage.showPlace(placeText(view.dataset.axes, view.settings.index, view.settings.axes));
  }

  #lookedAt(): LookedAt | undefined {
    const [view, plane, seen] = [this.view, this.#plane, this.#plane?.seen];
    const viewpoint = plane?.viewpoint;
    if (!view || !plane || !seen || !viewpoint) return undefined;
    const { size, ratio } = viewpoint;
    const pixels = { width: size.width * ratio, height: size.height * ratio };
    return { dataset: view.dataset, state: view.settings, seen, level: plane.level, pixels };
  }

  /** Reads the middle of the view once more: a few chunks of the level that is drawn. */
  async #measure(): Promise<Measured | undefined> {
    const [view, seen] = [this.view, this.#plane?.seen];
    if (!view || !seen) return undefined;
    const { dataset, settings, target } = view;
    const level = dataset.levels[this.#plane!.level]!;
    const array = level.array ?? dataset.array;
    const selection = array.shape.map((length, axis) => {
      const own = (at: number) => Math.floor((at - level.origin[axis]!) / level.factor[axis]!);
      const within = (at: number) => Math.min(Math.max(own(at), 0), length - 1);
      const position = settings.axes.indexOf(axis);
      if (position < 0) return within(settings.index[axis]! + 0.5);
      const isAcross = position === settings.axes.length - 1;
      const [from, to] = isAcross ? [seen.left, seen.right] : [seen.top, seen.bottom];
      // Two chunks along each axis, at most.
      const half = Math.min((to - from) / 2, array.chunkShape[axis]! * level.factor[axis]!);
      const middle = (from + to) / 2;
      const first = within(middle - half);
      return slice(first, Math.max(first + 1, Math.min(length, own(middle + half))));
    });
    const { measure } = await import("../source/measure.js");
    return measure(array, selection, { v1Order: target.v1Order, signal: this.#request.signal });
  }

  /** What is known of the numbers of each layer. */
  #numbers(): LayerNumbers[] {
    return this.#layers.map((layer) => ({
      layer,
      limits: this.#ranges.limits(layer),
      findings: this.#ranges.findings(layer),
      isAllSeen: this.#ranges.isAllSeen(layer),
    }));
  }

  #point(cell: Cell | undefined, by: "pointer" | "keyboard"): void {
    this.#pointedBy = by;
    const pointed = cell && this.#pointed(cell);
    this.#stage.readout.show(pointed, by);
    this.#beside.point(cell);
    this.#reportPointer(pointed, by);
  }

  /** The same is said once, although it is looked up whenever something has been read. */
  #reportPointer(pointed: Pointed | undefined, by: "pointer" | "keyboard"): void {
    const { onPointer } = this.#options;
    if (!onPointer) return;
    const text = pointed ? this.#stage.readout.text : "";
    const key = pointed ? `${pointed.index} ${text}` : "";
    if (key === this.#reported) return;
    this.#reported = key;
    if (!pointed) {
      onPointer(undefined);
      return;
    }
    const { index, readings } = pointed;
    const values = readings.map(({ tile, row, column, gap }) =>
      gap?.kind === "damaged" ? undefined : scalarAt(tile.block.region, tile.offsetOf(row, column)),
    );
    onPointer({ index, values, text, by });
  }

  #pointed(cell: Cell): Pointed {
    const { dataset, settings } = this.view!;
    return { index: indexOf(settings, cell), axes: dataset.axes, readings: this.#plane!.read(cell) };
  }

  async #showText(kind: SliceKind): Promise<void> {
    const { dataset, settings } = this.view!;
    const signal = this.#begin();
    this.#root.dataset["state"] = "reading";
    this.#syncControls();
    if (kind === "empty") {
      this.#stage.showText("The array has no elements: one of its dimensions has length 0.");
      this.#stage.setIdle("");
      this.#notes.show(this.#warningNotes());
      this.#root.dataset["state"] = "ready";
      return;
    }
    this.#stage.setBusy("Reading…");
    const plan = planTable(factsOf(dataset), settings);
    try {
      const region = await get(dataset.array, plan.selection, { signal });
      signal.throwIfAborted();
      const leaf = leafOf(dataset, settings.field);
      this.#stage.show(
        kind === "value" || !leaf ? valueView(region) : tableView(dataset, plan, region, leaf),
      );
    } catch (error) {
      if (!signal.aborted) this.#fail(error, "reading");
      return;
    }
    this.#notes.show(this.#warningNotes());
    this.#root.dataset["state"] = "ready";
    this.#stage.setIdle("");
    for (const run of this.#later.splice(0)) run();
  }

  #warningNotes(): Note[] {
    const warnings = this.#warnings.map(({ code, message }): Note => {
      const run = () => this.#reorder("writer");
      return code === "v1-order"
        ? { text: orderWarning, isWarning: true, action: { label: "Read in C order", run } }
        : { text: `${message[0]!.toUpperCase()}${message.slice(1)}.`, isWarning: true };
    });
    return [...this.#sentences.map((text): Note => ({ text })), ...warnings];
  }

  #showNotes(status: TileStatus): void {
    this.#notes.show([
      ...this.#warningNotes(),
      ...this.#damageNotes(this.#plane?.gaps ?? [], status),
      ...this.#limitNotes(status),
    ]);
  }

  #damageNotes(gaps: readonly Gap[], { failures }: TileStatus): Note[] {
    const errors = [...gaps.filter(({ kind }) => kind === "damaged").map(({ error }) => error), ...failures];
    const [first] = errors;
    for (const error of errors) this.#report(error);
    if (first === undefined) return [];
    const message = sentence(messageOf(first));
    const { hints } = explain(first, this.#placeOf("reading"));
    const others = errors.length > 1 ? ` ${errors.length - 1} more could not be read.` : "";
    const text = `${chunkTitle(first)}: ${message}${others} ${hints[0] ?? ""}`.trim();
    return [{ text, isWarning: true, action: { label: "Try again", run: () => this.#plane?.retry() } }];
  }

  #limitNotes({ leftOut }: TileStatus): Note[] {
    const { dataset, settings } = this.view!;
    if (leftOut.tiles > 0) {
      const text = `${leftOut.tiles.toLocaleString("en")} of ${leftOut.of.toLocaleString("en")} tiles in view are more than fits into the memory set aside, and are not read. Zoom in to see them.`;
      return [{ text }];
    }
    if (!this.#isMiddle()) return [];
    const { chunks, bytes } = wholeCost(dataset, settings.axes);
    return [
      {
        text: `This is the middle of a slice of ${countText(chunks)} (${formatByteCount(bytes)} when decoded).`,
        action: { label: "Read the whole slice", run: () => this.#reset() },
      },
    ];
  }

  #placeOf(stage: Failing) {
    const { source } = this.#target!;
    const { protocol: pageProtocol, origin: pageOrigin } = location;
    return { stage, pageProtocol, pageOrigin, source: isAddress(source) ? absolute(source) : "" };
  }

  #report(error: unknown): void {
    if (this.#told.has(error)) return;
    this.#told.add(error);
    this.#options.onError?.(error);
  }

  #fail(error: unknown, stage: Failing): void {
    this.#report(error);
    this.#failWith(explain(error, this.#placeOf(stage)), stage);
  }

  #failWith(explanation: ReturnType<typeof explain>, stage: Failing): void {
    this.#endPlane();
    this.#root.dataset["state"] = "error";
    this.#stage.setIdle("");
    this.#notes.show(this.#warningNotes());
    this.#stage.showError(explanation, () => {
      if (stage === "opening") void this.#open();
      else void this.#apply(this.#state.value!, "retry");
    });
  }
}

/** Slices that are read ahead while they are played. */
const slicesAhead = 3;

/** Why an address cannot be opened, and what to do instead. */
const refusal = ({ message }: RefusedAddress) => ({
  title: "The source cannot be used",
  message,
  hints: [],
  details: [],
});

/** Milliseconds. */
const restBetweenWords = 120;

const orderWarning =
  "The metadata says order F, but zarr-python 1.x wrote chunks of this compressor in C order. They are read in F order now, as the specification says; if the picture looks scrambled, try the other.";

const isAddress = (source: Source): source is string | URL =>
  typeof source === "string" || source instanceof URL;

/** The whole address of a source, for people. */
function absolute(source: string | URL): string {
  return URL.canParse(source, location.href) ? new URL(source, location.href).href : String(source);
}

function isSamePlace(a: ViewerTarget, b: ViewerTarget): boolean {
  const isSameSource =
    isAddress(a.source) && isAddress(b.source)
      ? String(a.source) === String(b.source)
      : a.source === b.source;
  return (
    isSameSource &&
    (a.path ?? "") === (b.path ?? "") &&
    a.as === b.as &&
    (a.v1Order ?? "spec") === (b.v1Order ?? "spec")
  );
}

/** The state asked for; axes may be given by their names. */
function resolveFor(dataset: Dataset, wanted: WantedState): ViewState {
  const axes = Array.isArray(wanted.axes)
    ? wanted.axes.map((axis) =>
        typeof axis === "string" ? dataset.axes.findIndex(({ name }) => name === axis) : axis,
      )
    : undefined;
  return resolveState(factsOf(dataset), axes ? { ...wanted, axes } : wanted);
}

/** Whether the same elements are read for two lists of layers. */
function isSameReading(a: readonly Layer[], b: readonly Layer[]): boolean {
  const key = (layers: readonly Layer[]) =>
    layers
      .map(({ axes, index }) => [axes, index.map((at, axis) => (axes.includes(axis) ? "" : at))].join(";"))
      .join("|");
  return key(a) === key(b) && a[0]?.dataset === b[0]?.dataset;
}

function countText(chunks: number): string {
  return chunks === 1 ? "1 chunk" : `${chunks.toLocaleString("en")} chunks`;
}
