/**
 * A plane on a canvas: requests tiles as the camera moves, and draws them as they arrive. Common to images
 * and lines; the drawing itself is a `Painter`'s.
 */

import { setHidden } from "../base/dom.js";
import { type Command, Gestures, type Point } from "../input/gestures.js";
import { type Camera, closest, panned, type Rectangle, visible, zoomed } from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import type { GlobeCentre } from "../model/projection.js";
import type { RegionState } from "../model/regions.js";
import type { Interval } from "../model/state.js";
import type { RowId } from "../source/row-id.js";
import { acquire, release, type Shared } from "../tiles/shared.js";
import type { Gap, Tile } from "../tiles/tile.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import { TileSet, type TileStatus } from "../tiles/tile-set.js";
import { type Described, Frame, FrameClock, type Painter } from "./frame.js";
import {
  type Cell,
  cellAt,
  cellCentre,
  cellIndex,
  distanceInto,
  drawnLevel,
  type Extent,
  isLine,
  isSamePlane,
  markedCamera,
  markedIntervals,
  movedCell,
  type PlaneContent,
  placeCursor,
  planeExtent,
  pointAt,
  positionInside,
  type Reading,
  reachable,
  readCell,
  readingViews,
  requestedCamera,
  resolveViewpoint,
  visibleRectangle,
  wholeScale,
  worldExtent,
} from "./plane-geometry.js";
import { PlaneTools } from "./plane-tools.js";
import type { Ranges } from "./ranges.js";
import { SliceSampling } from "./slice-sampling.js";

export interface PlaneCallbacks {
  onCamera(camera: Camera, cause: "pan" | "zoom"): void;
  /** Turns a globe. */
  onTurn?(centre: GlobeCentre): void;
  /** Shows a rectangle of whole elements: rows and columns. */
  onWindow(rows: Interval, columns: Interval): void;
  /** Shows everything. */
  onReset(): void;
  onPoint(cell: Cell | undefined, by: "pointer" | "keyboard"): void;
  /**
   * Chooses an element: by click, tap or Enter.
   * @param isPinned whether the cursor stays there
   */
  onPick(cell: Cell, isPinned: boolean): void;
  /** Moves to another slice, forwards or backwards. */
  onStep(direction: 1 | -1, axis?: number): void;
  /** Starts or stops playing the slices. */
  onPlay(): void;
  onCommand(command: Command): void;
  /** Adds a region to the state. */
  onRegion(region: RegionState): void;
  /** Called after every frame with a change. */
  onFrame(status: TileStatus): void;
}

export class PlaneView {
  readonly frame: Frame;
  readonly #shared: Shared = acquire();
  readonly #tiles: TileSet;
  readonly #sampling: SliceSampling;
  readonly #tools: PlaneTools;
  readonly #gestures: Gestures;
  readonly #painter: Painter;
  readonly #endDropping: () => void;
  readonly #clock = new FrameClock(() => this.#draw());
  #shown: PlaneContent | undefined;
  /** Tiles of the previous plane, shown until the next one has some. */
  #former: { readonly shown: PlaneContent; readonly tiles: Map<string, readonly Tile[]> } | undefined;
  #cell: Cell | undefined;
  /** Whether the cursor stays at a picked element. */
  #isPinned = false;
  /** Position of the pointer, while it chooses the cell. */
  #at: Point | undefined;
  #way = { row: 0, column: 0 };
  #isAsked = false;

  constructor(
    private readonly ranges: Ranges,
    private readonly callbacks: PlaneCallbacks,
    makePainter: (frame: Frame, redraw: () => void, budgetBytes: number) => Painter,
  ) {
    this.frame = new Frame(() => {
      this.#ask(); // before the next frame
      this.#change();
    });
    this.#sampling = new SliceSampling(this.#shared, ranges, () => this.redraw());
    this.#tiles = new TileSet(this.#shared, {
      onTile: (tile, layer) => this.#add(tile, layer),
      onChange: () => this.#onRead(),
    });
    this.#painter = makePainter(this.frame, () => this.redraw(), this.#shared.scheduler.cache.budget);
    this.#tools = this.#makeTools();
    this.#gestures = this.#makeGestures();
    this.#endDropping = this.#shared.onDrop((key) => this.#painter.forget(key));
  }

  #makeTools(): PlaneTools {
    return new PlaneTools(this, {
      onPan: (dx, dy) => this.#pan(dx, dy),
      onRest: () => this.#change(),
      onMark: (rectangle) => this.#mark(rectangle),
      onChoose: (at) => this.#pick(at, false),
      onPin: (at) => this.#pick(at, true),
      onUnpin: () => this.#pin(false),
      onRegion: (region) => this.callbacks.onRegion(region),
    });
  }

  #makeGestures(): Gestures {
    return new Gestures(this.frame.box, {
      ...this.callbacks,
      tool: (keys) => this.#tools.of(keys),
      onPoint: (at) => {
        if (!this.#isPinned) this.#at = at;
        this.point(at && this.#cellAt(at), "pointer");
      },
      onPan: (dx, dy) => this.#pan(dx, dy),
      onZoom: (factor, at) => this.zoom(factor, at),
      onMove: (rows, columns) => this.#move(rows, columns),
      onLeave: () => {
        if (!this.#tools.cancel()) this.point(undefined, "keyboard");
      },
      onRest: () => this.#change(),
      onEnter: () => {
        const at = this.#cell && this.centreOf(this.#cell);
        if (at) this.#tools.current.click(at);
      },
    });
  }

  get element(): HTMLElement {
    return this.frame.element;
  }

  /** Undefined before anything has been shown. */
  get content(): PlaneContent | undefined {
    return this.#shown;
  }

  /** The element under the pointer. */
  get cell(): Cell | undefined {
    return this.#cell;
  }

  /** Memory limit for data that have been read, in bytes, and the memory in use. */
  get memory(): { budget: number; used: number } {
    const { cache } = this.#shared.scheduler;
    return { budget: cache.budget, used: cache.bytes };
  }
  setBudget(bytes: number): void {
    this.#shared.scheduler.cache.budget = bytes;
    this.#painter.setBudget?.(bytes);
    this.#change();
  }

  show(shown: PlaneContent): void {
    const before = this.#shown;
    if (before && before.dataset !== shown.dataset) {
      this.#pin(false);
      this.#cell = undefined;
      this.#former = undefined;
      this.#sampling.leave();
    } else if (before && !isSamePlane(before, shown)) this.#keepFormer(before);
    if (before?.state.camera && shown.state.camera) {
      const [from, to] = [before.state.camera, shown.state.camera];
      this.#way = { row: to.row - from.row, column: to.column - from.column };
    } else this.#way = { row: 0, column: 0 };
    const isOther = before !== undefined && !isSamePlane(before, shown);
    this.#shown = shown;
    if (isOther) this.#ask(); // before the next frame
    this.#change();
  }

  /** Drawn parts without data. */
  get gaps(): readonly Gap[] {
    const blocks = new Set(
      (this.#shown?.layers ?? []).flatMap((layer) => this.#tiles.tilesOf(layer).map(({ block }) => block)),
    );
    return [...blocks].flatMap(({ gaps }) => gaps);
  }

  get isRead(): boolean {
    return this.#tiles.isRead;
  }

  /** Retries failed reads. */
  retry(): void {
    this.#tiles.retry();
    this.#change();
  }

  dispose(): void {
    this.#clock.dispose();
    this.#tiles.leave();
    this.#sampling.leave();
    this.#endDropping();
    this.#gestures.dispose();
    this.#painter.dispose();
    this.frame.dispose();
    this.#shown = undefined;
    release();
  }

  /** Rows and columns of the whole plane. */
  get extent(): Extent {
    return planeExtent(this.#shown!);
  }

  /** Camera, size and scale of the current view. */
  get viewpoint(): Viewpoint | undefined {
    return this.#shown && resolveViewpoint(this.#shown, this.frame.size, this.frame.ratio);
  }

  /** The level in use. */
  get level(): number {
    const view = this.viewpoint;
    return view ? drawnLevel(this.#shown!, view) : 0;
  }

  /** The visible rectangle, clipped to the plane. */
  get seen(): Rectangle | undefined {
    const view = this.viewpoint;
    return view && visibleRectangle(this.#shown!, view);
  }

  /** Values of an element, per layer. */
  read(cell: Cell): Reading[] {
    return (this.#shown?.layers ?? []).flatMap((layer) => {
      const centre = { row: cell.row + 0.5, column: cell.column + 0.5 };
      const at = layer.turn?.place(centre.row, centre.column) ?? centre;
      const tile = this.#tiles.tileAt(layer, at);
      return tile ? [readCell(layer, tile, at)] : [];
    });
  }

  /** Describes the point or shape under the pointer, or at the centre of an element. */
  describe(cell: Cell | undefined): Described | undefined {
    return this.#painter.describe?.(this.#at ?? (cell && this.centreOf(cell)));
  }

  /** The integer that identifies the observation under the pointer, or at the centre of an element. */
  observationAt(cell: Cell): RowId | undefined {
    const at = this.#at ?? this.centreOf(cell);
    return at && this.#painter.observationAt?.(at);
  }

  /** Sets the element under the pointer. */
  point(cell: Cell | undefined, by: "pointer" | "keyboard"): void {
    if (this.#isPinned && by === "pointer") return;
    this.#pin(false);
    this.#cell = cell;
    if (by === "keyboard") this.#at = undefined;
    this.#placeCursor();
    this.callbacks.onPoint(cell, by);
  }

  /** Chooses the element at a point. */
  #pick(at: Point, isPinned: boolean): void {
    const cell = this.#cellAt(at);
    if (!cell) return;
    if (isPinned) {
      this.#pin(true);
      this.#cell = cell;
      this.#placeCursor();
    }
    this.callbacks.onPick(cell, isPinned);
  }

  /** @returns whether the cursor was pinned */
  #pin(isPinned: boolean): boolean {
    const before = this.#isPinned;
    this.#isPinned = isPinned;
    this.frame.cursor.classList.toggle("zw-pinned", isPinned);
    return before;
  }

  /** Zooms by `factor` towards a point, by default the element under the pointer, or else the centre. */
  zoom(factor: number, at?: Point): void {
    const view = this.viewpoint;
    if (!view) return;
    const { size, aspect } = view;
    const shown = this.#shown!;
    const isGlobe = shown.projection?.turned !== undefined; // stays in the middle
    const from = isGlobe ? undefined : (at ?? (this.#cell && cellCentre(shown, view, this.#cell)));
    const middle = { x: size.width / 2, y: size.height / 2 };
    const offset = from ? { x: from.x - middle.x, y: from.y - middle.y } : { x: 0, y: 0 };
    const least = wholeScale(shown, view) / 2;
    // Small cells can be magnified as much as others.
    const limits = { least, most: closest / (shown.projection?.smallest ?? 1) };
    this.#look(zoomed(requestedCamera(shown, view), factor, offset, limits, aspect), "zoom");
  }

  /** Position of an element's centre in the box; undefined before the first frame. */
  centreOf(cell: Cell): Point | undefined {
    const view = this.viewpoint;
    return view && cellCentre(this.#shown!, view, cell);
  }

  /** The place in the window of an index, whose fractions are positions between centres of elements. */
  toScreen(index: readonly number[]): Point | undefined {
    const view = this.viewpoint;
    if (!view) return undefined;
    const { axes } = this.#shown!.state;
    const [row, column] = [axes.length > 1 ? index[axes[0]!]! : 0, index[axes.at(-1)!]!];
    const { x, y } = pointAt(this.#shown!, view, { row: row + 0.5, column: column + 0.5 });
    const { left, top } = this.frame.box.getBoundingClientRect();
    return { x: left + x, y: top + y };
  }

  /** The inverse of `toScreen`; undefined outside the array. */
  fromScreen(x: number, y: number): number[] | undefined {
    const view = this.viewpoint;
    const { left, top } = this.frame.box.getBoundingClientRect();
    const at = view && positionInside(this.#shown!, view, { x: x - left, y: y - top });
    return at && cellIndex(this.#shown!.state, { row: at.row - 0.5, column: at.column - 0.5 });
  }

  redraw(): void {
    this.#clock.drawNow();
  }

  #ask(): void {
    const [shown, view] = [this.#shown, this.viewpoint];
    if (shown && view) this.#tiles.update(shown.layers, readingViews(shown, view), shown.next, this.#way);
  }

  /** Reads layers behind the shown ones, which soon replace them. */
  prepare(next: readonly Layer[]): void {
    if (!this.#shown) return;
    this.#shown = { ...this.#shown, next };
    this.#ask();
  }

  /** No other slice follows the shown one soon: it is drawn as a whole. */
  rest(): void {
    if (!this.#shown?.isPassing) return;
    this.#shown = { ...this.#shown, isPassing: false };
    this.#change();
  }

  /** Adds the values of a tile to the ranges, if they are needed before slices rest. */
  #add(tile: Tile, layer: Layer): void {
    if (!this.#shown?.isPassing || this.ranges.isOfPlane(layer)) this.ranges.add(tile, layer);
  }

  #onRead(): void {
    // The last tile completes the picture. While slices pass, only whole ones are drawn.
    if (this.#tiles.isRead) this.#clock.drawNow();
    else if (!this.#shown?.isPassing) this.#clock.drawSoon();
  }

  /** Requests tiles and draws, in the next frame. */
  #change(): void {
    this.#isAsked = false;
    this.redraw();
  }

  #keepFormer(before: PlaneContent): void {
    if (this.#former || before.layers.length === 0) return;
    const tiles = new Map(before.layers.map((layer) => [layer.id, this.#tiles.tilesOf(layer)] as const));
    this.#former = { shown: before, tiles };
  }

  #draw(): void {
    const [shown, view] = [this.#shown, this.viewpoint];
    if (!shown || !view) return;
    this.#clock.begin();
    const isAsked = this.#isAsked;
    if (!isAsked) this.#ask();
    this.#isAsked = true;
    const { status } = this.#tiles;
    const tiles = new Map(shown.layers.map((layer) => [layer, this.#tiles.tilesOf(layer)] as const));
    // Tiles read from now on are added to the ranges on arrival; cached ones are added here.
    if (!isAsked) this.#addToRanges(tiles);
    const isRest = status.isComplete && !shown.isPassing;
    if (isRest) {
      this.ranges.settle();
      this.#sampling.start(shown.layers, shown.state.sample, status.bytes);
    }
    const isWhole = this.#paint(shown, view, tiles, status);
    if (!isWhole) this.redraw();
    // More tiles are requested after the available ones have been drawn.
    else if (this.#tiles.isDue) this.#change();
    this.#placeCursor();
    this.#tools.paint(shown.state.tool);
    this.#describe(view);
    const isComplete = isRest && isWhole && !this.#sampling.isBusy;
    this.callbacks.onFrame({ ...status, isComplete });
  }

  /** Adds the values of tiles to the ranges. */
  #addToRanges(tiles: ReadonlyMap<Layer, readonly Tile[]>): void {
    for (const [layer, list] of tiles) for (const tile of list) this.#add(tile, layer);
  }

  /** Draws the previous plane while the current one has no tiles. */
  #paint(
    shown: PlaneContent,
    view: Viewpoint,
    tiles: ReadonlyMap<Layer, readonly Tile[]>,
    { isCovered }: TileStatus,
  ): boolean {
    const hasSome = !shown.isPassing && [...tiles.values()].some(({ length }) => length > 0);
    const hasAny = isCovered || hasSome;
    if (hasAny) this.#former = undefined;
    const former = this.#former;
    if (!former) return this.#painter.paint(shown, view, (layer) => tiles.get(layer) ?? []);
    const before = { ...former.shown, aspect: shown.aspect };
    return this.#painter.paint(before, view, ({ id }) => former.tiles.get(id) ?? []);
  }

  /** For outside observers: rows and columns at the edges of the box. */
  #describe(view: Viewpoint): void {
    const { top, bottom, ...across } = visible(view.camera, view.size, view.aspect);
    const [left, right] = [across.left + (view.shift ?? 0), across.right + (view.shift ?? 0)];
    const { dataset } = this.frame.box;
    dataset["view"] =
      view.aspect < 0 ? `${bottom}:${top},${left}:${right}` : `${top}:${bottom},${left}:${right}`;
    const [extent, world] = [this.extent, worldExtent(this.#shown!)];
    dataset["extent"] = `${extent.rows},${extent.columns}`;
    dataset["world"] = `${world.rows},${world.columns}`;
  }

  #cellAt(at: Point): Cell | undefined {
    const view = this.viewpoint;
    return view && cellAt(this.#shown!, view, at);
  }

  /** Moves the camera, within the bounds of the plane. */
  #look(camera: Camera, cause: "pan" | "zoom"): void {
    this.callbacks.onCamera(reachable(this.#shown!, camera), cause);
  }

  #pan(dx: number, dy: number): void {
    const view = this.viewpoint;
    if (!view) return;
    const { scale } = view.camera;
    const centre = this.#shown!.projection?.turned?.(dy / scale, dx / scale);
    if (centre) {
      this.callbacks.onTurn?.(centre);
      return;
    }
    const camera = requestedCamera(this.#shown!, view);
    this.#look(panned(camera, dx, isLine(this.#shown!) ? 0 : dy, view.aspect), "pan");
  }

  #mark(rectangle: readonly [Point, Point]): void {
    const view = this.viewpoint;
    if (!view) return;
    const { projection } = this.#shown!;
    // Intervals of elements are rectangles of the world only if both are the same.
    const isSame = !projection || (projection.isIdentity && view.shift === undefined);
    if (!isSame) this.#look(markedCamera(view, rectangle), "zoom");
    else this.callbacks.onWindow(...markedIntervals(this.#shown!, view, rectangle));
  }

  /** Moves the cursor by keys; the view follows it. The first key press only shows it. */
  #move(rows: number, columns: number): void {
    const view = this.viewpoint;
    if (!view) return;
    const shown = this.#shown!;
    const cell = this.#beside(rows, columns) ?? movedCell(shown, view, this.#cell, { rows, columns });
    const { dx, dy } = distanceInto(shown, view, cell);
    if (dx !== 0 || dy !== 0) this.#look(panned(requestedCamera(shown, view), -dx, -dy, view.aspect), "pan");
    this.point(cell, "keyboard");
    const at = this.centreOf(cell);
    if (at) this.#tools.current.hover?.(at);
  }

  /** The element with the next observation in the direction of an arrow key. */
  #beside(rows: number, columns: number): Cell | undefined {
    if (!this.#shown?.dataset.embedding || !Number.isFinite(rows + columns)) return undefined;
    const { width, height } = this.frame.size;
    const from = this.#cell && this.centreOf(this.#cell);
    const way = from ? { x: Math.sign(columns), y: Math.sign(rows) } : { x: 0, y: 0 };
    const at = this.#painter.beside?.(from ?? { x: width / 2, y: height / 2 }, way);
    return at && this.#cellAt(at);
  }

  #placeCursor(): void {
    const { cursor } = this.frame;
    const [cell, view] = [this.#cell, this.viewpoint];
    setHidden(cursor, !cell || !view);
    if (cell && view) placeCursor(cursor, cell, this.#shown!, view);
  }
}
