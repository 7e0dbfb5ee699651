/**
 * The viewer in notebooks: a module as anywidget (Jupyter, Colab, VS Code, marimo) asks for. Traits of the widget are
 * the element's attributes; `view` and `pointed` tell Python what is shown and pointed at.
 */
import { defineZarrViewer, useWorkersFrom } from "./element/zarr-viewer.js";

/** What is used here of a widget's model. */
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

/** Beside the bundle. Not in one expression with its address: bundlers would take it for a file of theirs. */
const workerName = "worker.js";

/** Milliseconds between two messages to Python while something is dragged. */
const rest = 150;

/** Shows a widget in an element. @returns what takes it away. */
function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  defineZarrViewer();
  useWorkersFrom(new URL(workerName, import.meta.url));
  const viewer = document.createElement("zarr-viewer");
  const height = model.get("height");
  if (typeof height === "string" && height !== "") viewer.style.setProperty("--zw-height", height);
  const listeners = attributes.map((name) => {
    const set = () => {
      const value = model.get(name);
      if (value === null || value === undefined || value === "") viewer.removeAttribute(name);
      else viewer.setAttribute(name, textOf(name, value));
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

/** Lists of Python as attributes: a range's two numbers have a colon between them, others commas. */
const textOf = (name: string, value: unknown): string =>
  Array.isArray(value) ? value.join(name === "range" ? ":" : ",") : String(value);

export default { render };
