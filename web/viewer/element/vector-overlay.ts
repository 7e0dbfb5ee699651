/** Points and shapes over a picture, and their properties under the pointer. */
import { h } from "../base/dom.js";
import { drawFeature, drawVectors, featureAt, pointBeside } from "../draw/vectors.js";
import type { Point } from "../input/gestures.js";
import type { Dataset } from "../source/dataset.js";
import type { RowId } from "../source/row-id.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Described } from "./painter.js";
import type { PlaneContent } from "./plane-geometry.js";
import { type DrawnVectors, vectorLayers } from "./vector-layers.js";

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
    for (const canvas of [this.#canvas, this.#mark])
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.#draw();
    this.#highlight(undefined);
  }

  #draw(): void {
    const context = this.#canvas.getContext("2d")!;
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    for (const { scene } of this.#drawn) drawVectors(context, scene);
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
