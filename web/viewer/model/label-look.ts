/** How labels are drawn: outlines, and which labels are hidden or stand out. */

export interface LabelLook {
  /** Whether only the outermost elements of each label are drawn. */
  readonly isOutline: boolean;
  readonly hidden: readonly number[];
  /** Labels that stand out: if there are any, all others are faint. */
  readonly selected: readonly number[];
}

/** Maximum number of labels in a list. */
export const maxListed = 64;

export const isLabelList = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length <= maxListed && value.every(Number.isSafeInteger);

/** "3,5", or "none". */
export const readLabelList = (text: string): unknown =>
  text === "none" ? [] : text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));

export const labelListText = (labels: readonly number[]): string => labels.join() || "none";
