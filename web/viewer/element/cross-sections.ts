/**
 * Views beside the picture: two planes at right angles to it through one element, and the profile through the
 * element under the pointer. Each is a separate plane view that reads through the shared cache.
 */
import { h } from "../base/dom.js";
import { findChannelAxis } from "../model/channels.js";
import { isComposite, type Layer, planLayers } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { depthAxes } from "../panels/extra-controls.js";
import type { Pointed } from "../panels/readout.js";
import { axisName } from "../panels/rulers.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Cell } from "./cell-reading.js";
import { ImagePainter } from "./image-painter.js";
import { LinePainter } from "./line-painter.js";
import { cellIndex } from "./plane-geometry.js";
import { PlaneView } from "./plane-view.js";
import { loadProjection, placement } from "./projections.js";
import { type Limits, Ranges } from "./ranges.js";

export interface CrossSectionsCallbacks {
  /** Chooses the element that the planes pass through. */
  onPick(index: readonly number[]): void;
  onPoint(pointed: Pointed | undefined, by: "pointer" | "keyboard"): void;
  format(): (value: number) => string;
}

/** State of the picture. */
export interface PictureState {
  readonly dataset: Dataset;
  readonly state: ViewState;
  readonly limits: (layer: Layer) => Limits;
}

/** Time that the pointer must rest before values are read for it, in milliseconds. */
const rest = 60;

/** A plane beside the picture, with its axes. */
class CrossSection {
  readonly ranges = new Ranges();
  readonly plane: PlaneView;
  readonly #title = h("h3", { class: "zw-side-title" });
  readonly element: HTMLElement;
  #main: PictureState | undefined;
  #state: ViewState | undefined;
  #camera: ViewState["camera"] = null;
  readonly #cross = new Crosshair();

  constructor(
    kind: "image" | "line",
    private readonly callbacks: CrossSectionsCallbacks,
  ) {
    this.plane = new PlaneView(
      this.ranges,
      {
        onCamera: (camera) => this.#look(camera),
        onWindow: () => this.#look(null),
        onReset: () => this.#look(null),
        onPoint: (cell, by) => this.callbacks.onPoint(cell && this.#pointed(cell), by),
        onPick: (cell) => this.callbacks.onPick(cellIndex(this.#state!, cell)),
        onStep: () => {},
        onPlay: () => {},
        onCommand: () => {},
        onFrame: () => this.#cross.place(this.plane, this.#crossing),
      },
      (frame, redraw, budget) =>
        kind === "image"
          ? new ImagePainter(redraw, budget, this.ranges)
          : new LinePainter(frame, redraw, this.ranges, () => this.callbacks.format()),
    );
    this.plane.frame.overlay.append(...this.#cross.elements);
    this.element = h("section", { class: `zw-beside-${kind}` }, this.#title, this.plane.element);
  }

  /** @param index of the element that it passes through */
  show(main: PictureState, axes: readonly number[], index: readonly number[], title: string): void {
    const before = this.#state;
    const isOther = before?.axes.join() !== axes.join() || this.#main?.dataset !== main.dataset;
    if (isOther) this.#camera = null;
    this.#main = main;
    this.#state = { ...main.state, axes, index, window: index.map(() => null), camera: this.#camera };
    if (this.#title.textContent !== title) this.#title.textContent = title;
    this.#update();
  }

  #look(camera: ViewState["camera"]): void {
    this.#camera = camera;
    this.#state = { ...this.#state!, camera };
    this.#update();
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
    this.ranges.begin(shown, { isPerSlice: true, isCommon: false });
    this.plane.show({ dataset, state, layers: shown, next: [], ...placement(dataset, state) });
    void loadProjection(dataset, state)?.then(
      () => {
        if (this.#state === state) this.#update();
      },
      () => {}, // equal cells need no coordinates
    );
  }

  get #crossing(): Cell | undefined {
    const { axes, index } = this.#state ?? {};
    if (!axes || !index) return undefined;
    return { row: axes.length > 1 ? index[axes[0]!]! : 0, column: index[axes.at(-1)!]! };
  }

  #pointed(cell: Cell): Pointed {
    const { axes } = this.#main!.dataset;
    return { index: cellIndex(this.#state!, cell), axes, readings: this.plane.read(cell) };
  }

  dispose(): void {
    this.plane.dispose();
    this.element.remove();
  }
}

/** Draws the element that the planes share as two lines. */
class Crosshair {
  readonly #down = h("div", { class: "zw-cross zw-cross-down" });
  readonly #across = h("div", { class: "zw-cross zw-cross-across" });
  readonly elements = [this.#down, this.#across] as const;

  place(plane: PlaneView, at: Cell | undefined): void {
    const centre = at && plane.centreOf(at);
    for (const element of this.elements) element.hidden = !centre;
    if (!centre) return;
    this.#down.style.left = `${centre.x}px`;
    this.#across.style.top = `${centre.y}px`;
  }
}

export class CrossSections {
  readonly #cross = new Crosshair();
  #planes: readonly [CrossSection, CrossSection] | undefined;
  #profile: CrossSection | undefined;
  #main: PictureState | undefined;
  #cell: Cell | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly element: HTMLElement,
    private readonly callbacks: CrossSectionsCallbacks,
  ) {}

  /** Follows the picture; clears the views if there is none. */
  show(main: PictureState | undefined): void {
    if (this.#main?.dataset !== main?.dataset) this.#cell = undefined;
    this.#main = main;
    this.#showPlanes();
    this.#showProfile();
    this.element.hidden = !this.#planes && !this.#profile;
  }

  /** Follows the pointer; undefined if it has left. */
  point(cell: Cell | undefined): void {
    if (!cell) return;
    this.#cell = cell;
    if (!this.#profile || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#showProfile();
    }, rest);
  }

  /** Called after a frame of the picture. */
  follow(plane: PlaneView): void {
    if (this.#planes && !this.#cross.elements[0].parentElement)
      plane.frame.overlay.append(...this.#cross.elements);
    const { axes, index } = this.#main?.state ?? {};
    const isOn = this.#planes && axes?.length === 2 && index;
    this.#cross.place(plane, isOn ? { row: index[axes[0]!]!, column: index[axes[1]!]! } : undefined);
  }

  /** Whether a click chooses the position of the planes. */
  get isPicking(): boolean {
    return this.#planes !== undefined;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#main = undefined;
    for (const side of this.#planes ?? []) side.dispose();
    this.#profile?.dispose();
    this.#planes = undefined;
    this.#profile = undefined;
    for (const element of this.#cross.elements) element.remove();
    this.element.hidden = true;
  }

  #showPlanes(): void {
    const main = this.#main;
    const depth = main?.state.depth ?? null;
    const isOn = main && depth !== null && depthAxes(main.dataset, main.state).includes(depth);
    if (!isOn) {
      for (const side of this.#planes ?? []) side.dispose();
      this.#planes = undefined;
      for (const element of this.#cross.elements) element.remove();
      return;
    }
    if (!this.#planes) {
      this.#planes = [new CrossSection("image", this.callbacks), new CrossSection("image", this.callbacks)];
      this.element.prepend(...this.#planes.map(({ element }) => element));
    }
    const { axes, index } = main.state;
    const [down, across] = axes as [number, number];
    const title = (hidden: number) => `At ${planeName(main.dataset, hidden)} ${index[hidden]}`;
    this.#planes[0].show(main, [depth, across], index, title(down));
    this.#planes[1].show(main, [down, depth], index, title(across));
  }

  #showProfile(): void {
    const main = this.#main;
    const axis = main?.state.profile ?? null;
    if (!main || axis === null || datasetShape(main.dataset)[axis] === undefined) {
      this.#profile?.dispose();
      this.#profile = undefined;
      return;
    }
    if (!this.#profile) {
      this.#profile = new CrossSection("line", this.callbacks);
      this.element.append(this.#profile.element);
    }
    const index = this.#cell ? cellIndex(main.state, this.#cell) : main.state.index;
    const channelAxis = isComposite(main.dataset, main.state) ? findChannelAxis(main.dataset) : undefined;
    const at = index.map((value, i) => (i === axis || i === channelAxis ? ":" : value)).join(", ");
    this.#profile.show(main, [axis], index, `Along ${planeName(main.dataset, axis)} at [${at}]`);
  }
}

const planeName = ({ axes }: Dataset, axis: number) =>
  axisName(
    axes.map(({ name }) => name ?? null),
    axis,
  );
