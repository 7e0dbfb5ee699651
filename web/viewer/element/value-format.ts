/** Formats numbers of a dataset, as dates if they are dates. */
import { formatBriefly, formatTime } from "../base/format.js";
import { drawnLeaf, type ViewState } from "../model/state.js";
import { dateText } from "../panels/coordinates.js";
import type { Dataset } from "../source/dataset.js";
import { isTime } from "../source/leaf.js";

/** @param resolution a distance of values that must look different; 0 for four digits */
export function valueFormat(
  dataset: Dataset,
  settings: ViewState,
  resolution = 0,
): (value: number) => string {
  if (dataset.decodedKind === "milliseconds" && !settings.isRaw) return dateText;
  const dtype = drawnLeaf(dataset, settings.field)?.dtype;
  if (dtype?.core !== "datetime64" || !isTime(dtype)) return (value) => formatBriefly(value, resolution);
  return (value) => (Number.isFinite(value) ? formatTime(dtype, BigInt(Math.round(value))) : "–");
}
