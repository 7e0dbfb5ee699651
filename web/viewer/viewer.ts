/**
 * The viewer as a component: opens an array, reads the slice that the settings ask for, draws it.
 *
 * There is at most one read at a time. Whatever changes the slice aborts the one before, so that the
 * last choice is what ends up on the stage.
 */
import { get, isZarrError, open, type Source, type ZarrArray, type ZarrWarning } from "zarr-wasm";
import { Controls } from "./controls.js";
import { h } from "./dom.js";
import { factsPanel } from "./facts.js";
import { formatByteCount } from "./format.js";
import { arraysOf } from "./members.js";
import { explain, type Stage as Failing } from "./messages.js";
import { type Note, Notes } from "./notes.js";
import { Picture, type Slice } from "./picture.js";
import { planSlice, type SlicePlan } from "./plan.js";
import type { Cell, CellRectangle } from "./pointer.js";
import {
  type Interval,
  leafOf,
  resolveSettings,
  type ViewSettings,
  type WantedSettings,
} from "./settings.js";
import { Stage, stepNote, type ViewerState } from "./stage.js";
import { markedWindows, zoomedWindows } from "./zoom.js";

export type { Part } from "./leaf.js";
export type { Interval, ValueRange, ViewSettings, WantedSettings } from "./settings.js";
export type { ViewerState } from "./stage.js";

/** What to view. */
export interface ViewerTarget {
  /** A URL or a store. */
  readonly source: Source;
  /** Path of the array below the source. */
  readonly path?: string | undefined;
  readonly v1Order?: "spec" | "writer" | undefined;
  /** Settings to begin with; what does not fit the array is replaced by what does. */
  readonly settings?: WantedSettings | undefined;
}

/** What the viewer shows now. */
export interface View {
  readonly target: ViewerTarget;
  readonly array: ZarrArray;
  readonly settings: ViewSettings;
}

export interface ViewerOptions extends Partial<ViewerTarget> {
  /**
   * Called when an array has been opened ("open") and when the reader has changed the settings; then
   * `control` names what was used.
   */
  readonly onChange?: ((view: View, control: string) => void) | undefined;
}

/** A viewer on a page. */
export interface MountedViewer {
  /** What is shown; undefined before an array has been opened. */
  readonly view: View | undefined;
  readonly state: ViewerState;
  /** Shows something else. Does not read again what is open already. Errors are shown, not thrown. */
  show(target: ViewerTarget): Promise<void>;
  /** Opens and reads again what is shown. */
  reload(): Promise<void>;
  /** Aborts what is under way and empties the element. */
  destroy(): void;
}

/** Makes an element a viewer. Its style sheet is `style.css`. */
export function mountViewer(element: HTMLElement, options: ViewerOptions = {}): MountedViewer {
  const viewer = new Viewer(element, options.onChange);
  if (options.source !== undefined) void viewer.show({ ...options, source: options.source });
  return viewer;
}

class Viewer implements MountedViewer {
  readonly #stage: Stage;
  readonly #notes = new Notes();
  readonly #side = h("aside", { class: "zw-side", "aria-label": "View and array" });
  readonly #root: HTMLElement;
  #target: ViewerTarget | undefined;
  #array: ZarrArray | undefined;
  #settings: ViewSettings | undefined;
  #controls: Controls | undefined;
  #warnings: ZarrWarning[] = [];
  /** The slice on the stage. */
  #slice: Slice | undefined;
  /** What is being read. */
  #reading: SlicePlan | undefined;
  #picture: Picture | undefined;
  #request = new AbortController();

  constructor(
    element: HTMLElement,
    private readonly onChange: ViewerOptions["onChange"],
  ) {
    this.#stage = new Stage({
      onPoint: (cell, by) => this.#stage.point(cell, by),
      onMark: (rectangle) => this.#mark(rectangle),
      onZoom: (direction, cell) => this.#zoom(direction, cell),
    });
    const main = h("div", { class: "zw-main" }, this.#stage.element, this.#notes.element);
    this.#root = h("div", { class: "zw-viewer", "data-state": "empty" }, main, this.#side);
    element.replaceChildren(this.#root);
  }

  get state(): ViewerState {
    return this.#root.dataset["state"] as ViewerState;
  }

  get view(): View | undefined {
    const [target, array, settings] = [this.#target, this.#array, this.#settings];
    return target && array && settings && { target, array, settings };
  }

  async show(target: ViewerTarget): Promise<void> {
    const isOpen = this.#array && this.#target && isSamePlace(this.#target, target);
    this.#target = target;
    if (!isOpen) return this.#open();
    await this.#apply(resolveSettings(this.#array!, target.settings ?? {}));
  }

  async reload(): Promise<void> {
    if (this.#target) await this.#open(this.#settings);
  }

  destroy(): void {
    this.#request.abort();
    this.#stage.clear();
    this.#root.remove();
  }

  /** A new request; the one before is aborted. */
  #begin(): AbortSignal {
    this.#request.abort();
    this.#reading = undefined;
    this.#request = new AbortController();
    return this.#request.signal;
  }

  async #open(settings: WantedSettings | undefined = this.#target!.settings): Promise<void> {
    const { source, path, v1Order } = this.#target!;
    const signal = this.#begin();
    this.#forget();
    this.#root.dataset["state"] = "opening";
    this.#stage.setHeading(nameOf(source, path), undefined);
    this.#stage.setBusy("Opening…");
    const warnings: ZarrWarning[] = [];
    try {
      const onWarning = (warning: ZarrWarning) => warnings.push(warning);
      const array = await open(source, { path, v1Order, signal, kind: "array", onWarning });
      signal.throwIfAborted();
      this.#array = array;
      this.#warnings = warnings;
      this.#settings = resolveSettings(array, settings ?? {});
      this.#showArray(array, nameOf(source, path));
    } catch (error) {
      if (signal.aborted) return;
      this.#fail(error, "opening");
      if (isZarrError(error, "NotFound") && error.code === "wrong-kind") await this.#offerArrays(signal);
      return;
    }
    this.onChange?.(this.view!, "open");
    await this.#read();
  }

  /** At a group: its arrays to choose from. */
  async #offerArrays(signal: AbortSignal): Promise<void> {
    const { source, path, v1Order } = this.#target!;
    const arrays = await arraysOf(source, path, signal).catch(() => []);
    if (signal.aborted) return;
    const notes = arrays.map((array) => ({
      text: array.text,
      action: { label: "Open", run: () => void this.show({ source, path: array.path, v1Order }) },
    }));
    this.#notes.show(notes);
  }

  #forget(): void {
    this.#array = undefined;
    this.#settings = undefined;
    this.#slice = undefined;
    this.#picture = undefined;
    this.#controls = undefined;
    this.#warnings = [];
    this.#notes.show([]);
    this.#side.replaceChildren();
    this.#stage.clear();
  }

  #showArray(array: ZarrArray, name: string): void {
    const { v1Order } = this.#target!;
    const isOrderUnsure = this.#warnings.some(({ code }) => code === "v1-order") || v1Order === "writer";
    this.#controls = new Controls(array, isOrderUnsure ? (v1Order ?? "spec") : undefined, {
      onChange: (change, control) => this.#change(change, control),
      onZoom: (direction) => this.#zoom(direction, this.#stage.cell),
      onV1Order: (order) => this.#reorder(order),
    });
    this.#side.replaceChildren(this.#controls.element, factsPanel(array));
    this.#stage.setHeading(name, array);
  }

  /** The reader's change of settings. */
  #change(change: WantedSettings, control: string): void {
    const { array, settings } = this.view!;
    // Another field or part has values and colours of its own.
    const isOther = change.field !== undefined || change.part !== undefined;
    const reset: WantedSettings = isOther ? { colormap: undefined, range: undefined } : {};
    const next = resolveSettings(array, { ...settings, ...reset, ...change });
    void this.#apply(next);
    this.onChange?.(this.view!, control);
  }

  #reorder(v1Order: "spec" | "writer"): void {
    this.#target = { ...this.#target!, v1Order };
    void this.#open(this.#settings);
  }

  #mark(rectangle: CellRectangle): void {
    const { axes } = this.#slice!.plan;
    this.#setWindows(markedWindows(axes, rectangle), "mark");
  }

  #zoom(direction: "in" | "out" | "reset", cell: Cell | undefined): void {
    const { array, settings } = this.view!;
    const { axes } = planSlice(array, settings);
    const whole = axes.map(({ axis }) => [0, array.shape[axis]!] as const);
    const windows = direction === "reset" ? whole : zoomedWindows(axes, array.shape, direction, cell);
    this.#setWindows(windows, "zoom");
  }

  /** Sets the windows of the shown axes; without one where the whole is what would be shown anyway. */
  #setWindows(windows: readonly Interval[], control: string): void {
    const { array, settings } = this.view!;
    const free = settings.window.map((old, axis) => (settings.axes.includes(axis) ? null : old));
    const plan = planSlice(array, { ...settings, window: free });
    const isFree = plan.axes.every(
      ({ start, stop }, i) => start === windows[i]![0] && stop === windows[i]![1],
    );
    const window = free.map((old, axis) => windows[settings.axes.indexOf(axis)] ?? old);
    this.#change({ window: isFree ? free : window }, control);
  }

  /** Takes settings over: reads if the selection has changed, else only draws. */
  async #apply(settings: ViewSettings): Promise<void> {
    this.#settings = settings;
    const plan = planSlice(this.#array!, settings);
    if (this.#reading && isSameSelection(this.#reading, plan)) {
      this.#syncControls(plan);
    } else if (!this.#reading && this.#slice && isSameSelection(this.#slice.plan, plan)) {
      this.#draw({ plan, region: this.#slice.region });
    } else await this.#read();
  }

  async #read(): Promise<void> {
    const { array, settings } = this.view!;
    const plan = planSlice(array, settings);
    const signal = this.#begin();
    this.#root.dataset["state"] = "reading";
    this.#syncControls(plan);
    if (plan.kind === "empty") return this.#showEmpty();
    this.#reading = plan;
    this.#stage.setBusy("Reading…");
    const started = performance.now();
    let summary = "";
    try {
      const region = await get(array, plan.selection, {
        signal,
        onProgress: (progress) => {
          if (signal.aborted) return;
          this.#stage.setBusy(`Reading ${countText(progress.totalChunks)}…`, progress);
          summary = `${countText(progress.totalChunks)}, ${formatByteCount(progress.bytes)}`;
        },
      });
      signal.throwIfAborted();
      this.#reading = undefined;
      // Settings that do not concern the selection may have changed meanwhile.
      this.#draw({ plan: planSlice(array, this.#settings!), region });
    } catch (error) {
      if (!signal.aborted) this.#fail(error, "reading");
      return;
    }
    this.#root.dataset["state"] = "ready";
    this.#stage.setIdle(`${summary}, ${Math.round(performance.now() - started)} ms`);
  }

  #syncControls(plan: SlicePlan): void {
    const settings = this.#settings!;
    this.#controls?.sync(settings, { plan, limits: this.#picture?.limits(settings.range) });
  }

  #showEmpty(): void {
    this.#slice = undefined;
    this.#picture = undefined;
    this.#stage.showText("The array has no elements: one of its dimensions has length 0.");
    this.#stage.setIdle("");
    this.#notes.show(this.#warningNotes());
    this.#root.dataset["state"] = "ready";
  }

  #draw(slice: Slice): void {
    const { array, settings } = this.view!;
    this.#slice = slice;
    this.#picture = this.#pictureOf(slice, settings);
    this.#stage.show({ array, settings, slice, picture: this.#picture });
    this.#syncControls(slice.plan);
    this.#notes.show([...this.#warningNotes(), ...this.#sliceNotes(slice)]);
  }

  #pictureOf(slice: Slice, { field, part }: ViewSettings): Picture | undefined {
    const leaf = leafOf(this.#array!, field);
    if (!leaf || (slice.plan.kind !== "image" && slice.plan.kind !== "line")) return undefined;
    const old = this.#picture;
    const isSame =
      old?.slice.region === slice.region &&
      old.leaf.name === leaf.name &&
      old.part === part &&
      isSameAxes(old.slice.plan, slice.plan);
    // Colours and ranges change often: what was made of the numbers is kept.
    return isSame ? old : new Picture(slice, leaf, part);
  }

  #warningNotes(): Note[] {
    return this.#warnings.map(({ code, message }) => {
      const run = () => this.#reorder("writer");
      return code === "v1-order"
        ? { text: orderWarning, isWarning: true, action: { label: "Read in C order", run } }
        : { text: `${message[0]!.toUpperCase()}${message.slice(1)}.`, isWarning: true };
    });
  }

  #sliceNotes(slice: Slice): Note[] {
    const { narrowed } = slice.plan;
    const step = stepNote(slice);
    const notes: Note[] = step ? [{ text: step }] : [];
    if (narrowed) {
      notes.push({
        text: `This is the middle of a slice of ${countText(narrowed.chunks)} (${formatByteCount(narrowed.bytes)} when decoded).`,
        action: { label: "Read the whole slice", run: () => this.#zoom("reset", undefined) },
      });
    }
    return notes;
  }

  #fail(error: unknown, stage: Failing): void {
    const { source } = this.#target!;
    const place = {
      stage,
      pageProtocol: location.protocol,
      source: isAddress(source) ? absolute(source) : "",
    };
    this.#reading = undefined;
    this.#slice = undefined;
    this.#picture = undefined;
    this.#root.dataset["state"] = "error";
    this.#stage.setIdle("");
    this.#notes.show(this.#warningNotes());
    this.#stage.showError(
      explain(error, place),
      () => void (stage === "opening" ? this.#open() : this.#read()),
    );
  }
}

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
  return isSameSource && (a.path ?? "") === (b.path ?? "") && (a.v1Order ?? "spec") === (b.v1Order ?? "spec");
}

function isSameSelection(a: SlicePlan, b: SlicePlan): boolean {
  return a.kind === b.kind && JSON.stringify(a.selection) === JSON.stringify(b.selection);
}

/** Equal selections are shown differently when the axes are swapped. */
function isSameAxes(a: SlicePlan, b: SlicePlan): boolean {
  return a.axes.every(({ axis }, i) => axis === b.axes[i]?.axis);
}

/** A short name of a source: the last part of its address. */
function nameOf(source: Source, path: string | undefined): string {
  const text = isAddress(source) ? String(source) : "Array";
  const [address] = text.split(/[?#]/, 1);
  const names = `${address}/${path ?? ""}`.split("/").filter((part) => part !== "");
  return names.at(-1) ?? text;
}

function countText(chunks: number): string {
  return chunks === 1 ? "1 chunk" : `${chunks.toLocaleString("en")} chunks`;
}
