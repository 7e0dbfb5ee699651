/** Loads the table of labels: the one of SpatialData, or the properties of OME-Zarr. */
import { keptFor } from "../base/memo.js";
import { makeLabelTable } from "../model/label-column.js";
import { keepLabelTable, labelTableOf } from "../model/label-tables.js";
import type { Dataset } from "../source/dataset.js";
import { labelTable } from "../source/label-table.js";

/** Whether the tables of a store have been searched: labels without one would be searched at every change. */
const search = keptFor((_array: Dataset["array"]) => ({ isDone: false }));

/**
 * Does nothing if there is no table.
 * @param by a column that is read, too; "" for none
 * @throws what reading throws.
 */
export async function loadLabelTable(labels: Dataset, by: string, signal: AbortSignal): Promise<void> {
  const searched = search(labels.array);
  if (!searched.isDone) {
    const found = (await labelTable(labels.array, signal)) ?? labels.labelInfo?.table;
    searched.isDone = true;
    if (found && !labelTableOf(labels)) keepLabelTable(labels, makeLabelTable(found));
  }
  const observations = labelTableOf(labels)?.observations;
  if (!observations) return;
  await Promise.all([observations.readDescribed(), by === "" ? undefined : observations.read(by)]);
}
