/** The panes of a view: the picture and planes at right angles to it in one grid, with one crosshair and one zoom. */

import { h } from "../base/dom.js";
import { text } from "../language/text.js";
import { type Camera, fitted } from "../model/camera.js";
import { planLayers } from "../model/layers.js";
import {
  type ElementSides,
  movedCamera,
  type PaneAxes,
  paneAxes,
  paneShares,
  restingDepth,
  type SidePlaneName,
  type SpaceCamera,
  sideAxes,
  sideCamera,
} from "../model/panes.js";
import { mapPositions } from "../model/projection.js";
import type { PaneName } from "../model/state.js";
import { coordinateText } from "../panels/coordinates.js";
import { axisName } from "../panels/rulers.js";
import { type Cell, cellAt, requestedCamera, worldCentre, worldExtent } from "./plane-geometry.js";
import type { PlaneView } from "./plane-view.js";
import { placement } from "./projections.js";
import { type PictureState, type SideInputs, SidePlane } from "./side-plane.js";
import { VolumeHost } from "./volume-host.js";

const sideNames: readonly SidePlaneName[] = ["xz", "yz"];

/** A pane beside the picture. */
interface Pane {
  readonly side: SidePlane;
  readonly cross: Crosshair;
  /** Its own camera, if the panes do not share one. */
  camera: Camera | null;
}

export class Panes {
  readonly #panes = new Map<SidePlaneName, Pane>();
  readonly #cross: Crosshair;
  #volume: { readonly host: VolumeHost; key: string } | undefined;
  #main: PictureState | undefined;
  #axes: PaneAxes | undefined;

  constructor(private readonly inputs: SideInputs) {
    this.#cross = new Crosshair(({ row, column }) => {
      const [, down, across] = this.#axes!;
      const { index } = this.#main!.state;
      inputs.onPick(index.map((old, axis) => (axis === down ? row : axis === across ? column : old)));
    });
  }

  /** Whether a click chooses the shown element. */
  get isOn(): boolean {
    return this.#axes !== undefined;
  }

  show(main: PictureState | undefined): void {
    const axes = main && paneAxes(main.dataset, main.state);
    if (!main || !axes) {
      this.dispose();
      return;
    }
    if (this.#main?.dataset !== main.dataset || this.#axes?.join() !== axes.join())
      for (const pane of this.#panes.values()) pane.camera = null;
    this.#main = main;
    this.#axes = axes;
    this.#layOut(main, axes);
    for (const [name, { side }] of this.#panes) {
      side.plane.frame.measure();
      const aspect = this.#isLinked ? this.#aspectOf(name) : undefined;
      const place = { axes: sideAxes(name, axes), index: main.state.index, aspect };
      side.show(main, { ...place, camera: this.#cameraOf(name) });
    }
    this.#showVolume(main);
    this.follow();
  }

  /** Called after a frame of the picture. */
  follow(): void {
    if (!this.#main || !this.#axes) return;
    this.#cross.place(this.#main.plane, this.#shownCell, this.#positionAlong(this.#axes[0]));
    for (const [name, { side }] of this.#panes) side.look(this.#cameraOf(name));
  }

  dispose(): void {
    const element = this.#main?.plane.element.parentElement;
    element?.removeAttribute("data-panes");
    for (const { side } of this.#panes.values()) side.dispose();
    this.#panes.clear();
    this.#endVolume();
    this.#cross.remove();
    this.#main = undefined;
    this.#axes = undefined;
  }

  /** Makes the panes of a state, and the tracks of their grid. */
  #layOut({ plane, dataset, state: { planes } }: PictureState, [depth, down, across]: PaneAxes): void {
    const view = plane.element.parentElement;
    if (!view) return;
    for (const name of sideNames) {
      const pane = this.#panes.get(name);
      if (planes.includes(name)) {
        if (!pane) this.#panes.set(name, this.#make(name, view));
      } else if (pane) {
        pane.side.dispose();
        this.#panes.delete(name);
      }
    }
    view.dataset["panes"] = planes.join(" ");
    const length = (axis: number) => dataset.axes[axis]!.length;
    const lengths = { depth: length(depth), down: length(down), across: length(across) };
    const { beside, below } = paneShares(lengths, this.#sides);
    const has = (...names: PaneName[]) => names.some((name) => planes.includes(name));
    const [right, bottom] = [has("yz", "volume") ? beside : 0, has("xz") ? below : 0];
    const tracks = { across: 1 - right, beside: right, down: 1 - bottom, below: bottom };
    for (const [name, share] of Object.entries(tracks)) view.style.setProperty(`--zw-${name}`, `${share}fr`);
  }

  #make(name: SidePlaneName, view: HTMLElement): Pane {
    const look = (camera: Camera, cause: "pan" | "zoom") => this.#look(name, camera, cause);
    const side = new SidePlane("image", this.inputs, {
      onCamera: look,
      onWindow: (rows, columns) => {
        const { size, ratio, aspect } = side.plane.viewpoint!;
        const rectangle = { top: rows[0], bottom: rows[1], left: columns[0], right: columns[1] };
        look(fitted(rectangle, size, ratio, aspect, false), "zoom");
      },
      onReset: this.inputs.onReset,
      onFrame: ({ isComplete }) => {
        side.plane.element.setAttribute("aria-busy", String(!isComplete));
        const hidden = this.#axes![name === "xz" ? 1 : 2];
        cross.place(side.plane, side.crossing, this.#positionAlong(hidden));
      },
    });
    const cross = new Crosshair((cell) => side.pick(cell));
    side.plane.element.classList.add(`zw-pane-${name}`);
    view.append(side.plane.element);
    return { side, cross, camera: null };
  }

  /** Panes of curvilinear grids cannot share a camera, because the map has no rows and columns. */
  get #isLinked(): boolean {
    const { dataset, state } = this.#main!;
    return mapPositions(dataset, state) === undefined;
  }

  get #sides(): ElementSides {
    const { dataset, state } = this.#main!;
    const aspect = (axes: readonly number[]) => Math.abs(placement(dataset, { ...state, axes }).aspect);
    return { down: aspect(state.axes), depth: aspect(sideAxes("xz", this.#axes!)) };
  }

  #aspectOf(name: SidePlaneName): number {
    const { dataset, state } = this.#main!;
    const { down, depth } = this.#sides;
    const { aspect } = placement(dataset, { ...state, axes: sideAxes(name, this.#axes!) });
    return Math.sign(aspect) * (name === "xz" ? depth : down / depth);
  }

  /** The shared camera, as a pane sees it; undefined before the picture has been laid out. */
  #spaceCamera(name: SidePlaneName): SpaceCamera | undefined {
    const { content, viewpoint } = this.#main!.plane;
    if (!content || !viewpoint) return undefined;
    const camera = requestedCamera(content, viewpoint);
    return { ...camera, depth: camera.depth ?? this.#restingDepth(name, camera.scale) };
  }

  #restingDepth(name: SidePlaneName, scale: number): number {
    const { side } = this.#panes.get(name)!;
    const { content, frame } = side.plane;
    if (!content) return this.#main!.dataset.axes[this.#axes![0]]!.length / 2;
    const { rows, columns } = worldExtent(content);
    const { row, column } = worldCentre(content, side.crossing!);
    const visible = (pixels: number) => pixels / (scale * this.#sides.depth);
    return name === "xz"
      ? restingDepth(row, rows, visible(frame.size.height))
      : restingDepth(column, columns, visible(frame.size.width));
  }

  #cameraOf(name: SidePlaneName): Camera | null {
    if (!this.#isLinked) return this.#panes.get(name)!.camera;
    const camera = this.#spaceCamera(name);
    return camera ? sideCamera(name, camera, this.#sides) : null;
  }

  #look(name: SidePlaneName, camera: Camera, cause: "pan" | "zoom"): void {
    const pane = this.#panes.get(name)!;
    const before = this.#isLinked ? this.#spaceCamera(name) : undefined;
    if (!before) {
      pane.camera = camera;
      pane.side.look(camera);
      return;
    }
    const shown = worldCentre(this.#main!.plane.content!, this.#shownCell);
    const still = name === "xz" ? shown.row : shown.column;
    this.inputs.onCamera(movedCamera(name, camera, before, this.#sides, still), cause);
  }

  /** The shown element, in the picture. */
  get #shownCell(): Cell {
    const [, down, across] = this.#axes!;
    const { index } = this.#main!.state;
    return { row: index[down]!, column: index[across]! };
  }

  /** "z 12 µm". */
  #positionAlong(axis: number): string {
    const { dataset, state } = this.#main!;
    const at = state.index[axis]!;
    return `${axisName(dataset.axes, axis)} ${coordinateText(dataset.axes[axis]!, at) ?? at}`;
  }

  /** The volume has the colours of the picture. */
  #showVolume({ plane, dataset, state, limits }: PictureState): void {
    if (!state.planes.includes("volume")) {
      this.#endVolume();
      return;
    }
    const { camera, window, ...parts } = state;
    const own = new Map(planLayers(dataset, state).map((layer) => [layer.id, limits(layer)]));
    const key = JSON.stringify([parts, ...own.values()]);
    if (key === this.#volume?.key) return;
    const host =
      this.#volume?.host ??
      new VolumeHost({
        ...this.inputs,
        onPoint: (point, by) => this.inputs.onPoint(point && { ...point, axes: dataset.axes }, by),
        onPick: (point) => point && this.inputs.onPick(point.index),
        onFrame: () => {},
      });
    this.#volume = { host, key };
    const isCurrent = () => this.#volume?.key === key && this.#main?.dataset === dataset;
    host.show(dataset, state, isCurrent, own).then(
      (view) => {
        if (view && isCurrent() && !view.element.parentElement)
          plane.element.parentElement?.append(view.element);
      },
      () => this.inputs.onFailure(text.volume.failed("WebGL2 is unavailable")),
    );
  }

  #endVolume(): void {
    this.#volume?.host.view?.element.remove();
    this.#volume?.host.end();
    this.#volume = undefined;
  }
}

class Crosshair {
  readonly #down = this.#part("down", (to, { row }) => ({ row, column: to.column }));
  readonly #across = this.#part("across", (to, { column }) => ({ row: to.row, column }));
  readonly #centre = this.#part("centre", (to) => to);
  readonly #label = h("div", { class: "zw-pane-label" });
  readonly #parts = [this.#down, this.#across, this.#centre, this.#label];
  #plane: PlaneView | undefined;
  #at: Cell | undefined;

  constructor(private readonly onMove: (cell: Cell) => void) {}

  /** @param text position of the plane */
  place(plane: PlaneView, at: Cell | undefined, text: string): void {
    if (this.#down.parentElement !== plane.frame.overlay) plane.frame.overlay.append(...this.#parts);
    this.#plane = plane;
    this.#at = at;
    const centre = at && plane.centreOf(at);
    for (const part of this.#parts) part.hidden = !centre;
    if (!centre) return;
    if (this.#label.textContent !== text) this.#label.textContent = text;
    for (const part of [this.#down, this.#centre]) part.style.left = `${centre.x}px`;
    for (const part of [this.#across, this.#centre]) part.style.top = `${centre.y}px`;
  }

  #part(name: string, moved: (to: Cell, from: Cell) => Cell): HTMLElement {
    const part = h("div", { class: `zw-cross zw-cross-${name}` });
    part.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.stopPropagation(); // the picture stays
      part.setPointerCapture(event.pointerId);
    });
    part.addEventListener("pointermove", (event) => {
      if (part.hasPointerCapture(event.pointerId)) this.#move(event, moved);
    });
    return part;
  }

  #move({ clientX, clientY }: PointerEvent, moved: (to: Cell, from: Cell) => Cell): void {
    const { content, viewpoint, frame } = this.#plane!;
    const from = this.#at;
    if (!content || !viewpoint || !from) return;
    const { left, top } = frame.box.getBoundingClientRect();
    const to = cellAt(content, viewpoint, { x: clientX - left, y: clientY - top });
    const cell = to && moved(to, from);
    if (cell && (cell.row !== from.row || cell.column !== from.column)) this.onMove(cell);
  }

  remove(): void {
    for (const part of this.#parts) part.remove();
  }
}
