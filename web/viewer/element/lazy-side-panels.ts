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

export class LazySidePanels {
  readonly element = h("div", { class: "zw-side", role: "group", "aria-label": "View and array" });
  #panels: SidePanels | undefined;
  #subject: Subject | undefined;
  #isSeen = false;

  constructor(private readonly callbacks: LazySidePanelsCallbacks) {}

  /** Whether the panels are visible. */
  set isSeen(isSeen: boolean) {
    this.#isSeen = isSeen;
    void this.#load();
  }

  /** Shows the controls and facts of a dataset. */
  begin(subject: Subject): void {
    this.#subject = subject;
    void this.#load();
  }

  async #load(): Promise<void> {
    const subject = this.#subject;
    if (!subject || this.#panels || !this.#isSeen) return;
    // Keeps the place of the panels, so that the picture does not change its size when they arrive.
    this.element.setAttribute("aria-busy", "true");
    const { SidePanels } = await import("./side-panels.js");
    if (this.#subject !== subject || this.#panels) return;
    this.#panels = new SidePanels(subject.dataset, subject.v1Order, this.callbacks);
    this.element.append(...this.#panels.elements);
    this.element.removeAttribute("aria-busy");
    this.callbacks.onLoad();
  }

  /** Shows only these elements, without a dataset. */
  replace(...elements: readonly HTMLElement[]): void {
    this.#panels = undefined;
    this.#subject = undefined;
    this.element.replaceChildren(...elements);
    this.element.removeAttribute("aria-busy");
  }

  /** Inserts an element above all others. */
  prepend(element: HTMLElement): void {
    this.element.prepend(element);
  }

  sync(settings: ViewState, state: SidePanelsState): void {
    this.#panels?.sync(settings, state);
  }

  showMemory(memory: Memory | undefined): void {
    this.#panels?.showMemory(memory);
  }
}
