/** The viewer: its public interface, and the parts that open sources, draw them and report on them. */
import { effect, untracked } from "@preact/signals-core";
import { h } from "../base/dom.js";
import type { NamedBlob } from "../base/save.js";
import type { PictureOptions } from "../model/figure.js";
import { type GivenSetting, givenValues } from "../model/query.js";
import type { ViewState, WantedState } from "../model/state.js";
import { readers } from "../source/kept-data.js";
import type { Opened } from "../source/opened.js";
import type { FigureViewer } from "./figure.js";
import type { enterLink, Linked, tellLinked } from "./links.js";
import { MainPanel } from "./main-panel.js";
import type { ViewerOptions, ViewerState, ViewerTarget, ViewerView } from "./options.js";
import { SourceOpener } from "./source-opener.js";
import { isSameTarget, resolveFor, viewLink } from "./target.js";
import { ViewController } from "./view-controller.js";
import { type ViewerActions, ViewerModel } from "./viewer-model.js";

export class Viewer implements Linked {
  readonly #model = new ViewerModel();
  readonly #mainPanel = new MainPanel();
  readonly #controller = new ViewController(this.#model, this.#mainPanel);
  readonly #opener = new SourceOpener(this.#model, this.#mainPanel, this.#controller.status, {
    onBegin: (signal) => this.#controller.clear(signal),
    onOpened: (opened, wanted, signal) => this.#showOpened(opened, wanted, signal),
  });
  #links: { readonly enterLink: typeof enterLink; readonly tellLinked: typeof tellLinked } | undefined;
  #leaveLink = () => {};
  #isDestroyed = false;
  /** Requested settings that have not been checked. */
  #given: readonly GivenSetting[] = [];

  constructor(element: HTMLElement, options: ViewerOptions = {}) {
    const { dock, status } = this.#controller;
    this.#model.actions = this.#actions();
    this.#mainPanel.path.prepend(this.#opener.crumbs.element);
    const parts = [this.#mainPanel.element, status.notes.element];
    const { root } = this.#model;
    root.append(h("div", { class: "zw-layout" }, h("div", { class: "zw-main" }, ...parts), dock.element));
    element.replaceChildren(root);
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
      go: (path, variable) => this.#opener.navigate({ path, variable }),
      reorder: (order) => this.#opener.reorder(order),
      retry: (operation) => {
        if (operation === "opening") void this.#opener.reopen();
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
    const target = this.#opener.resolve(requested);
    if (!target) return;
    const { dataset, target: before } = this.#model;
    this.#model.target = target;
    if (!dataset || !before || !isSameTarget(before, target)) return this.#opener.open();
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
    } else this.#opener.want(wanted);
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
    if (this.target) await this.#opener.reopen();
  }

  destroy(): void {
    this.#isDestroyed = true;
    readers.delete(this);
    this.#leaveLink();
    this.#opener.close();
    this.#controller.destroy();
    this.#mainPanel.setIdle("");
    this.#model.root.remove();
  }

  async #showOpened(opened: Opened, wanted: WantedState, signal: AbortSignal): Promise<void> {
    if (opened.kind !== "dataset") return this.#showContents(opened, signal);
    const { v1Order } = this.target!;
    const warnings = this.#controller.status.warnings.peek();
    const isOrderUnsure = warnings.some(({ code }) => code === "v1-order") || v1Order === "writer";
    this.#controller.begin(opened, isOrderUnsure ? (v1Order ?? "spec") : undefined);
    await this.#controller.apply(resolveFor(opened.dataset, wanted), "open");
    signal.throwIfAborted();
    const { link, onChange } = this.#model.options;
    if (link) this.#links?.enterLink(link, this);
    if (this.view) onChange?.(this.view, "open");
    await this.#check();
  }

  /** Shows content other than pictures: a plate, a group. */
  async #showContents(opened: Exclude<Opened, { kind: "dataset" }>, signal: AbortSignal): Promise<void> {
    const callbacks = {
      onGo: (path: string) => this.#opener.navigate({ path }),
      onView: (plate: string) => {
        this.#model.target = { ...this.target!, plate };
        this.#model.options.onPlace?.(this.target!, "plate");
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
