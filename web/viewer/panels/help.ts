/** Dialog that lists the keys and gestures of a picture. */
import { button, h, uniqueId } from "../base/dom.js";
import { labelsOf, playableAxes, tableOf } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";

/** A view whose keys are listed. */
export interface ShownView {
  readonly dataset: Dataset;
  readonly settings: ViewState;
}

type Entry = readonly [keys: string, effect: string];

/** @param of "point" of a scatter plot, or "element" */
const tools = (of: "point" | "element"): readonly Entry[] => [
  ["H", "Move the picture by dragging"],
  ["Z", "Zoom into a rectangle: drag, or click two corners"],
  [
    "P",
    of === "point"
      ? "Keep the cursor at a place"
      : "Pick an element: its value is followed through the slices",
  ],
  ["M", "Measure a distance: drag, or click two points"],
  ["Enter", "Use the tool at the cursor"],
  ["Esc", `Cancel, clear the measurement or the picked ${of === "point" ? "place" : "element"}`],
];

const moving: readonly Entry[] = [
  ["Ctrl + drag", "Move the picture, with any tool"],
  ["Wheel, pinch, double click", "Zoom"],
  ["+  −", "Zoom in and out"],
  ["0", "Fit the whole slice"],
  ["Shift + drag", "Zoom into a rectangle, with any tool"],
];

const reading: readonly Entry[] = [
  ["Arrow keys", "Move the cursor and read values; 10 elements with Shift"],
  ["Page Up, Page Down", "Move by 16 rows"],
  ["Home, End", "First and last column"],
  ["Click, Enter, drag the crosshair", "Choose the element of all panes"],
  ["Esc", "Hide the cursor"],
];

/** Over labels. */
const picking: readonly Entry[] = [["Click, Enter", "Select a label; again to deselect it"]];

/** In a scatter plot, instead of `reading`. */
const points: readonly Entry[] = [
  ["Arrow keys, Page Up, Page Down", "Move to the next point in their direction"],
  ["Home, End", "Move the cursor to the left or right edge"],
  ["Click, Enter", "Select a point; again to deselect it"],
  ["Esc", "Hide the cursor"],
];

/** In the table of the points or labels. */
const rows: readonly Entry[] = [
  ["Arrow keys, Page Up, Page Down", "Move along the rows"],
  ["Ctrl + Home, Ctrl + End", "First and last row"],
  ["Digits", "Go to a row by its number"],
  ["Click, Enter, Space", "Select a row; again to deselect it"],
];

const turning: readonly Entry[] = [
  ["Arrow keys, drag", "Turn"],
  ["Shift + drag, Shift + arrow keys, two fingers", "Move"],
  ["Wheel, pinch, +  −", "Zoom"],
  ["A face of the cube, X, Y, Z", "Look along an axis; with Shift from its other end"],
  ["V", "Parallel or perspective projection"],
  ["0, double click", "Default camera"],
  ["C", "Cut parallel to the screen, or remove the cut"],
  ["[  ]", "Move the cut"],
  ["Pointer", "Read the value"],
  ["Click, Enter", "Use the tool on the element under the pointer, or in the middle"],
  ["H", "Tool: choose the element and its label"],
  ["P", "Tool: keep the cursor at the element"],
  ["M", "Tool: measure between two elements"],
  ["Esc", "Clear the measurement, let the cursor go, or hide the value"],
];

const others: readonly Entry[] = [
  ["Ctrl + K, ⌘ K", "Find a control or an action"],
  ["F", "Full screen"],
  ["S", "Save as PNG"],
  ["?", "These keys"],
];

/** Keys of the axes that are not shown, by their names. */
function axisEntries(axes: readonly string[]): Entry[] {
  const own = axes
    .slice(0, 9)
    .map((name, i): Entry => [`${i + 1}, Shift + ${i + 1}`, `Next and previous ${name}`]);
  if (own.length === 0) return [];
  return [
    ...own,
    [".  ,", "Next and previous slice along the last axis used"],
    ["Space", "Play the slices, or stop"],
  ];
}

type Part = readonly [title: string, entries: readonly Entry[]];

/** Parts for planes. */
function planeParts(dataset: Dataset, settings: ViewState): Part[] {
  const isPlot = dataset.embedding !== undefined;
  const hasLabels = !isPlot && labelsOf(dataset, settings) !== undefined;
  return [
    ["Tools", tools(isPlot ? "point" : "element")],
    ["Moving", moving],
    isPlot ? ["Points", points] : ["Reading values", reading],
    ["Labels", hasLabels ? picking : []],
  ];
}

/** Shows the dialog over an element, which keeps the focus afterwards. */
export function showHelp(over: HTMLElement, { dataset, settings }: ShownView): void {
  const axes = playableAxes(dataset, settings).map((axis) => dataset.axes[axis]!.name ?? `axis ${axis}`);
  const hasPlane = settings.view !== "volume";
  const hasVolume = !hasPlane || settings.planes.includes("volume");
  const parts: Part[] = [
    ["Slices", axisEntries(axes)],
    ...(hasPlane ? planeParts(dataset, settings) : []),
    ["Rows of the table", tableOf(dataset, settings) ? rows : []],
    ["Volume", hasVolume ? turning : []],
    ["More", others],
  ];
  const sections = parts.map(
    ([title, entries]) =>
      entries.length > 0 &&
      h(
        "section",
        {},
        h("h3", {}, title),
        h("dl", {}, ...entries.map(([keys, effect]) => h("div", {}, h("dt", {}, keys), h("dd", {}, effect)))),
      ),
  );
  const dialog = makeDialog("zw-help", "Keys and gestures", h("div", {}, ...sections));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close(); // beside the dialog
  });
  over.append(dialog);
  dialog.showModal();
}

/** A dialog with a title, and a button that closes it. */
export function makeDialog(className: string, title: string, ...content: HTMLElement[]): HTMLDialogElement {
  const id = uniqueId("dialog");
  const close = button("Close", () => dialog.close());
  const header = h("header", {}, h("h2", { id }, title), close);
  const dialog = h("dialog", { class: className, "aria-labelledby": id }, header, ...content);
  return dialog;
}
