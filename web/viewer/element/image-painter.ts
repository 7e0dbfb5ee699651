/** Draws two axes as an image. */
import { formatCount, formatShape } from "../base/format.js";
import { isSoftware, type Renderer, type Rgb } from "../draw/renderer.js";
import type { Warping } from "../draw/warp.js";
import type { Point } from "../input/gestures.js";
import { visible } from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import { openedLayers } from "../model/opened-layers.js";
import { axisName, fillRuler, rulerTitle, rulerWidth } from "../panels/rulers.js";
import { datasetShape } from "../source/dataset.js";
import type { RowId } from "../source/row-id.js";
import type { Tile } from "../tiles/tile.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Frame } from "./frame.js";
import type { Overlay } from "./overlay.js";
import type { Described, Painter } from "./painter.js";
import { type PlaneContent, planeExtent } from "./plane-geometry.js";
import { drawnDataset, warpCode } from "./projections.js";
import type { Ranges } from "./ranges.js";
import type { VectorOverlay } from "./vector-overlay.js";

/** Delay of the renderer's creation in milliseconds, during which the first tiles are requested. */
const restBeforeMaking = 10;

export class ImagePainter implements Painter {
  #renderer: Renderer | undefined;
  #making: ReturnType<typeof setTimeout> | undefined;
  #isMaking = false;
  /** True if no renderer could be made. */
  #hasFailed = false;
  #isDisposed = false;
  /** The overlay of the picture; loaded before the first drawing. */
  #overlay: Overlay | undefined;
  #overlaying: Promise<void> | undefined;
  /** Points and shapes; loaded with the first of them. */
  #vectors: VectorOverlay | undefined;
  #loadingVectors: Promise<void> | undefined;
  #warping: Warping | undefined;
  readonly #scheme = window.matchMedia("(prefers-color-scheme: dark)");
  readonly #repaint: () => void;
  #kept: { readonly ground: Rgb; readonly paper: Rgb } | undefined;

  constructor(
    private readonly redraw: () => void,
    private budgetBytes: number,
    private readonly ranges: Ranges,
  ) {
    this.#repaint = () => {
      this.#kept = undefined;
      redraw();
    };
    this.#scheme.addEventListener("change", this.#repaint);
  }

  paint(
    frame: Frame,
    shown: PlaneContent,
    view: Viewpoint,
    tilesOf: (layer: Layer) => readonly Tile[],
  ): boolean {
    const { size, ratio, camera, aspect } = view;
    const { state, layers } = shown;
    const dataset = drawnDataset(shown, view);
    const shape = datasetShape(dataset);
    const seen = visible(camera, size, aspect);
    const names = state.axes.map((axis) => axisName(dataset.axes, axis));
    const lengths = state.axes.map((axis) => shape[axis]!);
    const [down, across] = state.axes.map((axis) => dataset.axes[axis]!);
    // The axis title takes the room beside the ticks' digits.
    frame.setRulerWidth(rulerWidth(lengths[0]!, down!));
    const [from, to] = aspect < 0 ? [seen.bottom, seen.top] : [seen.top, seen.bottom];
    fillRuler(
      frame.across,
      "across",
      rulerTitle(names[1]!, across!),
      { from: seen.left, to: seen.right, length: lengths[1]! },
      size.width,
      across,
    );
    fillRuler(
      frame.down,
      "down",
      rulerTitle(names[0]!, down!),
      { from, to, length: lengths[0]! },
      size.height,
      down,
    );
    const subject = dataset.embedding
      ? `Scatter plot of ${formatCount(dataset.embedding.observations.rows)} points`
      : `Image of a slice of ${formatShape(lengths)} elements`;
    const label = `${subject}. Down ${names[0]}. Across ${names[1]}. Arrow keys read values.`;
    if (frame.box.getAttribute("aria-label") !== label) frame.box.setAttribute("aria-label", label);
    this.#overlay?.paint({ ...shown, dataset }, view);
    if (this.#hasVectors(shown)) this.#loadingVectors ??= this.#loadVectors(frame);
    this.#vectors?.paint(shown.dataset, { ...shown, dataset }, view);
    const place = this.#placer(shown, view);
    const drawn = layers.map((layer) => {
      const [low, high] = this.ranges.limits(layer);
      const { style, extent, turn } = layer;
      return { style, low, high, tiles: place(layer, tilesOf(layer)), extent, turn: turn?.matrix };
    });
    // Over nothing: the first layer of a scene hides the paper.
    const [first] = drawn;
    if (first && first.style.opacity < 1)
      drawn.unshift({ ...first, style: { ...first.style, opacity: 1 }, tiles: [] });
    const isNeeded = drawn.some(({ tiles }) => tiles.length > 0);
    if (isNeeded) this.#overlaying ??= this.#lay(frame);
    frame.box.toggleAttribute("data-plot", dataset.embedding !== undefined);
    if (dataset.embedding) return this.#vectors !== undefined;
    if (!this.#renderer) {
      this.#prepare(frame, isNeeded);
      // Until then the style sheet paints the background.
      return !isNeeded || this.#hasFailed;
    }
    return this.#renderer.draw({
      size,
      ratio,
      camera,
      aspect,
      extent: { top: 0, left: 0, bottom: lengths[0]!, right: lengths[1]! },
      ...this.#grounds(frame),
      // Additive layers start from black.
      ...(layers[0]?.style.blend === "add" ? { paper: black } : {}),
      layers: drawn,
      isDraft: shown.isPassing,
    });
  }

  /** A function that places the tiles of a layer in the world; those of equal cells are placed already. */
  #placer(shown: PlaneContent, view: Viewpoint): (layer: Layer, tiles: readonly Tile[]) => readonly Tile[] {
    const { projection, layers, state, dataset } = shown;
    const isPlain = !projection || (projection.isIdentity && view.shift === undefined);
    if (isPlain && !layers.some(({ style }) => style.isSmooth)) return (_, tiles) => tiles;
    const { Warping, equalCells } = warpCode();
    this.#warping ??= new Warping((key) => this.#renderer?.forget(key));
    const cells = projection ?? equalCells(state.axes.map((axis) => dataset.axes[axis]!));
    const place = this.#warping.begin(cells, view, planeExtent(shown));
    return ({ style, turn }, tiles) => {
      // Turned layers are placed by the renderer, in planes of equal cells.
      if (turn) return isPlain ? tiles : [];
      return isPlain && !style.isSmooth ? tiles : place(tiles, style.isSmooth === true);
    };
  }

  /**
   * The renderer is loaded and created while the first requests are in flight: it takes long if the browser
   * must start its graphics, and blocks everything else, even sending requests.
   */
  #prepare({ canvas }: Frame, isNeeded: boolean): void {
    if (this.#isMaking) return;
    if (isNeeded) void this.#make(canvas);
    else this.#making ??= setTimeout(() => void this.#make(canvas), restBeforeMaking);
  }

  #hasVectors({ dataset, state }: PlaneContent): boolean {
    if (dataset.embedding) return true;
    return (
      state.layers.length > 0 && [...openedLayers(dataset).values()].some(({ kind }) => kind === "features")
    );
  }

  async #loadVectors(frame: Frame): Promise<void> {
    try {
      const { VectorOverlay } = await import("./layer-opener.js");
      if (this.#isDisposed) return;
      this.#vectors = new VectorOverlay(frame.overlay);
      this.redraw();
    } catch {
      this.#loadingVectors = undefined; // the next frame tries again
    }
  }

  describe(at: Point | undefined): Described | undefined {
    return this.#vectors?.describe(at);
  }

  observationAt(at: Point): RowId | undefined {
    return this.#vectors?.observationAt(at);
  }

  beside(from: Point, way: Point): Point | undefined {
    return this.#vectors?.beside(from, way);
  }

  async #lay(frame: Frame): Promise<void> {
    try {
      const { Overlay } = await import("./overlay.js");
      if (this.#isDisposed) return;
      this.#overlay = new Overlay(frame, this.redraw);
      this.redraw();
    } catch {
      this.#overlaying = undefined; // the next frame tries again
    }
  }

  async #make(canvas: HTMLCanvasElement): Promise<void> {
    clearTimeout(this.#making);
    if (this.#isMaking) return;
    this.#isMaking = true;
    try {
      const renderer = await makeRenderer(canvas, this.budgetBytes, this.redraw);
      if (this.#isDisposed) return renderer.dispose();
      renderer.budget = this.budgetBytes; // it may have been replaced
      this.#renderer = renderer;
      canvas.dataset["renderer"] = renderer.kind;
    } catch (error) {
      this.#hasFailed = true;
      reportError(error);
    }
    if (!this.#isDisposed) this.redraw();
  }

  /** Colours of the style sheet, which depend on the colour scheme only. */
  #grounds({ box }: Frame): { ground: Rgb; paper: Rgb } {
    this.#kept ??= {
      ground: fillColour(box, "--zw-sunken", [238, 241, 244]),
      paper: fillColour(box, "--zw-surface", [255, 255, 255]),
    };
    return this.#kept;
  }

  setBudget(bytes: number): void {
    this.budgetBytes = bytes;
    if (this.#renderer) this.#renderer.budget = bytes;
  }

  forget(blockKey: string): void {
    this.#renderer?.forget(blockKey);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#scheme.removeEventListener("change", this.#repaint);
    clearTimeout(this.#making);
    this.#renderer?.dispose();
  }
}

const black: Rgb = [0, 0, 0];

/** A colour of the style sheet. */
function fillColour(element: HTMLElement, name: string, otherwise: Rgb): Rgb {
  const text = getComputedStyle(element).getPropertyValue(name).trim();
  const hex = /^#([0-9a-f]{6})$/i.exec(text)?.[1];
  if (!hex) return otherwise;
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Only the renderer in use is loaded. */
async function makeRenderer(
  canvas: HTMLCanvasElement,
  budgetBytes: number,
  redraw: () => void,
): Promise<Renderer> {
  if (!isSoftware()) {
    const { WebGLRenderer } = await import("../draw/webgl.js");
    try {
      return new WebGLRenderer(canvas, budgetBytes, redraw);
    } catch {
      // WebGL2 is missing or exhausted
    }
  }
  const { CanvasRenderer } = await import("../draw/canvas2d.js");
  return new CanvasRenderer(canvas);
}
