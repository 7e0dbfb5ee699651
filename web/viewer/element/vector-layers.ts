/** The points and shapes of a view, with their places and colours: of added layers, and of an embedding. */
import { shortName } from "../base/text.js";
import type { Color, VectorScene } from "../draw/vectors.js";
import { type LayerState, layerName, placeKey } from "../model/added-layers.js";
import { columnColors } from "../model/column-colors.js";
import { layerColor } from "../model/layer-color.js";
import { openedLayers } from "../model/opened-layers.js";
import { tableColors } from "../model/table-colors.js";
import type { Dataset, DatasetAxis, Embedding } from "../source/dataset.js";
import { embeddingFeatures } from "../source/embedding.js";
import type { Features, Matrix } from "../source/features.js";
import { planeAxes } from "../source/layer-place.js";
import type { Observations } from "../source/observations.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { PlaneContent } from "./plane-geometry.js";

const defaultSize = 6;
const defaultLine = 1.5;

/** Points and shapes with one style. */
export interface DrawnVectors {
  /** "" for the points of an embedding. */
  readonly name: string;
  /** Noun for a feature. */
  readonly one: string;
  readonly features: Features;
  readonly scene: VectorScene;
  /** Identifies the style. */
  readonly key: string;
  /** Identifies the features, if they can be selected. */
  readonly observations?: Observations | undefined;
}

export function vectorLayers(image: Dataset, shown: PlaneContent, view: Viewpoint): DrawnVectors[] {
  const { embedding } = image;
  return [
    ...(embedding ? embeddingLayers(image, embedding, shown, view) : []),
    ...addedLayers(image, shown, view),
  ];
}

function addedLayers(image: Dataset, shown: PlaneContent, view: Viewpoint): DrawnVectors[] {
  const opened = openedLayers(image);
  return shown.state.layers.flatMap((layer): DrawnVectors[] => {
    const content = layer.isOn ? opened.get(placeKey(layer)) : undefined;
    if (content?.kind !== "features") return [];
    const { features } = content;
    const colorOf = colorsOf(features, layer);
    const style = {
      colorOf,
      size: (layer.size || defaultSize) * view.ratio,
      lineWidth: (layer.size || defaultLine) * view.ratio,
      opacity: layer.opacity,
    };
    return matricesOf(shown, view, layer, features).map((matrix) => ({
      name: shortName(layerName(layer)),
      one: "feature",
      features,
      scene: { features, matrix, ...style },
      key: JSON.stringify(layer),
    }));
  });
}

/** Opacity of points beside selected ones, and how much larger those are. */
const faintOpacity = 0.22;
const selectedSize = 1.5;

/** Diameter of points in CSS pixels: smaller if there are many. */
const usualSize = (count: number): number => Math.max(2, Math.min(7, 700 / Math.sqrt(count)));

/** Color of points without a column. */
const plainColor: Color = 0x3b82c4;

/** The points of an embedding; the selected ones above the others. */
function embeddingLayers(
  image: Dataset,
  embedding: Embedding,
  shown: PlaneContent,
  view: Viewpoint,
): DrawnVectors[] {
  const { dataset, state } = shown;
  const [down, across] = state.axes as [number, number];
  const { observations } = embedding;
  const features = embeddingFeatures(embedding, down, across);
  const colors = tableColors(image, state)?.colors;
  const colorOf = colors ? (feature: number) => colors[feature]! : () => plainColor;
  const [hidden, selected] = [state.labels.hidden, state.labels.selected].map(
    (ids) => new Set(ids.map((id) => observations.row(id))),
  ) as [Set<number | undefined>, Set<number | undefined>];
  const matrix = embeddingMatrix(dataset.axes, [down, across], view);
  const size = (state.pointSize || usualSize(features.points.features.length)) * view.ratio;
  const plain = { features, matrix, colorOf, size, lineWidth: defaultLine * view.ratio, opacity: 1 };
  const { by, byColormap, byRange, outside } = state;
  const vectors = (part: string, scene: VectorScene): DrawnVectors => ({
    name: "",
    one: "row",
    features,
    scene,
    observations,
    key: JSON.stringify([part, by, colors !== undefined, byColormap, byRange, outside, size, state.labels]),
  });
  const isVisible = hidden.size > 0 ? (row: number) => !hidden.has(row) : undefined;
  if (selected.size === 0) return [vectors("all", { ...plain, isShown: isVisible })];
  const isSelected = (row: number) => selected.has(row) && !hidden.has(row);
  return [
    vectors("others", {
      ...plain,
      opacity: faintOpacity,
      isShown: (row) => !selected.has(row) && !hidden.has(row),
    }),
    vectors("selected", { ...plain, size: size * selectedSize, isShown: isSelected }),
  ];
}

/**
 * From coordinates of a layer to device pixels; several where a map repeats. Empty if the plane is not the one of the
 * layer.
 */
function matricesOf(
  { dataset, state, projection }: PlaneContent,
  { camera, size, ratio, aspect }: Viewpoint,
  { scale, translation }: LayerState,
  { isFromEdge }: Features,
): Matrix[] {
  const [y, x] = planeAxes(dataset);
  const [down, across] = state.axes;
  if (!((down === y && across === x) || (down === x && across === y))) return [];
  const perElement = camera.scale * ratio;
  const place = (axis: number, side: 0 | 1, isDown: boolean): { factor: number; shift: number } => {
    const own = elementPlace(dataset.axes[axis]!, isFromEdge);
    const factor = own.factor * (scale?.[side] ?? 1);
    const shift = own.factor * translation[side] + own.shift;
    const pixels = isDown ? perElement * aspect : perElement;
    const [centre, length] = isDown ? [camera.row, size.height] : [camera.column, size.width];
    return { factor: factor * pixels, shift: (shift - centre) * pixels + (length * ratio) / 2 };
  };
  const [ofY, ofX] = [place(y, 0, down === y), place(x, 1, down === x)];
  const turns = projection?.isPeriodic ? [-1, 0, 1] : [0];
  const period = (projection?.columns ?? 0) * perElement;
  return turns.map(
    (turn): Matrix =>
      down === y
        ? [ofX.factor, 0, 0, ofY.factor, ofX.shift + turn * period, ofY.shift]
        : [0, ofX.factor, ofY.factor, 0, ofY.shift + turn * period, ofX.shift],
  );
}

/** Elements of the world per unit of an axis, and the position of coordinate 0 in them. */
function elementPlace(
  { scale, translation = 0 }: DatasetAxis,
  isFromEdge: boolean,
): { factor: number; shift: number } {
  if (!scale) return { factor: 1, shift: 0 };
  return { factor: 1 / scale, shift: -translation / scale + (isFromEdge ? 0 : 0.5) };
}

function colorsOf(features: Features, layer: LayerState): (feature: number) => Color {
  const column = layer.by === "" ? undefined : features.column(layer.by);
  if (column) {
    const all = columnColors(column, { ...layer, outside: "clamp" }).colors;
    return (feature) => all[feature]!;
  }
  const color = Number.parseInt(layerColor(layer), 16);
  const { colors } = features;
  if (!colors || layer.color !== "") return () => color;
  return (feature) => (colors[feature]! >= 0 ? colors[feature]! : color);
}

/** From coordinates of an embedding to device pixels. */
function embeddingMatrix(
  axes: readonly DatasetAxis[],
  [down, across]: readonly [number, number],
  { camera, size, ratio, aspect }: Viewpoint,
): Matrix {
  const place = (axis: number, pixels: number, centre: number, length: number) => {
    const { factor, shift } = elementPlace(axes[axis]!, false);
    return [factor * pixels, (shift - centre) * pixels + (length * ratio) / 2] as const;
  };
  const perElement = camera.scale * ratio;
  const [a, e] = place(across, perElement, camera.column, size.width);
  const [d, f] = place(down, perElement * aspect, camera.row, size.height);
  return [a, 0, 0, d, e, f];
}
