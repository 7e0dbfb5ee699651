/** Loads the table of labels: the one of SpatialData, or the properties of OME-Zarr. */
import { makeLabelTable } from "../model/label-column.js";
import { keepLabelTable, labelTableOf } from "../model/label-tables.js";
import type { Dataset } from "../source/dataset.js";
import { labelTable } from "../source/label-table.js";

/**
 * Does nothing if there is no table.
 * @param by a column that is read, too; "" for none
 * @throws what reading throws.
 */
export async function loadLabelTable(labels: Dataset, by: string, signal: AbortSignal): Promise<void> {
  if (!labelTableOf(labels)) {
    const found = (await labelTable(labels.array, signal)) ?? labels.labelInfo?.table;
    if (found && !labelTableOf(labels)) keepLabelTable(labels, makeLabelTable(found));
  }
  const observations = labelTableOf(labels)?.observations;
  if (!observations) return;
  await Promise.all([observations.readDescribed(), by === "" ? undefined : observations.read(by)]);
}
