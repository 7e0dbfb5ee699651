/** Builds the panels beside the picture, and keeps them up to date. */
import { effect, type ReadonlySignal, untracked } from "@preact/signals-core";
import { panels } from "../panels/list.js";
import { type Control, card, type Panel, type PanelContext, type PanelView } from "../panels/panel.js";
import { adoptStyles } from "./panel-styles.js";

/** Shows the panels of a dataset in an element. @returns a function that ends their updates */
export function showPanels(
  dock: HTMLElement,
  context: PanelContext,
  view: ReadonlySignal<PanelView | undefined>,
): () => void {
  adoptStyles(dock);
  const ends = panels.map((panel) => showPanel(dock, panel, context, view));
  return () => {
    for (const end of ends) end();
  };
}

function showPanel(
  dock: HTMLElement,
  panel: Panel,
  context: PanelContext,
  view: ReadonlySignal<PanelView | undefined>,
): () => void {
  let element: HTMLElement = card(panel, "", []);
  let built: { readonly key: unknown; readonly controls: readonly Control[] } | undefined;
  element.hidden = true;
  dock.append(element);
  const sync = (now: PanelView): void => {
    const isShown = panel.isShown?.(now) ?? true;
    const key = panel.key?.(now);
    if (isShown && (!built || built.key !== key)) {
      const controls = panel.build(context, now);
      built = { key, controls };
      const title = typeof panel.title === "string" ? panel.title : panel.title(now);
      const isFurther = dock.closest("[data-further]") !== null;
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
