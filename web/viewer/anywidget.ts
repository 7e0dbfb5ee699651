/**
 * The viewer in notebooks: an anywidget module (Jupyter, Colab, VS Code, marimo). The widget's traits are the
 * element's attributes; `view` and `pointed` report the view and the element under the pointer to Python.
 */
import { defineZarrViewer } from "./element/zarr-viewer.js";

/** The part of a widget's model that is used here. */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

const attributes = [
  ...[
    "src",
    "path",
    "variable",
    "order",
    "axes",
    "select",
    "channels",
    "colormap",
    "range",
    "controls",
    "link",
    "page",
  ],
];

/** Minimum interval between two messages to Python during a drag, in milliseconds. */
const rest = 150;

/** Shows a widget in an element. @returns a function that removes it. */
function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  defineZarrViewer();
  const viewer = document.createElement("zarr-viewer");
  const height = model.get("height");
  if (typeof height === "string" && height !== "") viewer.style.setProperty("--zw-height", height);
  const listeners = attributes.map((name) => {
    const set = () => {
      const value = model.get(name);
      if (value === null || value === undefined || value === "") viewer.removeAttribute(name);
      else viewer.setAttribute(name, attributeText(name, value));
    };
    set();
    model.on(`change:${name}`, set);
    return [`change:${name}`, set] as const;
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const news: Record<string, unknown> = {};
  const send = (name: string, value: unknown) => {
    news[name] = value;
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const [key, latest] of Object.entries(news)) model.set(key, latest);
      model.save_changes();
    }, rest);
  };
  viewer.addEventListener("load", ({ detail }) => send("view", detail.settings));
  viewer.addEventListener("change", ({ detail }) => send("view", detail.view.settings));
  viewer.addEventListener("pointer", ({ detail }) =>
    send("pointed", detail ? { index: detail.index, text: detail.text } : null),
  );
  el.append(viewer);
  return () => {
    clearTimeout(timer);
    for (const [event, set] of listeners) model.off(event, set);
    viewer.remove();
  };
}

/** Converts Python lists to attributes: a range's two numbers are joined by a colon, others by commas. */
const attributeText = (name: string, value: unknown): string =>
  Array.isArray(value) ? value.join(name === "range" ? ":" : ",") : String(value);

export default { render };
