/** The columns of added layers, and the legends of all columns that give colours. */
import { shortName } from "../base/text.js";
import type { Dataset } from "../source/dataset.js";
import type { FeatureColumn } from "../source/features.js";
import { isPlaneOf } from "../source/layer-place.js";
import { type LayerState, layerColor, layerName, placeKey } from "./added-layers.js";
import {
  type ColorLegend,
  type ColumnChoice,
  type ColumnLegend,
  columnColors,
  tableColors,
} from "./column-colors.js";
import { labelTableOf } from "./label-tables.js";
import { openedLayers } from "./opened-layers.js";
import type { ViewState } from "./state.js";

/** The contents of an opened layer, as far as its style depends on them. */
export interface LayerContents {
  readonly kind: "image" | "labels" | "features";
  /** Columns that can give colours. */
  readonly columns: readonly string[];
  /** The column that gives the colours; undefined before it has been read. */
  readonly column: FeatureColumn | undefined;
}

/** Undefined before the layer has been opened. */
export function layerContents(image: Dataset, layer: LayerState): LayerContents | undefined {
  const content = openedLayers(image).get(placeKey(layer));
  if (!content) return undefined;
  if (content.kind === "features") {
    const { features } = content;
    return { kind: "features", columns: features.columns, column: features.column(layer.by) };
  }
  const { dataset } = content;
  const table = dataset.isLabels ? labelTableOf(dataset)?.observations : undefined;
  const kind = dataset.isLabels ? "labels" : "image";
  return { kind, columns: table?.names ?? [], column: table?.column(layer.by) };
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
  const own = tableColors(image, state)?.legend;
  const added = state.layers.flatMap((layer): NamedLegend[] => {
    const contents = isDrawn(image, state, layer) ? layerContents(image, layer) : undefined;
    const name = shortName(layerName(layer));
    if (contents?.column) {
      const { legend } = columnColors(contents.column, layerChoice(layer));
      return [{ name: `${name}: ${layer.by}`, legend }];
    }
    if (contents?.kind !== "features") return [];
    return [{ name, legend: { kind: "color", color: layerColor(layer) } }];
  });
  return [...(own ? [{ name: state.by, legend: own }] : []), ...added];
}

/** Whether a layer is visible and lies in the shown plane. */
function isDrawn(image: Dataset, state: ViewState, layer: LayerState): boolean {
  const content = layer.isOn && state.view !== "volume" && openedLayers(image).get(placeKey(layer));
  if (!content) return false;
  return content.kind === "features"
    ? isPlaneOf(image, state.axes)
    : content.plan(layer, state, "").length > 0;
}
