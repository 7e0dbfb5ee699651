/** Points and shapes over a picture, and their properties under the pointer. */
import { colorTable, pixelBytes } from "../base/color-tables.js";
import { h } from "../base/dom.js";
import { shortName } from "../base/text.js";
import { type Color, drawVectors, featureAt, type VectorScene } from "../draw/vectors.js";
import type { Point } from "../input/gestures.js";
import { type LayerState, layerName, placeKey } from "../model/added-layers.js";
import { layerColor } from "../model/layer-color.js";
import { openedLayers } from "../model/opened-layers.js";
import type { Dataset, DatasetAxis } from "../source/dataset.js";
import type { FeatureColumn, Features, Matrix } from "../source/features.js";
import { planeAxes } from "../source/layer-place.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { PlaneContent } from "./plane-geometry.js";

/** Distance at which points and lines are found, in CSS pixels. */
const reach = 5;
const defaultSize = 6;
const defaultLine = 1.5;

/** A drawn layer. */
interface Drawn {
  readonly layer: LayerState;
  readonly features: Features;
  readonly scene: VectorScene;
}

export class VectorOverlay {
  readonly #canvas = h("canvas", { class: "zw-map-lines" });
  #drawn: readonly Drawn[] = [];
  /** Identifies the drawn layers and their places. */
  #look = "";
  #marked: { readonly features: Features; readonly feature: number } | undefined;
  #ratio = 1;

  constructor(overlay: HTMLElement) {
    overlay.prepend(this.#canvas);
  }

  /** @param image the dataset whose layers are open. @param shown with axes in world units */
  paint(image: Dataset, shown: PlaneContent, view: Viewpoint): void {
    const { size, ratio } = view;
    this.#ratio = ratio;
    this.#drawn = drawnLayers(image, shown, view);
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    const look = JSON.stringify([
      width,
      height,
      this.#drawn.map(({ layer, scene }) => [layer, scene.matrix]),
    ]);
    if (look === this.#look) return;
    this.#look = look;
    if (this.#canvas.width !== width || this.#canvas.height !== height)
      Object.assign(this.#canvas, { width, height });
    this.#draw();
  }

  #draw(): void {
    const context = this.#canvas.getContext("2d")!;
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    for (const { features, scene } of this.#drawn) {
      const marked = this.#marked?.features === features ? this.#marked.feature : undefined;
      drawVectors(context, { ...scene, marked });
    }
    // For outside observers.
    this.#canvas.dataset["layers"] = String(this.#drawn.length);
  }

  /** Describes and highlights the topmost feature at a position in CSS pixels; "" for none. */
  describe(at: Point | undefined): string {
    const before = this.#marked;
    this.#marked = undefined;
    let text = "";
    for (const { layer, features, scene } of at ? [...this.#drawn].reverse() : []) {
      const feature = featureAt(scene, at!.x * this.#ratio, at!.y * this.#ratio, reach * this.#ratio);
      if (feature === undefined) continue;
      this.#marked = { features, feature };
      text = `${shortName(layerName(layer))}: ${features.text(feature) || `feature ${feature}`}`;
      break;
    }
    if (before?.features !== this.#marked?.features || before?.feature !== this.#marked?.feature)
      this.#draw();
    return text;
  }
}

function drawnLayers(image: Dataset, shown: PlaneContent, view: Viewpoint): Drawn[] {
  const opened = openedLayers(image);
  return shown.state.layers.flatMap((layer): Drawn[] => {
    const content = layer.isOn ? opened.get(placeKey(layer)) : undefined;
    if (content?.kind !== "features") return [];
    const { features } = content;
    const colorOf = colorsOf(features, layer);
    const width = (layer.size || defaultLine) * view.ratio;
    return matricesOf(shown, view, layer, features).map((matrix) => ({
      layer,
      features,
      scene: {
        features,
        matrix,
        colorOf,
        size: (layer.size || defaultSize) * view.ratio,
        lineWidth: width,
        opacity: layer.opacity,
        marked: undefined,
      },
    }));
  });
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
  if (column) return columnColors(column, layer);
  const color = Number.parseInt(layerColor(layer), 16);
  const { colors } = features;
  if (!colors || layer.color !== "") return () => color;
  return (feature) => (colors[feature]! >= 0 ? colors[feature]! : color);
}

const absent: Color = 0x808080;

/** Categories have the colours of labels, numbers those of a colour map. */
function columnColors(column: FeatureColumn, { colormap, range }: LayerState): (feature: number) => Color {
  const rgb = (pixel: number): Color => {
    const [red, green, blue] = pixelBytes(pixel) as readonly number[] as [number, number, number];
    return (red << 16) | (green << 8) | blue;
  };
  if (column.kind === "categories") {
    const colors = Array.from(colorTable("labels").subarray(0, column.names.length + 1), rgb);
    return (feature) =>
      column.codes[feature]! < 0 ? absent : (colors[column.codes[feature]! + 1] ?? absent);
  }
  const { values } = column;
  const colors = Array.from(colorTable(colormap ?? "viridis"), rgb);
  const [low, high] = range.mode === "manual" ? [range.low, range.high] : extentOf(values);
  return (feature) => {
    const share = (values[feature]! - low) / (high - low || 1);
    return Number.isFinite(share) ? colors[Math.min(255, Math.max(0, Math.floor(share * 256)))]! : absent;
  };
}

function extentOf(values: Float64Array): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values)
    if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low <= high ? [low, high] : [0, 1];
}
