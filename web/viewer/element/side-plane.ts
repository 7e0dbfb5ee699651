/** A plane beside the picture, with its own axes. It reads through the shared cache, in the picture's colours. */
import type { Camera } from "../model/camera.js";
import { type Layer, planLayers } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Pointed } from "../panels/readout.js";
import type { Dataset } from "../source/dataset.js";
import { ImagePainter } from "./image-painter.js";
import { LinePainter } from "./line-painter.js";
import { type Cell, cellIndex } from "./plane-geometry.js";
import { type PlaneCallbacks, PlaneView } from "./plane-view.js";
import { loadProjection, placement } from "./projections.js";
import { type Limits, Ranges } from "./ranges.js";
import type { ViewInputs } from "./viewer-model.js";

/** State of the picture. */
export interface PictureState {
  readonly dataset: Dataset;
  readonly state: ViewState;
  readonly limits: (layer: Layer) => Limits;
  readonly plane: PlaneView;
}

/** Inputs that planes beside the picture share with it. */
export interface SideInputs extends ViewInputs {
  onPoint(pointed: Pointed | undefined, by: "pointer" | "keyboard" | "pick"): void;
  /** Reports a pane that cannot be shown. */
  onFailure(sentence: string): void;
}

/** Movements and frames of a plane. */
export type SidePlaneMoves = Pick<PlaneCallbacks, "onCamera" | "onWindow" | "onReset" | "onFrame">;

/** Axes and position of a plane. */
export interface SidePlanePlace {
  readonly axes: readonly number[];
  /** Of the element that it passes through. */
  readonly index: readonly number[];
  /** Null for the whole plane. */
  readonly camera: Camera | null;
  /** Height of an element divided by its width. Default: that of the plane alone. */
  readonly aspect?: number | undefined;
}

export class SidePlane {
  readonly #ranges = new Ranges();
  readonly plane: PlaneView;
  #main: PictureState | undefined;
  #place: SidePlanePlace | undefined;
  #state: ViewState | undefined;

  constructor(
    kind: "image" | "line",
    private readonly inputs: SideInputs,
    moves: SidePlaneMoves,
  ) {
    this.plane = new PlaneView(
      this.#ranges,
      {
        ...inputs,
        ...moves,
        onPoint: (cell, by) => inputs.onPoint(cell && this.#pointed(cell), by),
        onPick: (cell) => this.pick(cell),
      },
      (frame, redraw, budget) =>
        kind === "image"
          ? new ImagePainter(frame, redraw, budget, this.#ranges)
          : new LinePainter(frame, redraw, this.#ranges, inputs.format),
    );
  }

  pick(cell: Cell): void {
    this.inputs.onPick(cellIndex(this.#state!, cell));
  }

  show(main: PictureState, place: SidePlanePlace): void {
    this.#main = main;
    this.#place = place;
    const { axes, index, camera } = place;
    this.#state = { ...main.state, axes, index, camera, window: index.map(() => null) };
    this.#update();
  }

  /** Moves the camera of the plane. */
  look(camera: Camera | null): void {
    if (JSON.stringify(camera) !== JSON.stringify(this.#place!.camera))
      this.show(this.#main!, { ...this.#place!, camera });
  }

  #update(): void {
    const { dataset, limits } = this.#main!;
    const state = this.#state!;
    const isImage = state.axes.length > 1;
    // The colours of the picture; a line has its own range.
    const layers = planLayers(dataset, state).map((layer): Layer => {
      if (!isImage) return { ...layer, range: { mode: "minmax" } };
      const [low, high] = limits(layer);
      return { ...layer, range: { mode: "manual", low, high } };
    });
    const shown = isImage ? layers : layers.filter(({ style }) => style.kind !== "mask" && !style.isOverlay);
    this.#ranges.begin(shown, { isPerSlice: true, isCommon: false });
    const { projection, aspect } = placement(dataset, state);
    const content = { dataset, state, layers: shown, next: [], projection };
    this.plane.show({ ...content, aspect: this.#place!.aspect ?? aspect });
    void loadProjection(dataset, state)?.then(
      () => {
        if (this.#state === state) this.#update();
      },
      () => {}, // equal cells need no coordinates
    );
  }

  /** The cell of the element that the plane passes through. */
  get crossing(): Cell | undefined {
    const { axes, index } = this.#place ?? {};
    if (!axes || !index) return undefined;
    return { row: axes.length > 1 ? index[axes[0]!]! : 0, column: index[axes.at(-1)!]! };
  }

  #pointed(cell: Cell): Pointed {
    const { axes } = this.#main!.dataset;
    return { index: cellIndex(this.#state!, cell), axes, readings: this.plane.read(cell) };
  }

  dispose(): void {
    this.plane.dispose();
    this.plane.element.remove();
  }
}
