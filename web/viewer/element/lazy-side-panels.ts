/** Container for the controls and facts beside the picture. Their code is loaded when they become visible. */
import { h } from "../base/dom.js";
import type { ViewState } from "../model/state.js";
import type { Memory } from "../panels/memory.js";
import type { Dataset } from "../source/dataset.js";
import type { SidePanels, SidePanelsCallbacks, SidePanelsState } from "./side-panels.js";

export interface LazySidePanelsCallbacks extends SidePanelsCallbacks {
  /** Called when the panels have been loaded, still without a state. */
  onLoad(): void;
}

/** The dataset that the panels describe. */
interface Subject {
  readonly dataset: Dataset;
  /** The selectable byte order, if it is uncertain. */
  readonly v1Order: "spec" | "writer" | undefined;
}

/** Time for which the picture goes first, in milliseconds. */
const maxWait = 500;

const untilIdle = () =>
  new Promise<unknown>((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(resolve, { timeout: maxWait });
    else setTimeout(resolve, 50);
  });

export class LazySidePanels {
  readonly #body = h("div", { class: "zw-dock-body" });
  readonly #handle = h(
    "button",
    { type: "button", class: "zw-dock-handle", "aria-expanded": false, onclick: () => this.#toggle() },
    "Controls",
  );
  readonly element = h(
    "div",
    { class: "zw-side", role: "group", "aria-label": "View and array", "data-empty": true },
    this.#handle,
    this.#body,
  );
  #panels: SidePanels | undefined;
  #subject: Subject | undefined;
  #collection: HTMLElement | undefined;

  constructor(private readonly callbacks: LazySidePanelsCallbacks) {
    // The style sheet closes the dock if there is little room.
    new ResizeObserver(() => this.show()).observe(this.element);
  }

  #toggle(): void {
    this.element.dataset["open"] = this.#body.checkVisibility() ? "no" : "yes";
    this.show();
  }

  /** Shows the controls and facts of a dataset. */
  begin(subject: Subject): void {
    this.#subject = subject;
    delete this.element.dataset["empty"];
    this.show();
  }

  /** Loads the panels if they are visible. */
  show(): void {
    const isOpen = this.#body.checkVisibility();
    this.#handle.ariaExpanded = String(isOpen);
    if (isOpen) void this.#load();
  }

  async #load(): Promise<void> {
    const subject = this.#subject;
    if (!subject || this.#panels) return;
    await untilIdle();
    const { SidePanels } = await import("./side-panels.js");
    if (this.#subject !== subject || this.#panels) return;
    this.#panels = new SidePanels(subject.dataset, subject.v1Order, this.callbacks, this.element);
    this.#body.append(...this.#panels.elements);
    if (this.#collection) this.#panels.addCollection(this.#collection);
    this.callbacks.onLoad();
  }

  /** Shows only these elements, without a dataset. */
  replace(...elements: readonly HTMLElement[]): void {
    this.#panels = undefined;
    this.#subject = undefined;
    this.#collection = undefined;
    this.#body.replaceChildren(...elements);
    this.element.toggleAttribute("data-empty", elements.length === 0);
  }

  /** Shows the nodes or variables related to the array. */
  addCollection(panel: HTMLElement): void {
    this.#collection = panel;
    this.#panels?.addCollection(panel);
  }

  sync(settings: ViewState, state: SidePanelsState): void {
    this.#panels?.sync(settings, state);
  }

  showMemory(memory: Memory | undefined): void {
    this.#panels?.showMemory(memory);
  }
}
