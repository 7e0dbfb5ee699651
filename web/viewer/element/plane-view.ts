/**
 * A plane on a canvas: tiles asked for as the camera moves, drawn as they come. What is the same for images and
 * lines; how it is drawn is a `Painter`'s.
 */

import { Gestures, type Point } from "../input/gestures.js";
import {
  aligned,
  type Camera,
  inside,
  panned,
  type Rectangle,
  visible,
  worldAt,
  zoomed,
} from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import type { Interval, ViewState } from "../model/state.js";
import { type Dataset, shapeOf } from "../source/dataset.js";
import { acquire, release, type Shared } from "../tiles/shared.js";
import type { Gap, Tile } from "../tiles/tile.js";
import { TileSet, type TileStatus } from "../tiles/tile-set.js";
import { chooseLevel, type Viewpoint } from "../tiles/wanted.js";
import { Frame } from "./frame.js";
import { homeCamera } from "./home.js";
import type { Ranges } from "./ranges.js";
import { type Cell, type Reading, readingOf } from "./reading.js";

export type { Cell, Reading } from "./reading.js";

/** What is shown. */
export interface Shown {
  readonly dataset: Dataset;
  readonly state: ViewState;
  readonly layers: readonly Layer[];
  /** Layers that will be shown soon: the next slice. */
  readonly next: readonly Layer[];
  readonly aspect: number;
}

export interface PlaneCallbacks {
  onCamera(camera: Camera, cause: "pan" | "zoom"): void;
  /** A rectangle to be shown, in whole elements: rows and columns. */
  onWindow(rows: Interval, columns: Interval): void;
  /** Everything is to be shown. */
  onReset(): void;
  onPoint(cell: Cell | undefined, by: "pointer" | "keyboard"): void;
  /** An element was chosen: clicked, tapped, or by Enter. */
  onPick(cell: Cell): void;
  /** To another slice, forwards or backwards. */
  onStep(direction: 1 | -1): void;
  /** Plays the slices, or stops. */
  onPlay(): void;
  /** After every frame in which something was different. */
  onFrame(status: TileStatus): void;
}

/** How a plane is drawn. */
export interface Painter {
  /** @returns false where it has to go on in the next frame. */
  paint(frame: Frame, shown: Shown, view: Viewpoint, tilesOf: (layer: Layer) => readonly Tile[]): boolean;
  forget(blockKey: string): void;
  /** Memory that may be taken by what is made of tiles. */
  setBudget?(bytes: number): void;
  dispose(): void;
}

/** Milliseconds between two frames that only show what has come: three quarters of the time are for what comes. */
const restBetweenArrivals = { least: 50, most: 250, frames: 4 };

export class PlaneView {
  readonly frame: Frame;
  readonly #shared: Shared = acquire();
  readonly #tiles: TileSet;
  readonly #gestures: Gestures;
  readonly #painter: Painter;
  readonly #endDropping: () => void;
  #shown: Shown | undefined;
  /** Tiles of a plane that is no longer wanted, until there is something of the next. */
  #former: { readonly shown: Shown; readonly tiles: Map<string, readonly Tile[]> } | undefined;
  #cell: Cell | undefined;
  #way = { row: 0, column: 0 };
  #frameRequest = 0;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #drawnAt = 0;
  /** Milliseconds that the last frame took, with what the browser does to show it. */
  #frameTime = 0;
  #isAsked = false;

  constructor(
    private readonly ranges: Ranges,
    private readonly callbacks: PlaneCallbacks,
    makePainter: (frame: Frame, redraw: () => void, budgetBytes: number) => Painter,
  ) {
    this.frame = new Frame(() => this.#change());
    this.#tiles = new TileSet(this.#shared, {
      onTile: (tile, layer) => this.ranges.add(tile, layer),
      onChange: () => this.#drawSoon(),
    });
    this.#painter = makePainter(this.frame, () => this.redraw(), this.#shared.scheduler.cache.budget);
    this.#gestures = new Gestures(this.frame.box, {
      onPoint: (at) => this.#point(at),
      onPan: (dx, dy) => this.#pan(dx, dy),
      onZoom: (factor, at) => this.zoom(factor, at),
      onMarking: (rectangle) => this.#marking(rectangle),
      onMark: (rectangle) => this.#mark(rectangle),
      onMove: (rows, columns) => this.#move(rows, columns),
      onReset: () => callbacks.onReset(),
      onLeave: () => this.point(undefined, "keyboard"),
      onRest: () => this.#change(),
      onPick: (at) => {
        const cell = at ? this.#cellAt(at) : this.#cell;
        if (cell) callbacks.onPick(cell);
      },
      onStep: (direction) => callbacks.onStep(direction),
      onPlay: () => callbacks.onPlay(),
    });
    this.#endDropping = this.#shared.onDrop((key) => this.#painter.forget(key));
  }

  get element(): HTMLElement {
    return this.frame.element;
  }

  /** The element that is pointed at. */
  get cell(): Cell | undefined {
    return this.#cell;
  }

  /** What memory may be taken by what has been read, in bytes, and what is. */
  get memory(): { budget: number; used: number } {
    const { cache } = this.#shared.scheduler;
    return { budget: cache.budget, used: cache.bytes };
  }
  setBudget(bytes: number): void {
    this.#shared.scheduler.cache.budget = bytes;
    this.#painter.setBudget?.(bytes);
    this.#change();
  }

  show(shown: Shown): void {
    const before = this.#shown;
    if (before && before.dataset !== shown.dataset) {
      this.#cell = undefined;
      this.#former = undefined;
    } else if (before && !isSamePlane(before, shown)) this.#keepFormer(before);
    if (before?.state.camera && shown.state.camera) {
      const [from, to] = [before.state.camera, shown.state.camera];
      this.#way = { row: to.row - from.row, column: to.column - from.column };
    } else this.#way = { row: 0, column: 0 };
    this.#shown = shown;
    this.#change();
  }

  /** Parts of what is drawn that are not data. */
  get gaps(): readonly Gap[] {
    const blocks = new Set(
      (this.#shown?.layers ?? []).flatMap((layer) => this.#tiles.tilesOf(layer).map(({ block }) => block)),
    );
    return [...blocks].flatMap(({ gaps }) => gaps);
  }

  /** Tries again what could not be read. */
  retry(): void {
    this.#tiles.retry();
    this.#change();
  }

  dispose(): void {
    cancelAnimationFrame(this.#frameRequest);
    clearTimeout(this.#soon);
    this.#tiles.leave();
    this.#endDropping();
    this.#gestures.dispose();
    this.#painter.dispose();
    this.frame.dispose();
    release();
  }

  /** Rows and columns of the whole plane. */
  get extent(): { rows: number; columns: number } {
    return extentOf(this.#shown!);
  }

  /** Where one looks, and how. */
  get viewpoint(): Viewpoint | undefined {
    const [shown, size] = [this.#shown, this.frame.size];
    if (!shown || size.width === 0 || size.height === 0) return undefined;
    const ratio = window.devicePixelRatio || 1;
    const { state, dataset, aspect } = shown;
    const camera = state.camera ?? homeCamera(dataset, state, { size, ratio, aspect });
    return { camera: aligned(camera, size, ratio, aspect), size, ratio, aspect };
  }

  /** What was asked for, which many small steps start from: a viewpoint's camera is the nearest that can be drawn. */
  #cameraOf(view: Viewpoint): Camera {
    return this.#shown?.state.camera ?? view.camera;
  }

  /** The level that is drawn. */
  get level(): number {
    const [shown, view] = [this.#shown, this.viewpoint];
    if (!shown || !view) return 0;
    const [down, across] = [shown.state.axes[0]!, shown.state.axes.at(-1)!];
    const isLine = shown.state.axes.length === 1;
    const factors = shown.dataset.levels.map(
      ({ factor }) => [isLine ? 1 : factor[down]!, factor[across]!] as const,
    );
    return chooseLevel(factors, view);
  }

  /** What is seen, clipped to the plane. */
  get seen(): Rectangle | undefined {
    const view = this.viewpoint;
    if (!view) return undefined;
    const { rows, columns } = this.extent;
    const { top, left, bottom, right } = visible(view.camera, view.size, view.aspect);
    return {
      top: Math.max(0, top),
      left: Math.max(0, left),
      bottom: Math.min(rows, bottom),
      right: Math.min(columns, right),
    };
  }

  /** What is known of an element, per layer. */
  read(cell: Cell): Reading[] {
    return (this.#shown?.layers ?? []).flatMap((layer) => {
      const tile = this.#tiles.tileAt(layer, cell.row + 0.5, cell.column + 0.5);
      return tile ? [readingOf(layer, tile, cell)] : [];
    });
  }

  /** Says which element is pointed at. */
  point(cell: Cell | undefined, by: "pointer" | "keyboard"): void {
    this.#cell = cell;
    this.#placeCursor();
    this.callbacks.onPoint(cell, by);
  }

  /** `factor` times closer to a point, else to the element that is pointed at, else to the centre. */
  zoom(factor: number, at?: Point): void {
    const view = this.viewpoint;
    if (!view) return;
    const { size, aspect } = view;
    const from = at ?? (this.#cell && this.#centreOf(this.#cell));
    const middle = { x: size.width / 2, y: size.height / 2 };
    const offset = from ? { x: from.x - middle.x, y: from.y - middle.y } : { x: 0, y: 0 };
    const { rows, columns } = this.extent;
    const { dataset, state } = this.#shown!;
    const whole = homeCamera(dataset, { ...state, window: state.window.map(() => null) }, view, true);
    const moved = zoomed(this.#cameraOf(view), factor, offset, whole.scale / 2, aspect);
    this.callbacks.onCamera(inside(moved, rows, columns), "zoom");
  }

  redraw(): void {
    if (this.#frameRequest === 0) this.#frameRequest = requestAnimationFrame(() => this.#draw());
  }

  /** Draws what has come: not more often than is seen. */
  #drawSoon(): void {
    if (this.#frameRequest !== 0 || this.#soon !== undefined) return;
    const { least, most, frames } = restBetweenArrivals;
    const rest = Math.min(Math.max(least, frames * this.#frameTime), most);
    const wait = Math.max(0, rest - (performance.now() - this.#drawnAt));
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.redraw();
    }, wait);
  }

  /** Asks for tiles at the next frame, and draws. */
  #change(): void {
    this.#isAsked = false;
    this.redraw();
  }

  #keepFormer(before: Shown): void {
    if (this.#former || before.layers.length === 0) return;
    const tiles = new Map(before.layers.map((layer) => [layer.id, this.#tiles.tilesOf(layer)] as const));
    this.#former = { shown: before, tiles };
  }

  #draw(): void {
    this.#frameRequest = 0;
    const [shown, view] = [this.#shown, this.viewpoint];
    if (!shown || !view) return;
    const drawnAt = performance.now();
    this.#drawnAt = drawnAt;
    requestAnimationFrame(() => {
      this.#frameTime = performance.now() - drawnAt;
    });
    const isAsked = this.#isAsked;
    if (!isAsked) this.#tiles.update(shown.layers, view, shown.next, this.#way);
    this.#isAsked = true;
    const { status } = this.#tiles;
    const tiles = new Map(shown.layers.map((layer) => [layer, this.#tiles.tilesOf(layer)] as const));
    // Tiles that are read now are known by themselves; those that were there before are not.
    if (!isAsked)
      for (const [layer, list] of tiles)
        for (const tile of list) if (!this.ranges.has(tile, layer)) this.ranges.add(tile, layer);
    if (status.isComplete) this.ranges.settle();
    const hasAny = status.isComplete || [...tiles.values()].some(({ length }) => length > 0);
    if (hasAny) this.#former = undefined;
    const former = this.#former;
    const isWhole = former
      ? this.#painter.paint(
          this.frame,
          { ...former.shown, aspect: shown.aspect },
          view,
          ({ id }) => former.tiles.get(id) ?? [],
        )
      : this.#painter.paint(this.frame, shown, view, (layer) => tiles.get(layer) ?? []);
    if (!isWhole) this.redraw();
    // More is asked for when what is there has been drawn.
    else if (this.#tiles.isDue) this.#change();
    this.#placeCursor();
    const { top, left, bottom, right } = visible(view.camera, view.size, view.aspect);
    // For who looks from outside: rows and columns at the box's edges.
    this.frame.box.dataset["view"] =
      view.aspect < 0 ? `${bottom}:${top},${left}:${right}` : `${top}:${bottom},${left}:${right}`;
    const { rows, columns } = this.extent;
    this.frame.box.dataset["extent"] = `${rows},${columns}`;
    this.callbacks.onFrame(isWhole ? status : { ...status, isComplete: false });
  }

  #cellAt(at: Point): Cell | undefined {
    const view = this.viewpoint;
    if (!view) return undefined;
    const { row, column } = worldAt(view.camera, view.size, at, view.aspect);
    const { rows, columns } = this.extent;
    const cell = { row: rows === 1 && this.#isLine ? 0 : Math.floor(row), column: Math.floor(column) };
    return cell.row >= 0 && cell.row < rows && cell.column >= 0 && cell.column < columns ? cell : undefined;
  }

  get #isLine(): boolean {
    return this.#shown?.state.axes.length === 1;
  }

  #centreOf({ row, column }: Cell): Point {
    const { camera, size, aspect } = this.viewpoint!;
    return {
      x: size.width / 2 + (column + 0.5 - camera.column) * camera.scale,
      y: size.height / 2 + (row + 0.5 - camera.row) * camera.scale * aspect,
    };
  }

  #point(at: Point | undefined): void {
    this.point(at && this.#cellAt(at), "pointer");
  }

  #pan(dx: number, dy: number): void {
    const view = this.viewpoint;
    if (!view) return;
    const { rows, columns } = this.extent;
    const moved = panned(this.#cameraOf(view), dx, this.#isLine ? 0 : dy, view.aspect);
    this.callbacks.onCamera(inside(moved, rows, columns), "pan");
  }

  #marking(rectangle: readonly [Point, Point] | undefined): void {
    const { mark } = this.frame;
    mark.hidden = rectangle === undefined;
    if (!rectangle) return;
    const [a, b] = rectangle;
    const { style } = mark;
    style.left = `${Math.min(a.x, b.x)}px`;
    style.top = this.#isLine ? "0" : `${Math.min(a.y, b.y)}px`;
    style.width = `${Math.abs(a.x - b.x)}px`;
    style.height = this.#isLine ? "100%" : `${Math.abs(a.y - b.y)}px`;
  }

  #mark([a, b]: readonly [Point, Point]): void {
    const view = this.viewpoint;
    if (!view) return;
    const [from, to] = [a, b].map((at) => worldAt(view.camera, view.size, at, view.aspect));
    const { rows, columns } = this.extent;
    const interval = (x: number, y: number, length: number): Interval => {
      const first = Math.min(Math.max(0, Math.floor(Math.min(x, y))), length - 1);
      return [first, Math.max(first + 1, Math.min(length, Math.floor(Math.max(x, y)) + 1))];
    };
    this.callbacks.onWindow(interval(from!.row, to!.row, rows), interval(from!.column, to!.column, columns));
  }

  /** The cursor by keys; the view follows it. The first key only shows where it is. */
  #move(rows: number, columns: number): void {
    const [view, seen] = [this.viewpoint, this.seen];
    if (!view || !seen) return;
    const extent = this.extent;
    const clamp = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);
    const middle = (from: number, to: number, count: number) => clamp(Math.ceil((from + to) / 2) - 1, count);
    const from = this.#cell;
    const cell = from
      ? { row: clamp(from.row + rows, extent.rows), column: clamp(from.column + columns, extent.columns) }
      : {
          row: middle(seen.top, seen.bottom, extent.rows),
          column: middle(seen.left, seen.right, extent.columns),
        };
    const at = ((): Point => this.#centreOf(cell))();
    const { width, height } = view.size;
    const out = (x: number, most: number) => (x < 0 ? x - most / 4 : x > most ? x - most + most / 4 : 0);
    const [dx, dy] = [out(at.x, width), this.#isLine ? 0 : out(at.y, height)];
    if (dx !== 0 || dy !== 0)
      this.callbacks.onCamera(panned(this.#cameraOf(view), -dx, -dy, view.aspect), "pan");
    this.point(cell, "keyboard");
  }

  #placeCursor(): void {
    const { cursor } = this.frame;
    const [cell, view] = [this.#cell, this.viewpoint];
    cursor.hidden = !cell || !view;
    if (!cell || !view) return;
    const { x, y } = this.#centreOf(cell);
    const { scale } = view.camera;
    const side = { width: scale, height: this.#isLine ? view.size.height : scale * Math.abs(view.aspect) };
    const { style } = cursor;
    style.width = `${side.width}px`;
    style.height = `${side.height}px`;
    style.left = `${x - side.width / 2}px`;
    style.top = this.#isLine ? "0" : `${y - side.height / 2}px`;
  }
}

function isSamePlane(a: Shown, b: Shown): boolean {
  const key = ({ layers }: Shown) =>
    layers
      .map(({ id, axes, index, field, part, isRaw }) => [id, axes, index, field, part, isRaw].join())
      .join("|");
  return key(a) === key(b);
}

export function extentOf({ dataset, state }: Pick<Shown, "dataset" | "state">): {
  rows: number;
  columns: number;
} {
  const shape = shapeOf(dataset);
  const { axes } = state;
  return { rows: axes.length > 1 ? shape[axes[0]!]! : 1, columns: shape[axes.at(-1)!]! };
}

/** The index along every axis of an element of a plane. */
export function indexOf({ axes, index }: ViewState, { row, column }: Cell): number[] {
  const full = [...index];
  if (axes.length > 1) full[axes[0]!] = row;
  full[axes.at(-1)!] = column;
  return full;
}
