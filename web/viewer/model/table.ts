/** The table of a view: its rows are the points of an embedding, or annotate labels. */
import type { Dataset } from "../source/dataset.js";
import type { Observations } from "../source/observations.js";
import { labelTableOf } from "./label-tables.js";
import { shownLabels } from "./layers.js";
import type { ViewState } from "./state.js";

/** The labels of a view: the picture itself, or those over it. */
export const labelsOf = (dataset: Dataset, state: ViewState): Dataset | undefined =>
  state.colormap === "labels" ? dataset : shownLabels(dataset, state)?.dataset;

/** Undefined for pictures without a table. */
export function tableOf(dataset: Dataset, state: ViewState): Observations | undefined {
  if (dataset.embedding) return dataset.embedding.observations;
  const labels = labelsOf(dataset, state);
  return labels && labelTableOf(labels)?.observations;
}
