/** Points and shapes over a picture, and their properties under the pointer. */
import { h } from "../base/dom.js";
import type { Matrix } from "../base/matrix.js";
import { shortName } from "../base/text.js";
import { featuresOn } from "../draw/projected-lines.js";
import {
  type Color,
  drawFeature,
  drawVectors,
  featureAt,
  pointBeside,
  type VectorScene,
} from "../draw/vectors.js";
import type { Point } from "../input/gestures.js";
import { text } from "../language/text.js";
import { type LayerState, layerColor, layerName, placeKey } from "../model/added-layers.js";
import { columnColors, layerChoice, pairBackground, tableColors } from "../model/column-colors.js";
import { openedLayers } from "../model/layer.js";
import { projectedConverter } from "../model/projection.js";
import type { ViewState } from "../model/state.js";
import type { Dataset, DatasetAxis, Embedding } from "../source/dataset.js";
import { embeddingFeatures } from "../source/embedding.js";
import type { TableLink } from "../source/feature-table.js";
import type { Features } from "../source/features.js";
import { isPlaneOf, planeAxes } from "../source/layer-place.js";
import type { RowId } from "../source/row-id.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Described } from "./frame.js";
import type { PlaneContent } from "./plane-geometry.js";

/** Distance at which points and lines are found, in CSS pixels. */
const reach = 5;

export class VectorOverlay {
  readonly #canvas = h("canvas", { class: "zw-map-lines" });
  /** The highlighted feature, so that the others are drawn only when they change. */
  readonly #mark = h("canvas", { class: "zw-map-lines", hidden: true });
  #drawn: readonly DrawnVectors[] = [];
  /** Identifies the drawn layers and their places. */
  #look = "";
  #marked: { readonly vectors: DrawnVectors; readonly feature: number } | undefined;
  #ratio = 1;
  /** The part of the canvas that a map which repeats covers. */
  #clip: Path2D | undefined;

  constructor(overlay: HTMLElement) {
    overlay.prepend(this.#canvas, this.#mark);
  }

  /** @param image the dataset whose layers are open. @param shown with axes in world units */
  paint(image: Dataset, shown: PlaneContent, view: Viewpoint): void {
    const { size, ratio } = view;
    this.#ratio = ratio;
    this.#drawn = vectorLayers(image, shown, view);
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    const look = JSON.stringify([width, height, this.#drawn.map(({ key, scene }) => [key, scene.matrix])]);
    if (look === this.#look) return;
    this.#look = look;
    this.#clip = mapClip(shown, view);
    for (const canvas of [this.#canvas, this.#mark])
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.#draw();
    this.#highlight(undefined);
  }

  #draw(): void {
    const context = this.#canvas.getContext("2d")!;
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    const background = this.#drawn.find((one) => one.background !== undefined)?.background;
    if (background) {
      context.fillStyle = background;
      context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
    }
    context.save();
    if (this.#clip) context.clip(this.#clip);
    for (const { scene } of this.#drawn) drawVectors(context, scene);
    context.restore();
    // For outside observers.
    this.#canvas.dataset["layers"] = String(this.#drawn.length);
  }

  /** Describes and highlights the topmost feature at a position in CSS pixels. */
  describe(at: Point | undefined): Described | undefined {
    const found = at && this.#at(at);
    this.#highlight(found);
    if (!found) return undefined;
    const { vectors, feature } = found;
    const text = vectors.features.text(feature) || `${vectors.one} ${feature}`;
    return vectors.name === "" ? { text, row: feature } : { text: `${vectors.name}: ${text}` };
  }

  /** The integer that identifies the observation at a position in CSS pixels. */
  observationAt(at: Point): RowId | undefined {
    const found = this.#at(at);
    return found?.vectors.idOf?.(found.feature);
  }

  /** Position of the next observation in a direction, in CSS pixels. */
  beside(from: Point, way: Point): Point | undefined {
    const vectors = this.#drawn.find(({ idOf }) => idOf);
    const ratio = this.#ratio;
    const found = vectors && pointBeside(vectors.scene, { x: from.x * ratio, y: from.y * ratio }, way);
    return found && { x: found.x / ratio, y: found.y / ratio };
  }

  #at({ x, y }: Point): { vectors: DrawnVectors; feature: number } | undefined {
    const ratio = this.#ratio;
    for (const vectors of [...this.#drawn].reverse()) {
      const feature = featureAt(vectors.scene, x * ratio, y * ratio, reach * ratio);
      if (feature !== undefined) return { vectors, feature };
    }
    return undefined;
  }

  #highlight(found: { readonly vectors: DrawnVectors; readonly feature: number } | undefined): void {
    const before = this.#marked;
    if (before?.vectors === found?.vectors && before?.feature === found?.feature) return;
    this.#marked = found;
    this.#mark.hidden = !found;
    const context = this.#mark.getContext("2d")!;
    context.clearRect(0, 0, this.#mark.width, this.#mark.height);
    if (found) drawFeature(context, found.vectors.scene, found.feature);
  }
}

const defaultSize = 6;
const defaultLine = 1.5;

/** Points and shapes with one style. */
interface DrawnVectors {
  /** "" for the points of an embedding. */
  readonly name: string;
  /** Noun for a feature. */
  readonly one: string;
  readonly features: Features;
  readonly scene: VectorScene;
  /** Identifies the style. */
  readonly key: string;
  /** Of the whole plot. */
  readonly background?: string | undefined;
  /** The integer that identifies a feature; undefined for features that cannot be selected. */
  readonly idOf?: ((feature: number) => RowId | undefined) | undefined;
}

function vectorLayers(image: Dataset, shown: PlaneContent, view: Viewpoint): DrawnVectors[] {
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
    const features = featuresIn(shown, layer, content.features);
    const colorOf = colorsOf(features, layer);
    const style = {
      colorOf,
      size: (layer.size || Math.min(defaultSize, usualSize(features.points.features.length))) * view.ratio,
      lineWidth: (layer.size || defaultLine) * view.ratio,
      opacity: layer.opacity,
    };
    const plain = {
      name: shortName(layerName(layer)),
      one: text.planes.feature,
      features,
      key: JSON.stringify([layer, features.column(layer.by) !== undefined, mapKey(shown)]),
    };
    const { dataset, state } = shown;
    const matrices = isPlaneOf(dataset, state.axes)
      ? matricesOf(
          shown,
          view,
          planeAxes(dataset),
          shown.projection?.geo ? placed : layer,
          features.isFromEdge,
        )
      : [];
    const scenes = matrices.map((matrix) => ({ ...plain, scene: { features, matrix, ...style } }));
    return content.link
      ? scenes.flatMap((one) => selectable(one, content.link!, shown.state, layer))
      : scenes;
  });
}

/** Of features in columns and rows of the plane. */
const placed = { scale: null, translation: [0, 0] } as const;

const mapKey = ({ projection, state }: PlaneContent): string =>
  projection?.geo ? [state.projection, state.meridian, state.parallel].join(" ") : "";

/** The latest features on a map, by their layers' content. */
const onMaps = new WeakMap<Features, { readonly key: string; readonly features: Features }>();

/** Features in columns and rows of a map; their coordinates are degrees or, of projected data, in the same system. */
function featuresIn(shown: PlaneContent, { scale, translation }: LayerState, features: Features): Features {
  const { projection, state } = shown;
  if (!projection?.geo) return features;
  const key = JSON.stringify([mapKey(shown), projection.rows, projection.columns, scale, translation]);
  const before = onMaps.get(features);
  if (before?.key === key) return before.features;
  const converter = projectedConverter(shown.dataset, state.axes)?.value;
  const toDegrees = (x: number, y: number) => {
    const [east, north] = [x * (scale?.[1] ?? 1) + translation[1], y * (scale?.[0] ?? 1) + translation[0]];
    return converter ? converter.inverse(east, north) : ([east, north] as const);
  };
  const made = { ...features, ...featuresOn(projection.geo, features, toDegrees), isFromEdge: true };
  onMaps.set(features, { key, features: made });
  return made;
}

function mapClip(
  { projection }: PlaneContent,
  { camera, size, ratio, aspect }: Viewpoint,
): Path2D | undefined {
  if (!projection?.isPeriodic) return undefined;
  const across = camera.scale * ratio;
  const left = (size.width * ratio) / 2 - camera.column * across;
  const top = (size.height * ratio) / 2 - camera.row * across * aspect;
  const clip = new Path2D();
  clip.rect(left, top, projection.columns * across, projection.rows * across * aspect);
  return clip;
}

/** Features linked to a table: the selected ones above the others. Those of labels are selected as well. */
function selectable(
  vectors: DrawnVectors,
  { observations, rows }: TableLink,
  { labels }: ViewState,
  layer: LayerState,
): DrawnVectors[] {
  const [hidden, selected] = (["hidden", "selected"] as const).map((list) =>
    observations.rowsOf([...layer[list], ...labels[list]]),
  ) as [ReadonlySet<number>, ReadonlySet<number>];
  const idOf = (feature: number) => (rows[feature]! < 0 ? undefined : observations.id(rows[feature]!));
  return selectionParts({ ...vectors, idOf }, (feature) => rows[feature]!, hidden, selected, 1);
}

/** Parts of features: with a selection, the others are faint. @param growth of selected points */
function selectionParts(
  vectors: DrawnVectors,
  rowOf: (feature: number) => number,
  hidden: ReadonlySet<number>,
  selected: ReadonlySet<number>,
  growth: number,
): DrawnVectors[] {
  const part = (name: string, scene: Partial<VectorScene>): DrawnVectors => ({
    ...vectors,
    key: JSON.stringify([name, vectors.key, [...hidden], [...selected]]),
    scene: { ...vectors.scene, ...scene },
  });
  const isVisible = (feature: number) => !hidden.has(rowOf(feature));
  if (selected.size === 0) return [part("all", hidden.size > 0 ? { isShown: isVisible } : {})];
  const isSelected = (feature: number) => selected.has(rowOf(feature));
  const { opacity, size } = vectors.scene;
  return [
    part("others", {
      opacity: opacity * faintOpacity,
      isShown: (feature) => isVisible(feature) && !isSelected(feature),
    }),
    part("selected", {
      size: size * growth,
      isShown: (feature) => isVisible(feature) && isSelected(feature),
    }),
  ];
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
  const { state } = shown;
  const [down, across] = state.axes as [number, number];
  const { observations } = embedding;
  const features = embeddingFeatures(embedding, down, across);
  const { colors, second } = tableColors(image, state) ?? {};
  const colorOf = colors ? (feature: number) => colors[feature]! : () => plainColor;
  const [hidden, selected] = [state.labels.hidden, state.labels.selected].map((ids) =>
    observations.rowsOf(ids),
  ) as [ReadonlySet<number>, ReadonlySet<number>];
  const [matrix] = matricesOf(shown, view, [down, across], placed, false) as [Matrix];
  const size = (state.pointSize || usualSize(features.points.features.length)) * view.ratio;
  const { by, byColormap, byRange, outside } = state;
  const vectors = {
    name: "",
    one: text.planes.row,
    features,
    scene: { features, matrix, colorOf, size, lineWidth: defaultLine * view.ratio, opacity: 1 },
    idOf: (row: number) => observations.id(row),
    background: second && pairBackground,
    key: JSON.stringify([by, colors !== undefined, byColormap, byRange, outside, size]),
  };
  return selectionParts(vectors, (row) => row, hidden, selected, selectedSize);
}

/** From coordinates along two axes to device pixels; several where a map repeats. */
function matricesOf(
  { dataset, state, projection }: PlaneContent,
  { camera, size, ratio, aspect }: Viewpoint,
  [y, x]: readonly [y: number, x: number],
  { scale, translation }: Pick<LayerState, "scale" | "translation">,
  isFromEdge: boolean,
): Matrix[] {
  const [down] = state.axes;
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
    const all = columnColors(column, layerChoice(layer)).colors;
    return (feature) => all[feature]!;
  }
  const color = Number.parseInt(layerColor(layer), 16);
  const { colors } = features;
  if (!colors || layer.color !== "") return () => color;
  return (feature) => (colors[feature]! >= 0 ? colors[feature]! : color);
}
