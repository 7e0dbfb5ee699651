/** Selects labels by clicking on them. */
import { scalarAt } from "../base/format.js";
import { maxListed } from "../model/label-look.js";
import { labelTableOf } from "../model/label-tables.js";
import type { ViewState } from "../model/state.js";
import type { RowId } from "../source/row-id.js";
import type { Reading } from "./cell-reading.js";

/**
 * The change of a state after a click: the label under the pointer is selected, or no longer selected; on the
 * background none is. Undefined if there are no labels.
 */
export function pickedLabel(
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
export function pickedId(
  { labels }: Pick<ViewState, "labels">,
  id: RowId | undefined,
): Pick<ViewState, "labels"> | undefined {
  const { selected } = labels;
  if (id === undefined) return selected.length > 0 ? { labels: { ...labels, selected: [] } } : undefined;
  const others = selected.filter((one) => one !== id);
  const next = others.length < selected.length ? others : [...others, id].slice(-maxListed);
  return { labels: { ...labels, selected: next } };
}
