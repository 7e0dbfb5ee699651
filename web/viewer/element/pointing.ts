/** The element or the point under the pointer: describes it, and chooses it. */

import { scalarAt } from "../base/format.js";
import type { LazyPart } from "../base/lazy-part.js";
import { maxListed } from "../model/label-look.js";
import { labelTableOf } from "../model/label-tables.js";
import type { ViewState } from "../model/state.js";
import type { Embedding } from "../source/dataset.js";
import type { RowId } from "../source/row-id.js";
import type { Cell, Reading } from "./cell-reading.js";
import type { CrossSections } from "./cross-sections.js";
import type { MainPlane } from "./main-plane.js";
import type { PointerReport } from "./options.js";
import { cellIndex } from "./plane-geometry.js";
import type { PointerReporter } from "./pointer-reporter.js";
import type { SliceGate } from "./slice-gate.js";
import type { ViewerModel } from "./viewer-model.js";

type By = PointerReport["by"];

export class Pointing {
  constructor(
    private readonly model: ViewerModel,
    private readonly plane: MainPlane,
    private readonly crossSections: LazyPart<CrossSections>,
    readonly reporter: PointerReporter,
    private readonly gate: SliceGate,
  ) {}

  point(cell: Cell | undefined, by: By): void {
    const { dataset, settings } = this.model.view!;
    // While the picture is dragged, the element stays the same.
    if (cell && by === "pointer" && this.model.isMoving.peek()) return;
    const view = this.plane.view!;
    const readings = cell && !this.gate.isWaiting ? view.read(cell) : [];
    const shape = view.describe(cell);
    const pointed = cell && {
      index: cellIndex(settings, cell),
      axes: dataset.axes,
      readings,
      shape: shape?.text,
      plotted: dataset.embedding && plottedPlace(dataset.embedding, settings.axes, shape?.row),
    };
    this.reporter.show(pointed, by);
    this.crossSections.value?.point(cell);
  }

  /** The value under the pointer may have been read. @param isGone whether no element may be under it any more */
  again(isGone = false): void {
    const cell = this.plane.view?.cell;
    if (cell || isGone) this.point(cell, this.reporter.by);
  }

  /** @param isPinned whether the cursor stays there */
  pick(cell: Cell, isPinned: boolean): void {
    const { settings } = this.model.view!;
    if (isPinned) this.point(cell, "pick");
    if (this.crossSections.value?.isPicking) this.model.inputs.onPick(cellIndex(settings, cell));
    else if (!isPinned) this.#pickLabel(cell);
  }

  #pickLabel(cell: Cell): void {
    const { dataset, settings } = this.model.view!;
    const view = this.plane.view!;
    const id = view.observationAt(cell);
    // Beside points and shapes, a label is selected, or else nothing.
    const isFeature = dataset.embedding !== undefined || id !== undefined;
    const label = isFeature ? undefined : pickedLabel(settings, view.read(cell));
    const picked = label ?? pickedId(settings, id);
    if (picked) this.model.actions.change(picked, "labels-pick");
  }
}

/** The shown axes of a scatter plot, with the coordinates of the point under the pointer. */
const plottedPlace = ({ columns }: Embedding, axes: readonly number[], row: number | undefined) =>
  [...axes]
    .sort((a, b) => a - b)
    .map((axis) => ({ axis, value: row === undefined ? undefined : columns[axis]![row]! }));

/**
 * The change of a state after a click: the label under the pointer is selected, or no longer selected; on the
 * background none is. Undefined if there are no labels.
 */
function pickedLabel(
  { labels }: ViewState,
  readings: readonly Reading[],
): Pick<ViewState, "labels"> | undefined {
  const reading = readings.findLast(
    ({ layer }) => layer.style.kind === "labels" && layer.title === undefined,
  );
  if (!reading) return undefined;
  const { layer, tile, row, column } = reading;
  const label = Number(scalarAt(tile.block.region, tile.offsetOf(row, column)));
  if (label === 0 || !Number.isSafeInteger(label)) return pickedId({ labels }, undefined);
  return pickedId({ labels }, labelTableOf(layer.dataset)?.observations.idOfLabel(label) ?? label);
}

/** The change of a state after a click on a label or a point; undefined beside all of them. */
function pickedId(
  { labels }: Pick<ViewState, "labels">,
  id: RowId | undefined,
): Pick<ViewState, "labels"> | undefined {
  const { selected } = labels;
  if (id === undefined) return selected.length > 0 ? { labels: { ...labels, selected: [] } } : undefined;
  const others = selected.filter((one) => one !== id);
  const next = others.length < selected.length ? others : [...others, id].slice(-maxListed);
  return { labels: { ...labels, selected: next } };
}
