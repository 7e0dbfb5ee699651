/** The settings of tables, whose rows are points or labels, and of tools. */
import { type ColormapName, isColormap } from "../base/colormaps.js";
import { isRange, type ValueRange } from "./channels.js";
import { type Entry, isBetween, numberEntry, rangeEntry, textEntry, type Wanted } from "./entry.js";
import { regionKinds } from "./regions.js";

export interface TableState {
  /** The column that colours the points of an embedding, or labels; "" for none. */
  readonly by: string;
  /** The colour map of numbers in this column; null for the default. */
  readonly byColormap: ColormapName | null;
  readonly byRange: ValueRange;
  /** Diameter of the points of an embedding, in CSS pixels; 0 for the default. */
  readonly pointSize: number;
}

/** Maximum diameter of the points of an embedding, in CSS pixels. */
export const maxPointSize = 100;

export const resolveTable = (wanted: Wanted<TableState>): TableState => ({
  by: typeof wanted.by === "string" ? wanted.by : "",
  byColormap: isColormap(wanted.byColormap) ? wanted.byColormap : null,
  byRange: isRange(wanted.byRange) ? wanted.byRange : { mode: "auto" },
  pointSize: isBetween(wanted.pointSize, 0, maxPointSize) ? wanted.pointSize : 0,
});

export const tableEntries: readonly Entry<TableState>[] = [
  {
    name: "by",
    // Data may suggest a column.
    read: (text) => ({ by: text === "none" ? "" : text }),
    write: ({ by }) => by || "none",
  },
  textEntry("byColormap", "by-map"),
  rangeEntry("byRange", "by-range"),
  numberEntry("pointSize", "size"),
];

/** What the pressed pointer does: moves the picture, zooms into a rectangle, picks an element, measures, draws a region. */
export const toolNames = ["pan", "zoom", "pick", "measure", ...regionKinds] as const;
export type ToolName = (typeof toolNames)[number];

/** The choices of slices per second. */
export const frameRates = [1, 2, 5, 10, 20, 30] as const;

export interface ToolState {
  readonly tool: ToolName;
  /** Slices per second during playback. */
  readonly frameRate: number;
}

export const resolveTools = (wanted: Wanted<ToolState>): ToolState => ({
  tool: toolNames.find((name) => name === wanted.tool) ?? "pan",
  frameRate: frameRates.find((rate) => rate === wanted.frameRate) ?? 5,
});

export const toolEntries: readonly Entry<ToolState>[] = [numberEntry("frameRate", "fps"), textEntry("tool")];
