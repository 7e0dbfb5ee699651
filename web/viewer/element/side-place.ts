/** Where controls and facts stand beside the picture. What they are made of is loaded where they are to be seen. */
import { h } from "../base/dom.js";
import type { ViewState } from "../model/state.js";
import type { Memory } from "../panels/memory.js";
import type { Dataset } from "../source/dataset.js";
import type { Side, SideCallbacks, SideState } from "./side.js";

export interface SidePlaceCallbacks extends SideCallbacks {
  /** Has been loaded, and knows nothing yet. */
  onLoad(): void;
}

/** What stands beside a picture is about. */
interface Subject {
  readonly dataset: Dataset;
  /** The order of bytes that can be chosen, where it is not sure. */
  readonly v1Order: "spec" | "writer" | undefined;
}

export class SidePlace {
  readonly element = h("div", { class: "zw-side", role: "group", "aria-label": "View and array" });
  #side: Side | undefined;
  #subject: Subject | undefined;
  #isSeen = false;

  constructor(private readonly callbacks: SidePlaceCallbacks) {}

  /** Whether it is to be seen at all. */
  set isSeen(isSeen: boolean) {
    this.#isSeen = isSeen;
    void this.#load();
  }

  /** Shows controls and facts of a dataset. */
  begin(subject: Subject): void {
    this.#subject = subject;
    void this.#load();
  }

  async #load(): Promise<void> {
    const subject = this.#subject;
    if (!subject || this.#side || !this.#isSeen) return;
    const { Side } = await import("./side.js");
    if (this.#subject !== subject || this.#side) return;
    this.#side = new Side(subject.dataset, subject.v1Order, this.callbacks);
    this.element.append(...this.#side.elements);
    this.callbacks.onLoad();
  }

  /** Shows nothing but these, and is about no dataset. */
  replace(...elements: readonly HTMLElement[]): void {
    this.#side = undefined;
    this.#subject = undefined;
    this.element.replaceChildren(...elements);
  }

  /** Puts something above everything else. */
  prepend(element: HTMLElement): void {
    this.element.prepend(element);
  }

  sync(settings: ViewState, state: SideState): void {
    this.#side?.sync(settings, state);
  }

  showMemory(memory: Memory | undefined): void {
    this.#side?.showMemory(memory);
  }
}
