/** The dock beside the picture. Its panels are loaded when it becomes visible. */

import type { ReadonlySignal } from "@preact/signals-core";
import { button, h } from "../base/dom.js";
import { text } from "../language/text.js";
import type { PanelContext, PanelView } from "../panels/panel.js";

/** Time for which the picture goes first, in milliseconds. */
const maxWait = 500;

const untilIdle = () =>
  new Promise<unknown>((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(resolve, { timeout: maxWait });
    else setTimeout(resolve, 50);
  });

export class Dock {
  readonly #body = h("div", { class: "zw-dock-body" });
  readonly #handle = button(text.dock.controls, () => this.#toggle(), { class: "zw-dock-handle" });
  readonly element = h(
    "div",
    { class: "zw-side", role: "group", "aria-label": text.dock.title, "data-empty": true },
    this.#handle,
    this.#body,
  );
  /** Described by the panels; undefined without a dataset. */
  #context: PanelContext | undefined;
  #endPanels: (() => void) | undefined;

  /**
   * @param view followed by the panels
   * @param above for controls above the picture
   */
  constructor(
    private readonly view: ReadonlySignal<PanelView | undefined>,
    private readonly above: HTMLElement,
  ) {
    // The style sheet closes the dock if there is little room.
    new ResizeObserver(() => this.update()).observe(this.element);
  }

  #toggle(): void {
    this.element.dataset["open"] = this.#body.checkVisibility() ? "no" : "yes";
    this.update();
  }

  /** Shows the panels of a dataset. */
  begin(context: PanelContext): void {
    this.replace();
    this.#context = context;
    delete this.element.dataset["empty"];
    this.update();
  }

  /** Shows only these elements, without a dataset. */
  replace(...elements: readonly HTMLElement[]): void {
    this.#endPanels?.();
    this.#endPanels = undefined;
    this.#context = undefined;
    this.#body.replaceChildren(...elements);
    this.element.toggleAttribute("data-empty", elements.length === 0);
  }

  /** Loads the panels if they are visible. */
  update(): void {
    const isOpen = this.#body.checkVisibility();
    this.#handle.ariaExpanded = String(isOpen);
    if (isOpen) void this.#load();
  }

  async #load(): Promise<void> {
    const context = this.#context;
    if (!context || this.#endPanels) return;
    await untilIdle();
    const { showPanels } = await import("./side-panels.js");
    if (this.#context === context) this.#endPanels ??= showPanels(this.#body, this.above, context, this.view);
  }
}
