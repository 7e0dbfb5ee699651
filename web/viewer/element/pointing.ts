/** The element or the point under the pointer: describes it, and chooses it. */
import type { WantedState } from "../model/state.js";
import type { Embedding } from "../source/dataset.js";
import type { Cell } from "./cell-reading.js";
import { pickedId, pickedLabel } from "./label-pick.js";
import type { LazyCrossSections } from "./lazy-cross-sections.js";
import type { MainPlane } from "./main-plane.js";
import type { PointerReport } from "./options.js";
import { cellIndex } from "./plane-geometry.js";
import type { PointerReporter } from "./pointer-reporter.js";
import type { ViewerModel } from "./viewer-model.js";

type By = PointerReport["by"];

export interface PointingCallbacks {
  /** Whether the element stays the same: while the picture is dragged. */
  isHeld(by: By): boolean;
  /** Whether another slice is about to be shown. */
  isWaiting(): boolean;
  onChange(change: WantedState, control: string): void;
}

export class Pointing {
  constructor(
    private readonly model: ViewerModel,
    private readonly plane: MainPlane,
    private readonly crossSections: LazyCrossSections,
    readonly reporter: PointerReporter,
    private readonly callbacks: PointingCallbacks,
  ) {}

  point(cell: Cell | undefined, by: By): void {
    const { dataset, settings } = this.model.view!;
    if (cell && this.callbacks.isHeld(by)) return;
    const view = this.plane.view!;
    const readings = cell && !this.callbacks.isWaiting() ? view.read(cell) : [];
    const shape = view.describe(cell);
    const pointed = cell && {
      index: cellIndex(settings, cell),
      axes: dataset.axes,
      readings,
      shape: shape?.text,
      plotted: dataset.embedding && plottedPlace(dataset.embedding, settings.axes, shape?.row),
    };
    this.reporter.show(pointed, by);
    this.crossSections.point(cell);
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
    if (this.crossSections.isPicking) this.callbacks.onChange({ index: cellIndex(settings, cell) }, "pick");
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
    if (picked) this.callbacks.onChange(picked, "labels-pick");
  }
}

/** The shown axes of a scatter plot, with the coordinates of the point under the pointer. */
const plottedPlace = ({ columns }: Embedding, axes: readonly number[], row: number | undefined) =>
  [...axes]
    .sort((a, b) => a - b)
    .map((axis) => ({ axis, value: row === undefined ? undefined : columns[axis]![row]! }));
