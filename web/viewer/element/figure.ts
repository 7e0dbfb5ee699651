/** Figures and videos of a view, drawn again by a copy of the viewer outside the window, at any size; their dialog. */
import { h } from "../base/dom.js";
import { canRecord, Film } from "../base/film.js";
import type { NamedBlob } from "../base/save.js";
import { boxAround } from "../base/snapshot.js";
import { withDensity } from "../base/surface.js";
import { SvgSurface } from "../base/svg-surface.js";
import { text } from "../language/text.js";
import { type Camera, type Rectangle, type Size, visible } from "../model/camera.js";
import {
  checkPictureOptions,
  cssResolution,
  type PictureOptions,
  type VideoOptions,
} from "../model/figure.js";
import { playableAxes } from "../model/layers.js";
import type { ViewState, WantedState } from "../model/state.js";
import { quantityText } from "../panels/coordinates.js";
import { showFigureDialog } from "../panels/figure.js";
import { axisName } from "../panels/rulers.js";
import type { MainPlane } from "./main-plane.js";
import type { ViewerState, ViewerView } from "./options.js";
import { drawCanvas, drawPicture, fileName, margin, pictureParts, pngOf } from "./picture.js";
import { requestedCamera, worldExtent } from "./plane-geometry.js";
import type { PlaneView } from "./plane-view.js";

/** A viewer, as figures use it. */
export interface FigureViewer {
  readonly viewer: {
    readonly view: ViewerView | undefined;
    readonly state: ViewerState;
    change(wanted: WantedState): void;
    destroy(): void;
  };
  readonly mainPanel: HTMLElement;
  readonly plane: MainPlane;
  /** Another viewer of the same source. */
  copyInto(place: HTMLElement, settings: WantedState): FigureViewer;
}

/** Time after which a figure is given up, in milliseconds. */
const patience = 60_000;

/** Draws a figure. @throws TypeError or RangeError for options out of range, or too many pixels; Error if the data cannot be read */
export async function makeFigure(live: FigureViewer, options: PictureOptions): Promise<Blob> {
  checkPictureOptions(options);
  const figure = await FigureCopy.open(live, options);
  try {
    return await (options.type === "svg" ? figure.svg() : figure.png());
  } finally {
    figure.close();
  }
}

/** A copy of a viewer that has the size of a figure. */
class FigureCopy {
  readonly #place: HTMLElement;
  readonly #copy: FigureViewer;
  readonly #isTitled: boolean;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;

  private constructor(
    private readonly live: FigureViewer,
    private readonly options: PictureOptions,
  ) {
    const { dpi = cssResolution * (window.devicePixelRatio || 1), isTitled = true } = options;
    this.ratio = dpi / cssResolution;
    this.#isTitled = isTitled;
    const { width, height } = live.mainPanel.getBoundingClientRect();
    const root = live.mainPanel.closest(".zw-viewer")!;
    this.#place = h("div", { "aria-hidden": "true", inert: true, "data-ratio": this.ratio });
    Object.assign(this.#place.style, { position: "fixed", left: "-100000px", top: "0" });
    this.#resize({ width: options.width ?? width + 2 * margin, height: options.height ?? height });
    root.parentElement!.append(this.#place);
    const { settings } = live.viewer.view!;
    const { camera, ...fixed } = { ...settings, ...fixedRanges(live.plane, settings) };
    this.#copy = live.copyInto(this.#place, fixed);
  }

  /** Opens a copy, which shows what the viewer shows. */
  static async open(live: FigureViewer, options: PictureOptions): Promise<FigureCopy> {
    const figure = new FigureCopy(live, options);
    try {
      await figure.settled();
      await figure.#fit();
    } catch (error) {
      figure.close();
      throw error;
    }
    return figure;
  }

  /** Shows another index, and waits until it has been drawn. */
  async show(index: readonly number[]): Promise<void> {
    this.#copy.viewer.change({ index });
    await this.settled();
  }

  canvas(): HTMLCanvasElement {
    return drawCanvas(this.#copy.mainPanel, this.#parts, this.ratio);
  }

  async png(): Promise<Blob> {
    return withDensity(await pngOf(this.canvas()), this.ratio * cssResolution);
  }

  svg(): Blob {
    const surface = drawPicture(this.#copy.mainPanel, this.#parts, (box) => new SvgSurface(box));
    return new Blob([surface.toString()], { type: "image/svg+xml" });
  }

  get #parts(): HTMLElement[] {
    return pictureParts(this.#copy.mainPanel, this.#isTitled);
  }

  /** Waits until everything has been read and drawn. */
  async settled(): Promise<void> {
    const until = performance.now() + patience;
    // Changes are drawn in the next frames.
    for (let frames = 0; frames < 3; ) {
      await new Promise(requestAnimationFrame);
      const { viewer, mainPanel } = this.#copy;
      const { state } = viewer;
      if (state === "error") throw new Error(text.figure.unreadable);
      const isBusy = state !== "ready" || mainPanel.querySelector("[aria-busy=true]") !== null;
      frames = isBusy ? 0 : frames + 1;
      if (performance.now() > until) throw new Error(text.figure.slow);
    }
  }

  /** Chooses height and camera, so that the part that is shown fills the figure. */
  async #fit(): Promise<void> {
    const { plane, mainPanel } = this.#copy;
    const { view } = plane;
    // The title may take their place.
    for (const part of mainPanel.querySelectorAll<HTMLElement>(".zw-crumbs, .zw-tools, .zw-status"))
      part.hidden = true;
    this.#title();
    if (this.options.hasScaleBar === false)
      for (const bar of mainPanel.querySelectorAll(".zw-scale-bar")) bar.remove();
    const seen = this.live.plane.view && shownPart(this.live.plane.view);
    this.#fitWidth();
    if (view && seen && this.options.height === undefined) this.#fitHeight(view, seen);
    else this.#setHeight(this.options.height ?? this.live.mainPanel.getBoundingClientRect().height);
    await this.settled();
    if (!view || !seen) return;
    // The labels of rulers may have other widths now.
    if (this.options.height === undefined) this.#fitHeight(view, seen);
    const isFitted = this.options.height === undefined;
    this.#copy.viewer.change({ camera: cameraFor(view, seen, isFitted) });
    await this.settled();
  }

  /** The title names the quantity and its unit, the line below it the source. */
  #title(): void {
    const { view } = this.#copy.viewer;
    if (!view?.dataset.label) return;
    const part = (name: string) => this.#copy.mainPanel.querySelector<HTMLElement>(name)!;
    part(".zw-title").textContent = quantityText(view.dataset, view.settings);
    part(".zw-subtitle").textContent = view.dataset.title;
  }

  /** Gives the place a size, from which the margins of the viewer are taken. */
  #resize({ width, height }: Size): void {
    Object.assign(this.#place.style, { width: `${width}px`, height: `${height}px` });
  }

  get #size(): Size {
    return this.#place.getBoundingClientRect();
  }

  #fitWidth(): void {
    const { width } = this.options;
    if (width === undefined) return;
    const { width: now, height } = this.#size;
    this.#resize({ width: now + width - boxAround(this.#parts, margin).width, height });
  }

  #setHeight(height: number): void {
    const { width, height: now } = this.#size;
    this.#resize({ width, height: now + height - boxAround(this.#parts, margin).height });
  }

  /** The height at which the part fills the picture. Panes below it share the height in proportion. */
  #fitHeight({ frame, viewpoint }: PlaneView, { box }: ShownPart): void {
    if (!viewpoint) return;
    const proportion = ((box.bottom - box.top) * Math.abs(viewpoint.aspect)) / (box.right - box.left);
    for (let i = 0; i < 24; i++) {
      const { width, height } = frame.box.getBoundingClientRect();
      const missing = width * proportion - height;
      // The sizes of boxes are even numbers of pixels.
      if (Math.abs(missing) < 2) return;
      this.#resize({ width: this.#size.width, height: this.#size.height + missing });
    }
  }

  close(): void {
    this.#copy.viewer.destroy();
    this.#place.remove();
  }
}

/** A part of the world of a plane. */
interface ShownPart {
  readonly box: Rectangle;
  readonly camera: Camera;
}

/** The part of the array in view; undefined for lines, which fill every frame. */
function shownPart({ content, viewpoint }: PlaneView): ShownPart | undefined {
  if (!content || !viewpoint || content.state.axes.length < 2) return undefined;
  const camera = requestedCamera(content, viewpoint);
  const { rows, columns } = worldExtent(content);
  const { top, bottom, left, right } = visible(camera, viewpoint.size, viewpoint.aspect);
  const isWhole = right - left >= columns;
  const across = content.projection?.isPeriodic
    ? {
        left: isWhole ? camera.column - columns / 2 : left,
        right: isWhole ? camera.column + columns / 2 : right,
      }
    : { left: Math.max(0, left), right: Math.min(columns, right) };
  return { box: { top: Math.max(0, top), bottom: Math.min(rows, bottom), ...across }, camera };
}

/**
 * The camera that shows a part in another frame.
 * @param isFitted whether the frame has the proportions of the part, to within two pixels
 */
function cameraFor({ viewpoint }: PlaneView, { box, camera }: ShownPart, isFitted: boolean): Camera {
  const { size, aspect } = viewpoint!;
  const across = size.width / (box.right - box.left);
  const down = size.height / ((box.bottom - box.top) * Math.abs(aspect));
  const [row, column] = [(box.top + box.bottom) / 2, (box.left + box.right) / 2];
  return { ...camera, row, column, scale: isFitted ? Math.max(across, down) : Math.min(across, down) };
}

/** The ranges in use, so that the colours of a figure are those on the screen, and the same for all slices. */
function fixedRanges({ layers, ranges, kind }: MainPlane, state: ViewState): WantedState {
  if (kind !== "image") return {};
  const limits = new Map(
    layers.filter((layer) => ranges.isKnown(layer)).map((layer) => [layer.id, ranges.limits(layer)] as const),
  );
  const fixed = (id: string) => {
    const [low, high] = limits.get(id) ?? [];
    return low === undefined ? undefined : { range: { mode: "manual", low, high } as const };
  };
  return {
    ...fixed("image"),
    channels:
      state.channels?.map((channel) => ({ ...channel, ...fixed(`channel ${channel.index}`) })) ?? null,
  };
}

export function showFigure(over: HTMLElement, live: FigureViewer): void {
  const named = async (made: Promise<Blob>, extension: string): Promise<NamedBlob> => ({
    blob: await made,
    name: fileName(live.viewer.view!.dataset.title, extension),
  });
  showFigureDialog(over, {
    make: (options) => named(makeFigure(live, options), options.type ?? "png"),
    record: (options) => named(recordVideo(live, options), options.format),
    axes: () => {
      const { dataset, settings } = live.viewer.view!;
      return playableAxes(dataset, settings).map((axis) => ({ axis, name: axisName(dataset.axes, axis) }));
    },
    defaults: () => ({
      width: live.mainPanel.getBoundingClientRect().width + 2 * margin,
      rate: live.viewer.view!.settings.frameRate,
    }),
  });
}

/**
 * Records all slices along an axis, each for the same time, in the colours on the screen.
 * @throws Error if the browser cannot record the format; the signal's reason
 */
async function recordVideo(live: FigureViewer, options: VideoOptions): Promise<Blob> {
  const { format, axis, rate, signal, onProgress } = options;
  if (!canRecord(format)) throw new Error(`this browser cannot record ${format} videos`);
  const { dataset, settings } = live.viewer.view!;
  const { length } = dataset.axes[axis]!;
  const figure = await FigureCopy.open(live, options);
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { alpha: false })!;
  let film: Film | undefined;
  try {
    for (let at = 0; at < length; at++) {
      await figure.show(settings.index.map((old, i) => (i === axis ? at : old)));
      signal.throwIfAborted();
      const frame = figure.canvas();
      if (!film) {
        const { width = frame.width / figure.ratio, height = frame.height / figure.ratio } = options;
        // Encoders require even sizes.
        const even = (side: number) => Math.round(side * figure.ratio) & ~1;
        Object.assign(canvas, { width: even(width), height: even(height) });
        context.fillStyle = getComputedStyle(live.mainPanel).backgroundColor;
        film = new Film(canvas, format, rate);
      }
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(frame, 0, 0);
      await film.add();
      onProgress(at + 1, length);
    }
  } catch (error) {
    film?.cancel();
    throw error;
  } finally {
    figure.close();
  }
  return film!.finish();
}
