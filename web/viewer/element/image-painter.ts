/** Draws two axes as an image. */
import { formatCount, formatShape } from "../base/format.js";
import { LazyPart } from "../base/lazy-part.js";
import { isSoftware, type Renderer, type Rgb, type Scene } from "../draw/renderer.js";
import type { Warping } from "../draw/warp.js";
import type { Point } from "../input/gestures.js";
import { text } from "../language/text.js";
import { visible } from "../model/camera.js";
import { openedLayers } from "../model/layer.js";
import type { Layer } from "../model/layers.js";
import { axisName, fillRuler, rulerTitle, rulerWidth } from "../panels/rulers.js";
import { datasetShape } from "../source/dataset.js";
import type { RowId } from "../source/row-id.js";
import type { Tile } from "../tiles/tile.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Described, Frame, Painter } from "./frame.js";
import { type PlaneContent, planeExtent } from "./plane-geometry.js";
import { drawnDataset, warpCode } from "./projections.js";
import type { Ranges } from "./ranges.js";

/** Delay of the renderer's creation in milliseconds, during which the first tiles are requested. */
const restBeforeMaking = 10;

export class ImagePainter implements Painter {
  /**
   * Loaded and created while the first requests are in flight: it takes long if the browser must start its graphics,
   * and blocks everything else, even sending requests.
   */
  readonly #renderer = new LazyPart(async () => {
    await new Promise((resolve) => setTimeout(resolve, restBeforeMaking));
    const { canvas } = this.frame;
    const renderer = await makeRenderer(canvas, this.budgetBytes, this.redraw);
    if (this.#isDisposed) renderer.dispose();
    renderer.budget = this.budgetBytes; // it may have been replaced
    canvas.dataset["renderer"] = renderer.kind;
    return renderer;
  });
  #isDisposed = false;
  /** The overlay of the picture; loaded before the first drawing. */
  readonly #overlay = new LazyPart(async () => {
    const { Overlay } = await import("./overlay.js");
    return new Overlay(this.frame, this.redraw);
  });
  /** Points and shapes; loaded with the first of them. */
  readonly #vectors = new LazyPart(async () => {
    const { VectorOverlay } = await import("./layer-opener.js");
    return new VectorOverlay(this.frame.overlay);
  });
  #warping: Warping | undefined;
  readonly #scheme = window.matchMedia("(prefers-color-scheme: dark)");
  readonly #repaint: () => void;
  #kept: Grounds | undefined;

  constructor(
    private readonly frame: Frame,
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

  paint(shown: PlaneContent, view: Viewpoint, tilesOf: (layer: Layer) => readonly Tile[]): boolean {
    const { frame } = this;
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
    // The lines of map projections have their own labels.
    const [rows, columns] = shown.projection?.geo ? [0, 0] : lengths;
    const [from, to] = aspect < 0 ? [seen.bottom, seen.top] : [seen.top, seen.bottom];
    fillRuler(
      frame.across,
      "across",
      rulerTitle(names[1]!, across!),
      { from: seen.left, to: seen.right, length: columns! },
      size.width,
      across,
    );
    fillRuler(
      frame.down,
      "down",
      rulerTitle(names[0]!, down!),
      { from, to, length: rows! },
      size.height,
      down,
    );
    const subject = dataset.embedding
      ? text.planes.scatterPlot(formatCount(dataset.embedding.observations.rows))
      : text.planes.image(formatShape(lengths));
    const label = text.planes.label(subject, names[0]!, names[1]!);
    if (frame.box.getAttribute("aria-label") !== label) frame.box.setAttribute("aria-label", label);
    this.#overlay.value?.paint({ ...shown, dataset }, view);
    if (this.#hasVectors(shown)) this.#vectors.want(this.redraw);
    this.#vectors.value?.paint(shown.dataset, { ...shown, dataset }, view);
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
    if (isNeeded) this.#overlay.want(this.redraw);
    frame.box.toggleAttribute("data-plot", dataset.embedding !== undefined);
    if (dataset.embedding) return this.#vectors.value !== undefined;
    const renderer = this.#renderer.value;
    if (!renderer) {
      if (!this.#renderer.hasFailed) this.#renderer.want(this.redraw, this.#fail);
      // Until then the style sheet paints the background.
      return !isNeeded || this.#renderer.hasFailed;
    }
    const grounds = this.#grounds();
    const isWhole = renderer.draw({
      size,
      ratio,
      camera,
      aspect,
      extent: { top: 0, left: 0, bottom: lengths[0]!, right: lengths[1]! },
      ...grounds,
      // Additive layers start from black.
      ...(layers[0]?.style.blend === "add" ? { paper: black, unread: darkLines } : {}),
      layers: drawn,
      isDraft: shown.isPassing,
    });
    if (shown.projection && !isPlain(shown, view))
      this.#warping!.fillOutside(frame.canvas.getContext("2d")!, `rgb(${grounds.ground.join(" ")})`);
    return isWhole;
  }

  /** A function that places the tiles of a layer in the world; those of equal cells are placed already. */
  #placer(shown: PlaneContent, view: Viewpoint): (layer: Layer, tiles: readonly Tile[]) => readonly Tile[] {
    const { projection, layers, state, dataset } = shown;
    const isUpright = isPlain(shown, view);
    if (isUpright && !layers.some(({ style }) => style.isSmooth)) return (_, tiles) => tiles;
    const { Warping, equalCells } = warpCode();
    this.#warping ??= new Warping((key) => this.#renderer.value?.forget(key));
    const cells = projection ?? equalCells(state.axes.map((axis) => dataset.axes[axis]!));
    const place = this.#warping.begin(cells, view, planeExtent(shown));
    return ({ style, turn }, tiles) => {
      // Turned layers are placed by the renderer, in planes of equal cells.
      if (turn) return isUpright ? tiles : [];
      return isUpright && !style.isSmooth ? tiles : place(tiles, style.isSmooth === true);
    };
  }

  /** Without a renderer, the rest of the picture is drawn. */
  readonly #fail = (error: unknown) => {
    reportError(error);
    this.redraw();
  };

  #hasVectors({ dataset, state }: PlaneContent): boolean {
    if (dataset.embedding) return true;
    return (
      state.layers.length > 0 && [...openedLayers(dataset).values()].some(({ kind }) => kind === "features")
    );
  }

  describe(at: Point | undefined): Described | undefined {
    return this.#vectors.value?.describe(at);
  }

  observationAt(at: Point): RowId | undefined {
    return this.#vectors.value?.observationAt(at);
  }

  beside(from: Point, way: Point): Point | undefined {
    return this.#vectors.value?.beside(from, way);
  }

  /** Colours of the style sheet, which depend on the colour scheme only. */
  #grounds(): Grounds {
    const { box } = this.frame;
    this.#kept ??= {
      ground: fillColour(box, "--zw-sunken", [238, 241, 244]),
      paper: fillColour(box, "--zw-surface", [255, 255, 255]),
      unread: fillColour(box, "--zw-line", [219, 225, 231]),
    };
    return this.#kept;
  }

  setBudget(bytes: number): void {
    this.budgetBytes = bytes;
    const { value } = this.#renderer;
    if (value) value.budget = bytes;
  }

  forget(blockKey: string): void {
    this.#renderer.value?.forget(blockKey);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#scheme.removeEventListener("change", this.#repaint);
    this.#renderer.value?.dispose();
  }
}

type Grounds = Pick<Scene, "ground" | "paper" | "unread">;

/** Whether the places of tiles in the world are those of their elements. */
const isPlain = ({ projection }: PlaneContent, { shift }: Viewpoint): boolean =>
  !projection || (projection.isIdentity && shift === undefined);

const black: Rgb = [0, 0, 0];
/** As in the style sheet. */
const darkLines: Rgb = [38, 44, 51];

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
