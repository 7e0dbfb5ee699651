/** How labels are drawn: outlines, and which labels are hidden or stand out. */
import { isRegionId, type RowId } from "../source/row-id.js";

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

export const labelListText = (labels: readonly RowId[]): string => labels.join() || "none";
