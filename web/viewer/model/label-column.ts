/** Colours of labels by a column of their table. */
import { LabelColors, type Rgba } from "../base/label-colors.js";
import { keptFor } from "../base/memo.js";
import type { Observations } from "../source/observations.js";
import { absentColor, type ColumnColors, columnChoice, columnColors } from "./column-colors.js";
import type { LabelTable } from "./label-look.js";

export const makeLabelTable = (observations: Observations): LabelTable => ({
  observations,
  colors(state) {
    const column = state.by === "" ? undefined : observations.column(state.by);
    return column && colorsById(columnColors(column, columnChoice(state)))(observations);
  },
});

const rgba = (color: number): Rgba => [color >> 16, (color >> 8) & 255, color & 255, 255];

const colorsById = keptFor(({ colors }: ColumnColors) =>
  keptFor(({ rows, ids }: Observations) => {
    const byId = new Map<number, Rgba>();
    for (let row = 0; row < rows; row++) byId.set(ids?.[row] ?? row, rgba(colors[row]!));
    return new LabelColors(byId, rgba(absentColor));
  }),
);
