/** How labels are drawn: outlines, which labels are hidden or stand out, and the tables that colour them. */

import type { ZarrArray } from "zarr-wasm";
import type { LabelColors } from "../base/label-colors.js";
import { keptFor } from "../base/memo.js";
import type { Dataset } from "../source/dataset.js";
import type { Observations } from "../source/observations.js";
import { isRegionId, type RowId } from "../source/row-id.js";
import { type Entry, switchEntry } from "./entry.js";
import type { TableState } from "./table-state.js";
import type { ValueState } from "./value-state.js";

export interface LabelLook {
  /** Whether only the outermost elements of each label are drawn. */
  readonly isOutline: boolean;
  readonly hidden: readonly RowId[];
  /** Labels that stand out: if there are any, all others are faint. */
  readonly selected: readonly RowId[];
}

/** Maximum number of labels in a list. */
export const maxListed = 64;

export const isLabelList = (value: unknown): value is readonly RowId[] =>
  Array.isArray(value) &&
  value.length <= maxListed &&
  value.every((one) => Number.isSafeInteger(one) || isRegionId(one));

/** "3,5", "nuclei:3", or "none". */
export const readLabelList = (text: string): unknown =>
  text === "none"
    ? []
    : text.split(",").map((part) => {
        const id = part.trim();
        return isRegionId(id) ? id : id === "" ? Number.NaN : Number(id);
      });

const listEntry = (key: "hidden" | "selected", name: string): Entry<LabelLook> => ({
  name,
  read: (text) => ({ [key]: readLabelList(text) }),
  write: (look) => look[key].join() || "none",
});

/** The strings of the look of labels. */
export const lookEntries: readonly Entry<LabelLook>[] = [
  switchEntry("isOutline", "outlines"),
  listEntry("hidden", "hide"),
  listEntry("selected", "pick"),
];

/** The parts of a state that choose the colours of labels. */
export type ColumnState = Pick<TableState, "by" | "byColormap" | "byRange"> & Pick<ValueState, "outside">;

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
