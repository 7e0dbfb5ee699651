/** Colours of features by a column of their table, a colour per category or a colour map for numbers; their legends. */
import { colorTable, pixelBytes } from "../base/color-tables.js";
import type { ColormapName } from "../base/colormaps.js";
import { keptFor } from "../base/memo.js";
import { outsideColors } from "../base/outside-colors.js";
import { shortName } from "../base/text.js";
import type { Dataset } from "../source/dataset.js";
import type { FeatureColumn } from "../source/features.js";
import { geneTitle } from "../source/gene-name.js";
import { isPlaneOf } from "../source/layer-place.js";
import type { Observations } from "../source/observations.js";
import { type LayerState, layerColor, layerName, placeKey } from "./added-layers.js";
import { type ColumnState, labelTableOf } from "./label-look.js";
import { openedLayers } from "./layer.js";
import { tableOf } from "./layers.js";
import type { Outside, ValueRange, ViewState } from "./state.js";

export interface ColumnChoice {
  /** Null for the default. */
  readonly colormap: ColormapName | null;
  readonly range: ValueRange;
  readonly outside: Outside;
}

/** How a state colours rows by a column. */
export const columnChoice = ({ byColormap, byRange, outside }: ColumnState): ColumnChoice => ({
  colormap: byColormap,
  range: byRange,
  outside,
});

interface CategoryEntry {
  readonly name: string;
  /** 0xrrggbb. */
  readonly color: number;
  /** Number of features. */
  readonly count: number;
}

/** What the colours of a column mean. */
export type ColumnLegend =
  | {
      readonly kind: "numbers";
      readonly colormap: ColormapName;
      readonly low: number;
      readonly high: number;
      readonly isBelow: boolean;
      readonly isAbove: boolean;
      /** Whether values outside have other colours than the ends. */
      readonly isMarked: boolean;
      readonly absent: number;
    }
  | { readonly kind: "categories"; readonly entries: readonly CategoryEntry[]; readonly absent: number };

/** The colour of all features of a layer, "rrggbb". */
export interface ColorLegend {
  readonly kind: "color";
  readonly color: string;
}

export interface ColumnColors {
  /** 0xrrggbb by feature. */
  readonly colors: Uint32Array;
  readonly legend: ColumnLegend;
  /** The legend of the second quantity. */
  readonly second?: ColumnLegend | undefined;
}

/** Colour of features without a value. */
export const absentColor = 0x808080;

/** The latest colours of a column. */
const made = keptFor((_column: FeatureColumn) => new Map<string, ColumnColors>());

export function columnColors(column: FeatureColumn, choice: ColumnChoice): ColumnColors {
  const { colormap, range, outside } = choice;
  const name = colormap === null || colormap === "labels" ? "viridis" : colormap;
  const key =
    column.kind === "categories" ? "" : JSON.stringify([name, colorTable(name)[128], range, outside]);
  const kept = made(column);
  let result = kept.get(key);
  if (!result) {
    result =
      column.kind === "categories"
        ? categoryColors(column)
        : column.second
          ? pairColors(column.values, column.second, choice)
          : numberColors(column.values, name, choice);
    kept.clear();
    kept.set(key, result);
  }
  return result;
}

const rgb = ([red, green, blue]: readonly [number, number, number]): number =>
  (red << 16) | (green << 8) | blue;

/** Categories have the colours that the source gives, or else those of labels. */
function categoryColors({
  codes,
  names,
  colors,
}: Extract<FeatureColumn, { kind: "categories" }>): ColumnColors {
  const table = colorTable("labels");
  const own = new Uint32Array(names.length);
  for (let i = 0; i < own.length; i++)
    own[i] = colors?.[i] ?? rgb(pixelBytes(table[1 + (i % (table.length - 1))]!));
  const counts = new Uint32Array(names.length);
  const all = new Uint32Array(codes.length);
  let absent = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code < 0) absent++;
    else counts[code]!++;
    all[i] = own[code] ?? absentColor;
  }
  const entries = names.map((name, i) => ({ name, color: own[i]!, count: counts[i]! }));
  return { colors: all, legend: { kind: "categories", entries, absent } };
}

function numberColors(
  values: Float64Array,
  colormap: ColormapName,
  { range, outside }: ColumnChoice,
): ColumnColors {
  const pixels = colorTable(colormap);
  const table = Array.from(pixels, (pixel) => rgb(pixelBytes(pixel)));
  const [low, high] = range.mode === "manual" ? [range.low, range.high] : limitsOf(values, range.mode);
  const marks = outside === "mark" ? outsideColors(pixels) : undefined;
  const [below, above] = marks ? [rgb(marks.below), rgb(marks.above)] : [table[0]!, table[255]!];
  const all = new Uint32Array(values.length);
  let [isBelow, isAbove, absent] = [false, false, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) {
      absent++;
      all[i] = absentColor;
    } else if (value < low) {
      isBelow = true;
      all[i] = below;
    } else if (value > high) {
      isAbove = true;
      all[i] = above;
    }
    // Halved, because the difference of two finite numbers may overflow.
    else
      all[i] = table[Math.min(255, Math.floor(((value / 2 - low / 2) / (high / 2 - low / 2 || 1)) * 256))]!;
  }
  const isMarked = marks !== undefined;
  return {
    colors: all,
    legend: { kind: "numbers", colormap, low, high, isBelow, isAbove, isMarked, absent },
  };
}

/** Colour maps of two quantities, combined by the greater value of each channel: high values of both are white. */
const pairMaps = ["#383838,#ff00ff", "#383838,#00ff00"] as const;
/** The background of such colours if no picture lies below. */
export const pairBackground = "#101418";

const lighter = (a: number, b: number): number =>
  Math.max(a & 0xff0000, b & 0xff0000) | Math.max(a & 0xff00, b & 0xff00) | Math.max(a & 255, b & 255);

function pairColors(values: Float64Array, second: Float64Array, choice: ColumnChoice): ColumnColors {
  const unmarked = { ...choice, outside: "clamp" } as const;
  const [own, other] = [values, second].map((list, i) => numberColors(list, pairMaps[i]!, unmarked));
  const colors = own!.colors.map((color, i) =>
    Number.isNaN(values[i]! + second[i]!) ? absentColor : lighter(color, other!.colors[i]!),
  );
  return { colors, legend: own!.legend, second: other!.legend };
}

function limitsOf(values: Float64Array, mode: "auto" | "minmax" | "percentile"): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values)
    if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) return [0, 1];
  if (mode !== "percentile") return [low, high];
  const sorted = values.filter(Number.isFinite).sort();
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  return at(0.01) < at(0.99) ? [at(0.01), at(0.99)] : [low, high];
}

/** The colours of the rows of a view's table; undefined without a column that has been read. */
export function tableColors(dataset: Dataset, state: ViewState): ColumnColors | undefined {
  const column = state.by === "" ? undefined : tableOf(dataset, state)?.column(state.by);
  return column && columnColors(column, columnChoice(state));
}

/** The contents of an opened layer, as far as its style depends on them. */
export interface LayerContents {
  readonly kind: "image" | "labels" | "features";
  /** Columns that can give colours. */
  readonly columns: readonly string[];
  /** The column that gives the colours; undefined before it has been read. */
  readonly column: FeatureColumn | undefined;
  /** The rows of the table, whose genes can give colours. */
  readonly table: Observations | undefined;
}

/** Undefined before the layer has been opened. */
export function layerContents(image: Dataset, layer: LayerState): LayerContents | undefined {
  const content = openedLayers(image).get(placeKey(layer));
  if (!content) return undefined;
  if (content.kind === "features") {
    const { features, link } = content;
    const column = features.column(layer.by);
    return { kind: "features", columns: features.columns, column, table: link?.observations };
  }
  const { dataset } = content;
  const table = dataset.isLabels ? labelTableOf(dataset)?.observations : undefined;
  const kind = dataset.isLabels ? "labels" : "image";
  return { kind, columns: table?.names ?? [], column: table?.column(layer.by), table };
}

/** How a layer colours its features by a column. */
export const layerChoice = ({ colormap, range }: LayerState): ColumnChoice => ({
  colormap,
  range,
  outside: "clamp",
});

/** The legend of a column, or of a layer. */
export interface NamedLegend {
  /** The column, after the name of an added layer. */
  readonly name: string;
  readonly legend: ColumnLegend | ColorLegend;
}

/** The legends of the columns that colour a picture, and of added points and shapes of one colour. */
export function columnLegends(image: Dataset, state: ViewState): NamedLegend[] {
  const own = tableColors(image, state);
  const added = state.layers.flatMap((layer): NamedLegend[] => {
    const contents = isDrawn(image, state, layer) ? layerContents(image, layer) : undefined;
    const name = shortName(layerName(layer));
    if (contents?.column) {
      const colors = columnColors(contents.column, layerChoice(layer));
      return namedLegends(layer.by, colors).map((one) => ({ ...one, name: `${name}: ${one.name}` }));
    }
    if (contents?.kind !== "features") return [];
    return [{ name, legend: { kind: "color", color: layerColor(layer) } }];
  });
  return [...(own ? namedLegends(state.by, own) : []), ...added];
}

/** One legend for a column, two for two genes. */
function namedLegends(by: string, { legend, second }: ColumnColors): NamedLegend[] {
  if (!second) return [{ name: geneTitle(by), legend }];
  return [legend, second].map((one, i) => ({ name: geneTitle(by, i), legend: one }));
}

/** Whether a layer is visible and lies in the shown plane. */
function isDrawn(image: Dataset, state: ViewState, layer: LayerState): boolean {
  const content = layer.isOn && state.view !== "volume" && openedLayers(image).get(placeKey(layer));
  if (!content) return false;
  return content.kind === "features"
    ? isPlaneOf(image, state.axes)
    : content.plan(layer, state, "").length > 0;
}
