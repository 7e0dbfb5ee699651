/** The colours of the rows of a view's table. */
import type { Dataset } from "../source/dataset.js";
import { type ColumnColors, columnChoice, columnColors } from "./column-colors.js";
import type { ViewState } from "./state.js";
import { tableOf } from "./table.js";

/** Undefined without a column that has been read. */
export function tableColors(dataset: Dataset, state: ViewState): ColumnColors | undefined {
  const column = state.by === "" ? undefined : tableOf(dataset, state)?.column(state.by);
  return column && columnColors(column, columnChoice(state));
}
