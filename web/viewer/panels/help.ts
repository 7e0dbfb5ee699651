/** Dialog that lists the keys and gestures of a picture. */

import { button, h, uniqueId } from "../base/dom.js";
import { text } from "../language/text.js";
import { labelsOf, playableAxes, tableOf } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import { axisName } from "./rulers.js";

/** A view whose keys are listed. */
export interface ShownView {
  readonly dataset: Dataset;
  readonly settings: ViewState;
}

/** Keys, and their effect. */
type Entry = readonly string[];

/** Keys of the axes that are not shown, by their names. */
function axisEntries(axes: readonly string[]): Entry[] {
  const own = axes.slice(0, 9).map((name, i): Entry => [text.help.axisKeys(i + 1), text.help.axis(name)]);
  return own.length === 0 ? [] : [...own, ...text.help.axes];
}

type Part = readonly [title: string, entries: readonly Entry[]];

/** Parts for planes. */
function planeParts(dataset: Dataset, settings: ViewState): Part[] {
  const titles = text.help.sections;
  const isPlot = dataset.embedding !== undefined;
  const hasLabels = !isPlot && labelsOf(dataset, settings) !== undefined;
  return [
    [titles.tools, text.help.tools(isPlot)],
    [titles.moving, text.help.moving],
    isPlot ? [titles.points, text.help.points] : [titles.reading, text.help.reading],
    [titles.labels, hasLabels ? text.help.labels : []],
  ];
}

/** Shows the dialog over an element, which keeps the focus afterwards. */
export function showHelp(over: HTMLElement, { dataset, settings }: ShownView): void {
  const axes = playableAxes(dataset, settings).map((axis) => axisName(dataset.axes, axis));
  const hasPlane = settings.view !== "volume";
  const hasVolume = !hasPlane || settings.planes.includes("volume");
  const titles = text.help.sections;
  const parts: Part[] = [
    [titles.slices, axisEntries(axes)],
    ...(hasPlane ? planeParts(dataset, settings) : []),
    [titles.rows, tableOf(dataset, settings) ? text.help.rows : []],
    [titles.volume, hasVolume ? text.help.volume : []],
    [titles.more, text.help.more],
  ];
  const sections = parts.map(
    ([title, entries]) =>
      entries.length > 0 &&
      h(
        "section",
        {},
        h("h3", {}, title),
        h(
          "dl",
          {},
          ...entries.map(([keys, effect]) => h("div", {}, h("dt", {}, keys!), h("dd", {}, effect!))),
        ),
      ),
  );
  const dialog = makeDialog("zw-help", text.tools.help, h("div", {}, ...sections));
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
  const close = button(text.dialogs.close, () => dialog.close());
  const header = h("header", {}, h("h2", { id }, title), close);
  const dialog = h("dialog", { class: className, "aria-labelledby": id }, header, ...content);
  return dialog;
}
