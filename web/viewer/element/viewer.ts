/** The viewer: its public interface; opens sources and navigates between their nodes. */

import { effect, untracked } from "@preact/signals-core";
import type { ZarrWarning } from "zarr-wasm";
import { h } from "../base/dom.js";
import type { NamedBlob } from "../base/save.js";
import { text } from "../language/text.js";
import type { PictureOptions } from "../model/figure.js";
import { type GivenSetting, givenValues } from "../model/query.js";
import type { ViewState, WantedState } from "../model/state.js";
import { Crumbs } from "../panels/crumbs.js";
import { readers } from "../source/kept-data.js";
import { openTarget, RefusedAddress, resolveTarget } from "../source/open.js";
import { type Opened, targetName } from "../source/opened.js";
import { acquire, release } from "../tiles/shared.js";
import type { FigureViewer } from "./figure.js";
import type { enterLink, Linked, tellLinked } from "./links.js";
import { MainPanel } from "./main-panel.js";
import type {
  RefreshSelection,
  ScreenPoint,
  ViewerOptions,
  ViewerState,
  ViewerTarget,
  ViewerView,
} from "./options.js";
import { isSameTarget, resolveFor, viewLink } from "./target.js";
import { ViewController } from "./view-controller.js";
import { type ViewerActions, ViewerModel } from "./viewer-model.js";

/** Maximum number of warnings kept per document. */
const maxWarnings = 100;

const rootName = (target: ViewerTarget): string => targetName({ ...target, path: undefined });

export class Viewer implements Linked {
  readonly #model = new ViewerModel();
  readonly #mainPanel = new MainPanel();
  readonly #controller = new ViewController(this.#model, this.#mainPanel);
  readonly #crumbs = new Crumbs((path, as) => this.#navigate({ path, as }));
  /** Aborted when the source is closed. */
  #opening = new AbortController();
  /** The state requested for the source that was opened last. */
  #wanted: WantedState = {};
  #links: { readonly enterLink: typeof enterLink; readonly tellLinked: typeof tellLinked } | undefined;
  #leaveLink = () => {};
  #isDestroyed = false;
  /** Requested settings that have not been checked. */
  #given: readonly GivenSetting[] = [];

  constructor(element: HTMLElement, options: ViewerOptions = {}) {
    const { dock, status } = this.#controller;
    this.#model.actions = this.#actions();
    this.#mainPanel.path.prepend(this.#crumbs.element);
    const parts = [this.#mainPanel.element, status.notes.element];
    const { root } = this.#model;
    root.append(h("div", { class: "zw-layout" }, h("div", { class: "zw-main" }, ...parts), dock.element));
    element.replaceChildren(root);
    // The first viewer of a page has its landmarks; others would repeat their names.
    if ([...readers].some((other) => other instanceof Viewer)) {
      this.#crumbs.element.role = "group";
      root.dataset["further"] = "";
    }
    readers.add(this);
    this.setOptions(options);
    this.#tellLinks();
  }

  /** Tells linked viewers about every change that does not come from them. */
  #tellLinks(): void {
    const model = this.#model;
    let last: ViewState | undefined;
    effect(() => {
      const [before, now] = [last, model.settings.value];
      last = now;
      const { link } = model.options;
      if (link && before && now && !["link", "open"].includes(model.cause))
        untracked(() => this.#links?.tellLinked(link, this, before));
    });
  }

  #actions(): ViewerActions {
    return {
      ...this.#controller.actions,
      go: (path, variable) => this.#navigate({ path, variable }),
      derive: (derive) =>
        this.#navigate({ path: this.target!.path, variable: this.target!.variable, derive }),
      reorder: (v1Order) => {
        this.#model.target = { ...this.target!, v1Order };
        void this.reload();
      },
      retry: (operation) => {
        if (operation === "opening") void this.reload();
        else void this.#controller.apply(this.current!, "retry");
      },
      link: () => this.link,
      picture: () => this.#named(this.picture()),
      showFigureDialog: async (over) => {
        const { showFigure } = await import("./figure.js");
        showFigure(over, this.#figureViewer);
      },
    };
  }

  /** Replaces all options. */
  setOptions(options: ViewerOptions): void {
    const { link } = this.#model.options;
    this.#model.options = options;
    const controls = options.controls ?? "full";
    this.#model.root.dataset["controls"] = controls;
    this.#model.root.toggleAttribute("data-cooperative", options.cooperative === true);
    this.#controller.dock.update();
    if (options.link === link) return;
    this.#leaveLink();
    this.#leaveLink = () => {};
    if (options.link) void this.#join(options.link);
  }

  /** Joins a link, whose code is loaded with the first one. */
  async #join(name: string): Promise<void> {
    const links = await import("./links.js");
    if (this.#model.options.link !== name || this.#isDestroyed) return;
    this.#links = links;
    this.#leaveLink();
    this.#leaveLink = links.joinLink(name, this);
    links.enterLink(name, this);
  }

  get current(): ViewState | undefined {
    return this.#model.settings.peek();
  }

  get usual(): ViewState | undefined {
    const { dataset } = this.#model;
    return dataset && resolveFor(dataset, {});
  }

  get ownParts(): ReadonlySet<string> {
    const given = Object.entries(this.target?.settings ?? {});
    return new Set(given.filter(([, value]) => isGiven(value)).map(([part]) => part));
  }

  get isPlot(): boolean {
    return this.#model.dataset?.embedding !== undefined;
  }

  follow(wanted: WantedState): void {
    if (this.view) this.#controller.change(wanted, "link");
  }

  /** The address of the view on a viewer page; undefined without a page, and for a store of the page. */
  get link(): string | undefined {
    const { view, options } = this.#model;
    return view && options.page ? viewLink(view, options.page) : undefined;
  }

  /** The view as a picture, by default as PNG as on the screen; undefined if there is none. */
  async picture(options?: PictureOptions): Promise<Blob | undefined> {
    if (!this.#controller.isPicture) return undefined;
    if (options) return (await import("./figure.js")).makeFigure(this.#figureViewer, options);
    const { exportPicture } = await import("./picture.js");
    return exportPicture(this.#mainPanel.element);
  }

  elementToScreen(index: readonly number[]): ScreenPoint | undefined {
    return this.#controller.plane.view?.toScreen(index);
  }

  screenToElement(x: number, y: number): readonly number[] | undefined {
    return this.#controller.plane.view?.fromScreen(x, y);
  }

  async refresh(selection?: RefreshSelection): Promise<void> {
    const { refresh } = await import("./refresh.js");
    await refresh(this.#model, this.#controller, selection);
  }

  async #named(picture: Promise<Blob | undefined>): Promise<NamedBlob | undefined> {
    const [view, blob] = [this.view, await picture];
    const { fileName } = await import("./picture.js");
    return view && blob && { blob, name: fileName(view.dataset.title) };
  }

  get #figureViewer(): FigureViewer {
    return {
      viewer: this,
      mainPanel: this.#mainPanel.element,
      plane: this.#controller.plane,
      copyInto: (place, settings) => {
        const copy = new Viewer(place, { controls: "minimal" });
        void copy.show({ ...this.target!, settings });
        return copy.#figureViewer;
      },
    };
  }

  get state(): ViewerState {
    return this.#model.activity.peek();
  }

  get view(): ViewerView | undefined {
    return this.#model.view;
  }

  /** The last requested target, with its address as parsed. */
  get target(): ViewerTarget | undefined {
    return this.#model.target;
  }

  /** @param given the requested settings, as messages name them */
  async show(requested: ViewerTarget, given = givenValues(requested.settings)): Promise<void> {
    this.#given = given;
    const target = this.#resolve(requested);
    if (!target) return;
    const { dataset, target: before } = this.#model;
    this.#model.target = target;
    if (!dataset || !before || !isSameTarget(before, target)) return this.#open();
    this.#controller.status.removeUnusable((name) => name !== "variable" && name !== "plate");
    await this.#controller.apply(resolveFor(dataset, target.settings ?? {}), "address");
    await this.#check();
  }

  /** Shows a sentence in an empty viewer. */
  showHint(text: string): void {
    if (!this.target) this.#mainPanel.showText(text);
  }

  /** @param names the changed settings; those of `given`, and others that return to their defaults */
  change(wanted: WantedState, given = givenValues(wanted), names = given.map(({ name }) => name)): void {
    this.#controller.status.removeUnusable((name) => names.includes(name));
    this.#given = [...this.#given, ...given];
    if (this.view) {
      this.#controller.change(wanted, "program");
      void this.#check();
    } else this.#wanted = { ...this.#wanted, ...wanted };
  }

  /** Warns of requested settings that have no effect. */
  async #check(): Promise<void> {
    const [{ dataset }, given] = [this.#model, this.#given];
    this.#given = [];
    if (!dataset || given.length === 0) return;
    // A script that cannot be loaded must not hide the picture.
    const check = await import("./setting-check.js").catch(() => undefined);
    if (check && dataset === this.#model.dataset)
      this.#controller.status.addUnusable(check.settingProblems(dataset, given));
  }

  async reload(): Promise<void> {
    if (this.target) await this.#open(this.current ?? this.#wanted);
  }

  destroy(): void {
    this.#isDestroyed = true;
    readers.delete(this);
    this.#leaveLink();
    this.#opening.abort();
    this.#controller.destroy();
    this.#mainPanel.setIdle("");
    this.#model.root.remove();
  }

  /** Parses the target's address; reports an error and returns undefined if it cannot be opened. */
  #resolve(requested: ViewerTarget): ViewerTarget | undefined {
    const { status } = this.#controller;
    try {
      const { target, note } = resolveTarget(requested);
      status.sourceNotes.value = note === undefined ? [] : [note];
      if (note !== undefined) this.#model.options.onPlace?.(target, "read");
      return target;
    } catch (error) {
      this.#model.target = requested;
      this.#clear();
      if (!(error instanceof RefusedAddress)) status.fail(error, "opening");
      else status.showFailure({ title: text.opening.refused, message: error.message }, "opening");
      return undefined;
    }
  }

  /** Opens another node of the same source. */
  #navigate({ path, ...rest }: Pick<ViewerTarget, "path" | "as" | "variable" | "derive" | "settings">): void {
    const { source, name, v1Order } = this.target!;
    const target = { source, name, v1Order, ...rest, path: path || undefined };
    this.#controller.status.sourceNotes.value = [];
    this.#model.options.onPlace?.(target, "go");
    this.#model.target = target;
    void this.#open();
  }

  /** Closes the source. @returns a signal that is aborted when the next one is closed */
  #clear(): AbortSignal {
    this.#opening.abort();
    this.#opening = new AbortController();
    this.#crumbs.hide();
    this.#controller.status.clear();
    this.#controller.clear(this.#opening.signal);
    this.#mainPanel.setHeading(targetName(this.target!), undefined);
    return this.#opening.signal;
  }

  /** Opens the model's target. */
  async #open(wanted: WantedState = this.target!.settings ?? {}): Promise<void> {
    const target = this.target!;
    this.#wanted = wanted;
    const signal = this.#clear();
    this.#model.activity.value = "opening";
    this.#mainPanel.setBusy(text.opening.busy);
    // Workers start while the metadata are read.
    acquire().pool.start();
    try {
      await this.#read(target, signal);
    } catch (error) {
      if (signal.aborted) return;
      const { path = "" } = target;
      // The groups above it may exist.
      if (path !== "") this.#crumbs.show(rootName(target), path, path, false);
      this.#controller.status.fail(error, "opening");
    } finally {
      release(); // the shown content holds its own reference by now
    }
  }

  async #read(target: ViewerTarget, signal: AbortSignal): Promise<void> {
    const { status } = this.#controller;
    const warnings: ZarrWarning[] = [];
    const onWarning = (warning: ZarrWarning) => {
      if (warnings.length < maxWarnings) warnings.push(warning);
    };
    const opened = await openTarget(target, { signal, onWarning });
    signal.throwIfAborted();
    status.warnings.value = warnings;
    for (const note of opened.notes) status.addSourceNote(note);
    const { path = "", as } = target;
    const isContents = as === "contents" || opened.kind === "contents";
    this.#crumbs.show(rootName(target), path, opened.kind === "dataset" ? opened.path : path, isContents);
    status.addUnusable(opened.unusable ?? []);
    if (opened.kind === "dataset") await this.#showDataset(await this.#derived(opened, signal), signal);
    else await this.#showContents(opened, signal);
  }

  /** Computes the requested variable, whose code is loaded with the first one. */
  async #derived<T extends Extract<Opened, { kind: "dataset" }>>(opened: T, signal: AbortSignal): Promise<T> {
    const { derive } = this.target!;
    if (!derive) return opened;
    const { openDerived } = await import("./derived.js");
    const [model, controller, mainPanel] = [this.#model, this.#controller, this.#mainPanel];
    return openDerived(opened, derive, { model, controller, mainPanel, signal });
  }

  async #showDataset(opened: Extract<Opened, { kind: "dataset" }>, signal: AbortSignal): Promise<void> {
    const { v1Order } = this.target!;
    const warnings = this.#controller.status.warnings.peek();
    const isOrderUnsure = warnings.some(({ code }) => code === "v1-order") || v1Order === "writer";
    this.#controller.begin(opened, isOrderUnsure ? (v1Order ?? "spec") : undefined);
    await this.#controller.apply(resolveFor(opened.dataset, this.#wanted), "open");
    signal.throwIfAborted();
    const { link, onChange } = this.#model.options;
    if (link) this.#links?.enterLink(link, this);
    if (this.view) onChange?.(this.view, "open");
    await this.#check();
  }

  /** Shows content other than pictures: a plate, a group. */
  async #showContents(opened: Exclude<Opened, { kind: "dataset" }>, signal: AbortSignal): Promise<void> {
    const callbacks = {
      onGo: (path: string, settings?: WantedState) => this.#navigate({ path, settings }),
      onView: (plate: string, view: Pick<ViewerView, "dataset" | "settings"> | undefined) => {
        this.#model.target = { ...this.target!, plate, settings: view?.settings };
        this.#model.options.onPlace?.(this.target!, "plate", view);
      },
      onUnusable: (messages: readonly string[]) => {
        if (!signal.aborted) this.#controller.status.addUnusable(messages);
      },
    };
    this.#given = [];
    const { adoptStyles, createContents } = await import("./contents.js");
    const { main, beside } = await createContents(opened, this.target!, callbacks, signal);
    adoptStyles(this.#model.root);
    signal.throwIfAborted();
    this.#mainPanel.show(main);
    this.#controller.dock.replace(...beside);
    this.#controller.status.showReady();
    this.#model.options.onPlace?.(this.target!, "open");
  }
}

/** Whether a setting has a value; lists by axis may have none. */
const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isGiven) : value !== undefined && value !== null;
