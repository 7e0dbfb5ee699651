/** The tables that have been found for labels, by their arrays. */
import type { ZarrArray } from "zarr-wasm";
import type { LabelColors } from "../base/label-colors.js";
import { keptFor } from "../base/memo.js";
import type { Dataset } from "../source/dataset.js";
import type { Observations } from "../source/observations.js";
import type { ViewState } from "./state.js";

/** The parts of a state that choose the colours of labels. */
export type ColumnState = Pick<ViewState, "by" | "byColormap" | "byRange" | "outside">;

export interface LabelTable {
  readonly observations: Observations;
  /** Undefined without a column that has been read. */
  colors(state: ColumnState): LabelColors | undefined;
}

const found = keptFor((_array: ZarrArray): { table: LabelTable | undefined } => ({ table: undefined }));

/** The table whose rows annotate labels; also undefined before it has been found. */
export const labelTableOf = ({ array }: Dataset): LabelTable | undefined => found(array).table;

export function keepLabelTable({ array }: Dataset, table: LabelTable): void {
  found(array).table = table;
}
