/** Builds the panels beside the picture in their tabs, and keeps them up to date. */
import { effect, type ReadonlySignal, untracked } from "@preact/signals-core";
import { button, h, setHidden, uniqueId } from "../base/dom.js";
import { text } from "../language/text.js";
import { panels } from "../panels/list.js";
import {
  type Control,
  card,
  type Panel,
  type PanelContext,
  type PanelView,
  type TabName,
} from "../panels/panel.js";
import { adoptStyles } from "./panel-styles.js";

/** The tab that the user chose last, in any viewer of the page. */
let chosen: TabName = "image";

/**
 * Shows the panels of a dataset.
 * @param dock for the tabs
 * @param above for controls above the picture
 * @returns a function that ends their updates
 */
export function showPanels(
  dock: HTMLElement,
  above: HTMLElement,
  context: PanelContext,
  view: ReadonlySignal<PanelView | undefined>,
): () => void {
  adoptStyles(dock);
  const list = new TabList(dock);
  const ends = panels.map((panel) => {
    const place = panel.tab === "above" ? above : list.place(panel.tab);
    return showPanel(place, panel, context, view);
  });
  ends.push(
    effect(() => {
      if (view.value) untracked(() => list.update());
    }),
  );
  return () => {
    for (const end of ends) end();
    above.replaceChildren();
  };
}

/** Tabs as in the ARIA Authoring Practices: one tab stop, arrow keys choose. */
class TabList {
  readonly #tabs: readonly {
    readonly name: TabName;
    readonly tab: HTMLElement;
    readonly place: HTMLElement;
  }[];
  readonly #element: HTMLElement;

  constructor(dock: HTMLElement) {
    this.#tabs = Object.entries(text.tabs).map(([name, title]) => {
      const id = uniqueId("tab");
      const attributes = { role: "tab", id, class: "zw-tab", "aria-controls": `${id}-panel` };
      const tab = button(title, () => this.#choose(name as TabName), attributes);
      const place = h("div", {
        role: "tabpanel",
        id: `${id}-panel`,
        class: "zw-tab-panel",
        "aria-labelledby": id,
      });
      return { name: name as TabName, tab, place };
    });
    const onkeydown = (event: KeyboardEvent) => this.#key(event);
    const all = this.#tabs.map(({ tab }) => tab);
    this.#element = h(
      "div",
      { role: "tablist", class: "zw-tabs", "aria-label": text.dock.controls, onkeydown },
      ...all,
    );
    dock.append(this.#element, ...this.#tabs.map(({ place }) => place));
  }

  place(name: TabName): HTMLElement {
    return this.#tabs.find((one) => one.name === name)!.place;
  }

  /** Hides tabs without panels. */
  update(): void {
    for (const { tab, place } of this.#tabs)
      setHidden(
        tab,
        [...place.children].every((panel) => (panel as HTMLElement).hidden),
      );
    this.#show();
  }

  get #shown() {
    const visible = this.#tabs.filter(({ tab }) => !tab.hidden);
    return visible.find(({ name }) => name === chosen) ?? visible[0];
  }

  #choose(name: TabName): void {
    chosen = name;
    this.#show();
  }

  #show(): void {
    const shown = this.#shown;
    for (const one of this.#tabs) {
      one.tab.setAttribute("aria-selected", String(one === shown));
      one.tab.tabIndex = one === shown ? 0 : -1;
      one.place.toggleAttribute("data-shown", one === shown);
    }
  }

  #key(event: KeyboardEvent): void {
    const visible = this.#tabs.filter(({ tab }) => !tab.hidden);
    const at = visible.indexOf(this.#shown!);
    const isRtl = getComputedStyle(this.#element).direction === "rtl";
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: at + (isRtl ? 1 : -1),
      ArrowRight: at + (isRtl ? -1 : 1),
      Home: 0,
      End: -1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const { name, tab } = visible.at(next % visible.length)!;
    this.#choose(name);
    tab.focus();
  }
}

/** @returns a function that ends its updates */
export function showPanel(
  place: HTMLElement,
  panel: Panel,
  context: PanelContext,
  view: ReadonlySignal<PanelView | undefined>,
): () => void {
  let element: HTMLElement = card(panel, "", []);
  let built: { readonly key: unknown; readonly controls: readonly Control[] } | undefined;
  element.hidden = true;
  place.append(element);
  const sync = (now: PanelView): void => {
    const isShown = panel.isShown?.(now) ?? true;
    const key = panel.key?.(now);
    if (isShown && (!built || built.key !== key)) {
      const controls = panel.build(context, now);
      built = { key, controls };
      const title = typeof panel.title === "string" ? panel.title : panel.title(now);
      const isFurther = place.closest("[data-further]") !== null;
      const next = card(isFurther ? { ...panel, role: "group" } : panel, title, controls);
      element.replaceWith(next);
      element = next;
    }
    if (isShown) for (const control of built!.controls) control.sync?.(now.state, now);
    element.hidden = !isShown || built!.controls.every((control) => control.element.hidden);
  };
  return effect(() => {
    const now = view.value;
    if (now) untracked(() => sync(now));
  });
}
