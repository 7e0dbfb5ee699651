/** A volume on a canvas: requests bricks as the camera moves, and draws them as they arrive. */
import { pixelBytes } from "../base/color-tables.js";
import { h, setHidden } from "../base/dom.js";
import { formatShape } from "../base/format.js";
import type { Rgb } from "../draw/renderer.js";
import { copyPicture, type LiveContext, SharedContext } from "../draw/shared-context.js";
import { layerColors } from "../draw/table.js";
import type { Command } from "../input/gestures.js";
import { text } from "../language/text.js";
import { findChannelAxis } from "../model/channels.js";
import { isComposite, type Layer } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { defaultOrbit, type Orbit, type VolumeClip, type VolumeCut } from "../model/volume.js";
import type { Dataset } from "../source/dataset.js";
import { acquire, release } from "../tiles/shared.js";
import type { Tile } from "../tiles/tile.js";
import type { TileStatus } from "../tiles/tile-set.js";
import { type VolumeSpace, voxelLength } from "./affine.js";
import { blockTile } from "./blocks.js";
import { map3, type Vec3, type VolumeLevel } from "./bricks.js";
import { nearer, pixelScale, type VolumeViewpoint } from "./camera.js";
import { ClipHandles } from "./clip-handles.js";
import { LayerSet } from "./layer-set.js";
import { Measuring } from "./measuring.js";
import { OrbitInput } from "./orbit-input.js";
import { drawOutline, type VolumeLabels } from "./outline.js";
import { Pace } from "./pace.js";
import { drawVolume, pictureSize, type VolumeScene } from "./ray-caster.js";
import { type ReadingSource, readVolume, type VolumePoint, voxelAt } from "./reading.js";
import { type Slices, volumeSlices } from "./slices.js";
import { volumeLevels, volumeProblem, volumeSpace } from "./space.js";

export interface VolumeContent {
  readonly dataset: Dataset;
  readonly state: ViewState;
  /** z, y, x. */
  readonly axes: readonly [number, number, number];
  /** With the axes z, y, x. */
  readonly layers: readonly Layer[];
  readonly labels: VolumeLabels;
}

export interface VolumeCallbacks {
  onOrbit(orbit: Orbit | null, cause: "pan" | "zoom"): void;
  onCut(cut: VolumeCut | null): void;
  onClip(clip: VolumeClip | null): void;
  onCommand(command: Command): void;
  onStep(direction: 1 | -1, axis?: number): void;
  onPlay(): void;
  /** The voxel under the pointer, or a picked one; undefined if there is none. */
  onPoint(point: VolumePoint | undefined, by: "pointer" | "keyboard" | "pick"): void;
  /** Chooses the element of a voxel; undefined beside all of them. */
  onPick(point: VolumePoint | undefined): void;
  /** A block of a layer has been read, as a tile of all its values. */
  onTile(tile: Tile, layer: Layer): void;
  limits(layer: Layer): readonly [low: number, high: number];
  /** Called after every frame with a change. */
  onFrame(status: TileStatus): void;
}

/** Time per frame for uploads, in milliseconds. */
const uploadTime = 6;
/** Time without a movement after which the picture is drawn in full, in milliseconds. */
const restDelay = 150;
/** Samples per voxel of resting pictures, and of moving ones, where surfaces need more. */
const samples = { resting: 2, moving: 0.5, movingSurface: 1 };

/** The volume that is shown. */
interface Shown extends VolumeContent {
  readonly levels: readonly VolumeLevel[];
  readonly space: VolumeSpace;
}

/** A place under the pointer. */
interface Pointer {
  readonly at: readonly [x: number, y: number];
  readonly by: "pointer" | "keyboard";
}

export class VolumeView {
  readonly #canvas = h("canvas", { class: "zw-canvas", "data-renderer": "webgl" });
  readonly #lines = h("canvas", { class: "zw-volume-lines" });
  readonly #handles = new ClipHandles({
    view: () => this.#view,
    ratio: () => this.#ratio,
    onClip: (clip) => this.callbacks.onClip(clip),
  });
  readonly #measuring = new Measuring(() => this.#clearTool());
  readonly #barText = h("span");
  readonly #barLine = h("i");
  /** Below the picture, where it hides no data. */
  readonly #bar = h("div", { class: "zw-scale-bar", hidden: true }, this.#barText, this.#barLine);
  readonly box = h(
    "div",
    { class: "zw-box", tabindex: 0, role: "application", "aria-roledescription": text.volume.picture },
    this.#canvas,
    h("div", { class: "zw-overlay" }, this.#lines, this.#handles.element, this.#measuring.element),
  );
  readonly element = h("div", { class: "zw-frame zw-frame-volume", dir: "ltr" }, this.box, this.#bar);
  readonly #context: SharedContext;
  readonly #target = this.#canvas.getContext("2d")!;
  readonly #input: OrbitInput;
  readonly #observer: ResizeObserver;
  readonly #restored = () => {
    this.#layers.forget();
    this.#redraw();
  };
  readonly #layers: LayerSet;
  readonly #pace = new Pace();
  #shown: Shown | undefined;
  #request = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #movedAt = Number.NEGATIVE_INFINITY;
  /** Everything that determines the last picture except bricks. */
  #look = "";
  /** Rows drawn of the final picture. */
  #rows = 0;
  #isFinal = false;
  #isDirty = true;
  #previewedAt = Number.NEGATIVE_INFINITY;
  #pointer: Pointer | undefined;
  /** The centre of the voxel under the pointer. */
  #mark: Vec3 | undefined;
  /** The centre of a picked voxel, at which the cursor stays. */
  #pinned: Vec3 | undefined;

  /** @throws if WebGL2 is unavailable */
  constructor(private readonly callbacks: VolumeCallbacks) {
    this.#context = SharedContext.join(this.#restored);
    this.#layers = new LayerSet(acquire(), {
      onBlock: (block, level, layer) => {
        callbacks.onTile(blockTile(block, level, layer), layer);
        this.#redraw();
      },
      onChange: () => {
        this.#layers.rechoose();
        this.show(this.#shown!);
      },
    });
    this.#input = new OrbitInput(this.box, {
      ...callbacks,
      view: () => this.#view,
      ratio: () => this.#ratio,
      onOrbit: (orbit, cause) => {
        this.#touch();
        callbacks.onOrbit(orbit, cause);
      },
      onPoint: (at, by) => this.#pointAt(at && { at, by }),
      onPick: (at) => this.#use(this.#read(this.#view, at)),
      onEscape: () => this.#clearTool() || this.#pointAt(undefined),
      onCut: (step) => this.#moveCut(step),
    });
    this.#observer = new ResizeObserver(() => this.#redraw());
    this.#observer.observe(this.box);
  }

  /** @throws Error if there are too many voxels, or none */
  show(content: VolumeContent): void {
    const { dataset, axes, layers, state } = content;
    const levels = volumeLevels({ dataset, axes });
    const problem = volumeProblem(levels);
    if (problem !== undefined) throw new Error(problem);
    this.#follow(content);
    this.#shown = { ...content, levels, space: volumeSpace(dataset, axes, state) };
    this.#layers.show(layers, state.volumeBudget * 2 ** 20);
    this.#describe();
    this.#redraw();
  }

  /** Zooms by a step, or shows the whole volume. */
  zoom(direction: "in" | "out" | "reset"): void {
    const orbit = this.#view?.orbit ?? defaultOrbit;
    const isReset = direction === "reset";
    this.#touch();
    this.callbacks.onOrbit(isReset ? null : nearer(orbit, direction === "in" ? 1.5 : 1 / 1.5), "zoom");
  }

  /** Draws fast until nothing has moved for a while. */
  #touch(): void {
    this.#movedAt = performance.now();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#redraw(), restDelay);
  }

  /** Compares new content with the shown one. */
  #follow({ dataset, axes, state }: VolumeContent): void {
    this.box.dataset["tool"] = state.tool;
    // Panes are too small for handles.
    setHidden(this.#handles.element, state.view !== "volume");
    const before = this.#shown;
    if (!before) return;
    const key = ({ clip, cut }: ViewState) => JSON.stringify([clip, cut]);
    if (key(state) !== key(before.state)) this.#touch();
    if (state.tool !== before.state.tool) {
      this.#measuring.leave();
      this.#pinned = undefined;
    }
    // Voxels have no meaning in another volume.
    if (dataset !== before.dataset || axes.join() !== before.axes.join()) {
      this.#measuring.clear();
      this.#pinned = undefined;
    }
  }

  /** @param step 0 to cut in the middle, facing the camera, or to remove the plane */
  #moveCut(step: number): void {
    const { cut } = this.#shown!.state;
    const { yaw, pitch } = this.#view?.orbit ?? defaultOrbit;
    if (step === 0) this.callbacks.onCut(cut ? null : { yaw, pitch, depth: 0 });
    else if (cut) this.callbacks.onCut({ ...cut, depth: Math.min(Math.max(cut.depth + step, -1), 1) });
  }

  get #view(): VolumeViewpoint | undefined {
    if (!this.#shown) return undefined;
    const ratio = this.#ratio;
    const { width, height } = this.box.getBoundingClientRect();
    if (width === 0 || height === 0) return undefined;
    const { space, state } = this.#shown;
    const { clip, cut } = state;
    const orbit = state.orbit ?? defaultOrbit;
    const size = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
    return { space, orbit, ...size, clip, cut };
  }

  /** Device pixels per CSS pixel. */
  get #ratio(): number {
    return window.devicePixelRatio || 1;
  }

  /** The finest level in use, which may be coarser than the data, and the number of levels. */
  get level(): readonly [finest: number, count: number] | undefined {
    return this.#shown && [this.#layers.finest, this.#shown.levels.length];
  }

  retry(): void {
    this.#layers.retry();
    this.#redraw();
  }

  #redraw(): void {
    this.#request ||= requestAnimationFrame(() => {
      this.#request = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const [view, { live }] = [this.#view, this.#context];
    if (!view || !live) return;
    this.#layers.choose(view, this.#isMoving);
    if (this.#layers.upload(live, performance.now() + uploadTime)) {
      this.#isDirty = true;
      this.#redraw(); // more bricks may be requested, or uploaded
    }
    const look = this.#currentLook(view);
    if (look !== this.#look) this.#isDirty = true;
    this.#look = look;
    if (this.#isDirty) {
      this.#rows = 0;
      this.#isFinal = false;
    }
    if (this.#pace.isBusy(live)) {
      this.#redraw();
      return;
    }
    this.#drawPart(live, view);
    this.box.dataset["textures"] = String(this.#layers.bytes);
    this.callbacks.onFrame(this.#status());
    if (this.#isFinal) this.#point(view);
  }

  get #isMoving(): boolean {
    return performance.now() - this.#movedAt < restDelay;
  }

  #drawPart(live: LiveContext, view: VolumeViewpoint): void {
    const isResting = !this.#isMoving;
    const { isWhole } = this.#layers;
    // While bricks arrive, most of the time goes to reading them.
    const wait = Math.max(100, 4 * this.#pace.previewTime);
    const isDue = !isResting || isWhole || performance.now() - this.#previewedAt >= wait;
    if (this.#isDirty && isDue) this.#preview(live, view);
    else if (!this.#isDirty && isResting && isWhole && !this.#isFinal) this.#drawRows(live, view);
    if (this.#isDirty || (isResting && isWhole && !this.#isFinal)) this.#redraw();
  }

  #preview(live: LiveContext, view: VolumeViewpoint): void {
    this.#isDirty = false;
    const since = performance.now();
    const { grain } = this.#pace;
    const { width, height } = pictureSize(view, grain);
    drawVolume(live, this.#scene(view, grain), { grain, top: 0, bottom: height });
    this.#setSize(view);
    const target = this.#target;
    target.imageSmoothingEnabled = true;
    const { canvas } = live;
    // Pixels at the right and lower edge may extend beyond the view.
    const [right, bottom] = [width * grain, height * grain];
    target.drawImage(canvas, 0, canvas.height - height, width, height, 0, 0, right, bottom);
    this.#pace.follow(live, since);
    this.#previewedAt = performance.now();
    this.#drawLines(view);
  }

  /** Draws the next rows of the final picture. */
  #drawRows(live: LiveContext, view: VolumeViewpoint): void {
    const since = performance.now();
    const top = this.#rows;
    const bottom = Math.min(view.height, top + this.#pace.rows);
    drawVolume(live, this.#scene(view, 1), { grain: 1, top, bottom });
    this.#setSize(view);
    copyPicture(live, this.#target, [{ left: 0, right: view.width, top, bottom }]);
    this.#rows = bottom;
    this.#isFinal = bottom === view.height;
    this.#pace.follow(live, since, bottom - top);
    this.#drawLines(view);
  }

  #drawLines(view: VolumeViewpoint): void {
    const context = this.#lines.getContext("2d")!;
    const { state, axes, labels } = this.#shown!;
    const marks = {
      point: this.#mark,
      slices: this.#slices(view).at,
      measured: this.#measuring.ends,
      // Beside planes, of which each has a crosshair.
      cross: state.view === "volume" ? undefined : map3((i) => state.index[axes[2 - i]!]! + 0.5),
    };
    const ratio = this.#ratio;
    drawOutline(context, view, ratio, labels, marks);
    this.#handles.place(view, labels.names);
    this.#measuring.paint(view, ratio, labels.distance);
    this.#drawBar(view, ratio);
  }

  /** Along x, which has the unit of the bar; in perspective, at the centre of the camera's orbit. */
  #drawBar(view: VolumeViewpoint, ratio: number): void {
    const perVoxel = (pixelScale(view) * voxelLength(view.space, 0)) / ratio;
    const bar = this.#shown!.labels.scaleBar(perVoxel, Math.min(160, view.width / ratio / 3));
    setHidden(this.#bar, !bar);
    if (!bar) return;
    this.#barLine.style.width = `${bar.width.toFixed(2)}px`;
    const length = view.orbit.isPerspective ? text.volume.scaleAtCentre(bar.text) : bar.text;
    if (this.#barText.textContent !== length) this.#barText.textContent = length;
  }

  #slices(view: VolumeViewpoint): Slices {
    const { state, axes } = this.#shown!;
    return volumeSlices(view, state, axes);
  }

  #setSize({ width, height }: VolumeViewpoint): void {
    if (this.#canvas.width !== width || this.#canvas.height !== height)
      Object.assign(this.#canvas, { width, height });
  }

  #scene(view: VolumeViewpoint, grain: number): VolumeScene {
    const { mode } = this.#shown!.state;
    const isResting = grain === 1;
    const isSurface = mode === "surface";
    const layers = this.#layers.drawn.map(({ layer, volume }) => {
      const [low, high] = layer.style.kind === "labels" ? [0, 1] : this.callbacks.limits(layer);
      return { atlas: volume.atlas!, levels: volume.levels, style: layer.style, low, high };
    });
    return {
      view,
      mode,
      surface: 0.5,
      samples: isResting ? samples.resting : isSurface ? samples.movingSurface : samples.moving,
      // Voxels are not seen in pixels of several device pixels.
      isSmooth: isResting || isSurface || grain < 2,
      ground: this.#ground(),
      slices: this.#slices(view).planes,
      layers,
    };
  }

  /** The lowest colour of a map for projections, so that the volume has no frame. */
  #ground(): Rgb {
    const { dataset, state, layers } = this.#shown!;
    if (isComposite(dataset, state) && findChannelAxis(dataset) !== undefined) return [0, 0, 0];
    const isProjection = state.mode === "max" || state.mode === "min" || state.mode === "mean";
    const [first] = layers;
    return isProjection && first?.style.kind === "map"
      ? pixelBytes(layerColors(first.style)[0]!)
      : [16, 20, 24];
  }

  #currentLook(view: VolumeViewpoint): string {
    const { state, layers } = this.#shown!;
    const looks = layers.map((layer) => [Object.values(layer.style), this.callbacks.limits(layer)]);
    return JSON.stringify([view, state.mode, this.#slices(view).at, state.slices, looks]);
  }

  #status(): TileStatus {
    const status = this.#layers.status;
    return { ...status, isComplete: this.#isFinal && status.isComplete };
  }

  // The voxel under the pointer.

  #pointAt(pointer: Pointer | undefined): void {
    if (!pointer && !this.#pointer) return;
    this.#pointer = pointer;
    const view = this.#view;
    if (view && (!pointer || this.#isFinal)) this.#point(view);
  }

  #point(view: VolumeViewpoint): void {
    const { at, by } = this.#pointer ?? { at: undefined, by: "pointer" as const };
    const found = at && this.#read(view, at);
    this.#measuring.follow(found?.centre);
    this.#mark = this.#pinned ?? found?.centre;
    this.#drawLines(view);
    if (this.#pinned) this.callbacks.onPoint(voxelAt(this.#pinned, this.#shown!, this.#sources), "pick");
    else this.callbacks.onPoint(found, by);
  }

  /** Uses the tool on a voxel. */
  #use(found: VolumePoint | undefined): void {
    const { tool } = this.#shown!.state;
    if (tool !== "measure" && tool !== "pick") this.callbacks.onPick(found);
    else if (found) {
      if (tool === "pick") this.#pinned = found.centre;
      else this.#measuring.add(found.centre);
      this.#point(this.#view!);
    }
  }

  /** Clears the measurement and the picked voxel. @returns whether there was any */
  #clearTool(): boolean {
    const isCleared = this.#measuring.clear() || this.#pinned !== undefined;
    this.#pinned = undefined;
    const view = this.#view;
    if (isCleared && view) this.#point(view);
    return isCleared;
  }

  get #sources(): ReadingSource[] {
    return this.#shown!.layers.flatMap((layer) => {
      const volume = this.#layers.volumeOf(layer);
      const [low, high] = this.callbacks.limits(layer);
      return volume ? [{ layer, volume, low, high }] : [];
    });
  }

  #read(view: VolumeViewpoint | undefined, at: readonly [x: number, y: number]): VolumePoint | undefined {
    return view && readVolume(view, at, this.#shown!, this.#sources);
  }

  #describe(): void {
    const { space } = this.#shown!;
    const [x, y, z] = space.extent;
    const label = text.volume.description(formatShape([z, y, x]));
    if (this.box.getAttribute("aria-label") !== label) this.box.setAttribute("aria-label", label);
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
    clearTimeout(this.#rest);
    this.#observer.disconnect();
    this.#input.dispose();
    this.#layers.dispose();
    this.#context.leave(this.#restored);
    release();
  }
}
