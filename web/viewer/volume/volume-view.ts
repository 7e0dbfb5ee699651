/** A volume on a canvas: requests bricks as the camera moves, and draws them as they arrive. */
import { pixelBytes } from "../base/color-tables.js";
import { h } from "../base/dom.js";
import { formatShape } from "../base/format.js";
import type { Rgb } from "../draw/renderer.js";
import { copyPicture, type LiveContext, SharedContext } from "../draw/shared-context.js";
import { layerColors } from "../draw/table.js";
import { findChannelAxis } from "../model/channels.js";
import { isComposite, type Layer } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { defaultOrbit, type Orbit } from "../model/volume.js";
import type { Dataset } from "../source/dataset.js";
import { acquire, release } from "../tiles/shared.js";
import type { Block, Tile } from "../tiles/tile.js";
import type { TileStatus } from "../tiles/tile-set.js";
import { blockTile } from "./blocks.js";
import type { VolumeLevel } from "./bricks.js";
import type { VolumeSpace, VolumeViewpoint } from "./camera.js";
import { LayerVolume } from "./layer-volume.js";
import { chooseBricks } from "./octree.js";
import { OrbitInput } from "./orbit-input.js";
import { drawOutline } from "./outline.js";
import { drawVolume, pictureSize, type VolumeScene } from "./ray-caster.js";
import { volumeLevels, volumeSpace } from "./space.js";

export interface VolumeContent {
  readonly dataset: Dataset;
  readonly state: ViewState;
  /** z, y, x. */
  readonly axes: readonly [number, number, number];
  /** With the axes z, y, x. */
  readonly layers: readonly Layer[];
}

export interface VolumeCallbacks {
  onOrbit(orbit: Orbit | null, cause: "pan" | "zoom"): void;
  /** A block of a layer has been read, as a tile of all its values. */
  onTile(tile: Tile, layer: Layer): void;
  limits(layer: Layer): readonly [low: number, high: number];
  /** Called after every frame with a change. */
  onFrame(status: TileStatus): void;
}

/** Memory of textures, in bytes. */
const defaultBudget = 512 * 2 ** 20;
/** Time per frame for uploads, in milliseconds. */
const uploadTime = 6;
/** Time without a movement after which the picture is drawn in full, in milliseconds. */
const restDelay = 150;
/** Milliseconds that a draw call should take. */
const drawTime = { least: 20, most: 70 };
/** Samples per voxel of moving and of resting pictures. */
const samples = { moving: 1, resting: 2 };

/** The volume that is shown. */
interface Shown extends VolumeContent {
  readonly levels: readonly VolumeLevel[];
  readonly space: VolumeSpace;
}

export class VolumeView {
  readonly #canvas = h("canvas", { class: "zw-canvas", "data-renderer": "webgl" });
  readonly #lines = h("canvas", { class: "zw-volume-lines" });
  readonly box = h(
    "div",
    { class: "zw-box", tabindex: 0, role: "application", "aria-roledescription": "picture of a volume" },
    this.#canvas,
    h("div", { class: "zw-overlay" }, this.#lines),
  );
  readonly element = h("div", { class: "zw-frame zw-frame-volume", dir: "ltr" }, this.box);
  readonly #shared = acquire();
  readonly #context: SharedContext;
  readonly #target = this.#canvas.getContext("2d")!;
  readonly #input: OrbitInput;
  readonly #observer: ResizeObserver;
  readonly #restored = () => {
    for (const layer of this.#layers.values()) layer.forget();
    this.#redraw();
  };
  #shown: Shown | undefined;
  /** By the plane that they read. */
  readonly #layers = new Map<string, LayerVolume>();
  #request = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #movedAt = Number.NEGATIVE_INFINITY;
  /** The view for which bricks were chosen. */
  #chosen = "";
  #leftOut = 0;
  #finest = 0;
  /** Everything that determines the last picture except bricks. */
  #look = "";
  /** Rows drawn of the final picture. */
  #rows = 0;
  #isFinal = false;
  #isDirty = true;
  /** Size of pixels while moving, and rows per draw call at rest. */
  #grain = 2;
  #band = 64;
  #pending: { readonly sync: WebGLSync; readonly since: number; readonly live: LiveContext } | undefined;
  #drawing: "preview" | "final" = "preview";
  #previewedAt = Number.NEGATIVE_INFINITY;
  #previewTime = 0;

  /** @throws if WebGL2 is unavailable */
  constructor(private readonly callbacks: VolumeCallbacks) {
    this.#context = SharedContext.join(this.#restored);
    this.#input = new OrbitInput(this.box, {
      view: () => this.#view,
      ratio: () => window.devicePixelRatio || 1,
      onOrbit: (orbit, cause) => {
        this.#movedAt = performance.now();
        clearTimeout(this.#rest);
        this.#rest = setTimeout(() => this.#redraw(), restDelay);
        callbacks.onOrbit(orbit, cause);
      },
    });
    this.#observer = new ResizeObserver(() => this.#redraw());
    this.#observer.observe(this.box);
  }

  show(content: VolumeContent): void {
    const { dataset, axes } = content;
    const levels = volumeLevels(dataset, axes);
    this.#shown = { ...content, levels, space: volumeSpace(dataset, axes) };
    this.#adopt();
    this.#describe();
    this.#redraw();
  }

  /** Layers that read the same voxels are kept. */
  #adopt(): void {
    const { layers, levels, dataset } = this.#shown!;
    const old = new Map(this.#layers);
    this.#layers.clear();
    for (const layer of layers) {
      const key = planeKey(layer, levels);
      const before = old.get(key);
      old.delete(key);
      if (before?.layer.dataset === dataset) this.#layers.set(key, before);
      else {
        before?.dispose();
        const add = (block: Block, level: number) => {
          this.callbacks.onTile(blockTile(block, level, layer), layer);
          this.#redraw();
        };
        this.#layers.set(key, new LayerVolume(this.#shared, layer, levels, add, () => this.#change()));
        this.#chosen = "";
      }
    }
    for (const layer of old.values()) layer.dispose();
  }

  /** Levels may have been opened, and their lengths be known. */
  #change(): void {
    const { dataset, axes, levels } = this.#shown!;
    if (JSON.stringify(volumeLevels(dataset, axes)) !== JSON.stringify(levels)) this.show(this.#shown!);
    this.#chosen = "";
    this.#redraw();
  }

  get #view(): VolumeViewpoint | undefined {
    if (!this.#shown) return undefined;
    const ratio = window.devicePixelRatio || 1;
    const { width, height } = this.box.getBoundingClientRect();
    if (width === 0 || height === 0) return undefined;
    const { space, state } = this.#shown;
    const orbit = state.orbit ?? defaultOrbit;
    return { space, orbit, width: Math.round(width * ratio), height: Math.round(height * ratio) };
  }

  /** Bytes of textures. */
  get bytes(): number {
    return [...this.#layers.values()].reduce((sum, { atlas }) => sum + (atlas?.bytes ?? 0), 0);
  }

  /** Names the levels in use, which may be coarser than the data. */
  get description(): string {
    const { levels = [] } = this.#shown ?? {};
    if (levels.length < 2) return "";
    const { shape } = levels[this.#finest] ?? levels[0]!;
    const size = formatShape([shape[2], shape[1], shape[0]]);
    return `Level ${this.#finest} of ${levels.length}: ${size} voxels`;
  }

  retry(): void {
    for (const { blocks } of this.#layers.values()) blocks.retry();
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
    this.#choose(view);
    if (this.#upload(live)) this.#isDirty = true;
    const look = this.#currentLook(view);
    if (look !== this.#look) this.#isDirty = true;
    this.#look = look;
    if (this.#isDirty) {
      this.#rows = 0;
      this.#isFinal = false;
    }
    if (this.#isBusy()) {
      this.#redraw();
      return;
    }
    this.#drawPart(live, view);
    const status = this.#status();
    this.box.dataset["textures"] = String(this.bytes);
    this.callbacks.onFrame(status);
  }

  #drawPart(live: LiveContext, view: VolumeViewpoint): void {
    const now = performance.now();
    const isResting = now - this.#movedAt >= restDelay;
    const isWhole = [...this.#layers.values()].every(
      (layer) => layer.isWhole && layer.blocks.status.isComplete,
    );
    // While bricks arrive, most of the time goes to reading them.
    const isDue = !isResting || isWhole || now - this.#previewedAt >= Math.max(100, 4 * this.#previewTime);
    if (this.#isDirty && isDue) this.#preview(live, view);
    else if (!this.#isDirty && isResting && isWhole && !this.#isFinal) this.#drawRows(live, view);
    if (this.#isDirty || (isResting && isWhole && !this.#isFinal)) this.#redraw();
  }

  /** Chooses and requests bricks, if the camera has moved. */
  #choose(view: VolumeViewpoint): void {
    const { levels } = this.#shown!;
    const key = JSON.stringify([view.orbit, view.width, view.height, view.space]);
    if (key === this.#chosen) return;
    this.#chosen = key;
    for (const volume of this.#layers.values()) {
      const limit = volume.atlas?.capacity ?? 1024;
      const isUsed = (brick: string) => volume.isWanted(brick);
      const { bricks, leftOut, finest } = chooseBricks(levels, view, limit, isUsed);
      this.#leftOut = leftOut;
      this.#finest = finest;
      // The coarsest level is read alone, because the first picture then takes the fewest requests.
      const base = bricks.filter(({ level }) => level === levels.length - 1);
      const isFirst = base.some((brick) => !volume.atlas?.has(brick) && !volume.blocks.hasFailed(brick));
      volume.want(isFirst ? base : bricks);
    }
  }

  #upload(live: LiveContext): boolean {
    const until = performance.now() + uploadTime;
    let isChanged = false;
    for (const volume of this.#layers.values()) {
      volume.prepare(live.gl, defaultBudget / this.#layers.size);
      const wasFirst = volume.isWhole;
      if (volume.upload(until)) isChanged = true;
      if (!wasFirst && volume.isWhole) this.#chosen = "";
    }
    // More bricks may be requested, or uploaded.
    if (isChanged) this.#redraw();
    return isChanged;
  }

  /** Whether the GPU still draws. Adapts the size of pictures to the time it takes. */
  #isBusy(): boolean {
    const pending = this.#pending;
    if (!pending || pending.live !== this.#context.live) return false;
    const { gl } = pending.live;
    if (gl.getSyncParameter(pending.sync, gl.SYNC_STATUS) !== gl.SIGNALED) return true;
    gl.deleteSync(pending.sync);
    this.#pending = undefined;
    const time = performance.now() - pending.since;
    const factor = time > drawTime.most ? 1.5 : time < drawTime.least ? 1 / 1.5 : 1;
    if (this.#drawing === "preview") this.#previewTime = time;
    if (this.#drawing === "preview") this.#grain = Math.min(Math.max(this.#grain * factor, 1.5), 6);
    else this.#band = Math.min(Math.max(Math.round(this.#band / factor), 8), 4096);
    return false;
  }

  #preview(live: LiveContext, view: VolumeViewpoint): void {
    this.#isDirty = false;
    this.#previewedAt = performance.now();
    const grain = this.#grain;
    const { width, height } = pictureSize(view, grain);
    drawVolume(live, this.#scene(view, samples.moving), { grain, top: 0, bottom: height });
    this.#setSize(view);
    const target = this.#target;
    target.imageSmoothingEnabled = true;
    const { canvas } = live;
    // Pixels at the right and lower edge may extend beyond the view.
    const [right, bottom] = [width * grain, height * grain];
    target.drawImage(canvas, 0, canvas.height - height, width, height, 0, 0, right, bottom);
    this.#finish(live, view, "preview");
  }

  /** Draws the next rows of the final picture. */
  #drawRows(live: LiveContext, view: VolumeViewpoint): void {
    const top = this.#rows;
    const bottom = Math.min(view.height, top + this.#band);
    drawVolume(live, this.#scene(view, samples.resting), { grain: 1, top, bottom });
    this.#setSize(view);
    copyPicture(live, this.#target, [{ left: 0, right: view.width, top, bottom }]);
    this.#rows = bottom;
    this.#isFinal = bottom === view.height;
    this.#finish(live, view, "final");
  }

  #finish(live: LiveContext, view: VolumeViewpoint, drawing: "preview" | "final"): void {
    const { gl } = live;
    const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    this.#pending = sync ? { sync, since: performance.now(), live } : undefined;
    this.#drawing = drawing;
    const { dataset, axes } = this.#shown!;
    const names = [axes[2], axes[1], axes[0]].map((axis) => dataset.axes[axis]!.name ?? `${axis}`);
    drawOutline(this.#lines.getContext("2d")!, view, window.devicePixelRatio || 1, names);
  }

  #setSize({ width, height }: VolumeViewpoint): void {
    if (this.#canvas.width !== width || this.#canvas.height !== height)
      Object.assign(this.#canvas, { width, height });
  }

  #scene(view: VolumeViewpoint, perVoxel: number): VolumeScene {
    const { levels, state } = this.#shown!;
    const layers = this.#drawnLayers().map(({ layer, volume }) => {
      const [low, high] = this.callbacks.limits(layer);
      return { atlas: volume.atlas!, style: layer.style, low, high };
    });
    return {
      view,
      levels,
      mode: state.mode,
      surface: 0.5,
      samples: perVoxel,
      ground: this.#ground(),
      layers,
    };
  }

  #drawnLayers(): { layer: Layer; volume: LayerVolume }[] {
    const { layers, levels } = this.#shown!;
    return layers.flatMap((layer) => {
      const volume = this.#layers.get(planeKey(layer, levels));
      return volume?.atlas ? [{ layer, volume }] : [];
    });
  }

  /** The lowest colour of a map for projections, so that the volume has no frame. */
  #ground(): Rgb {
    const { dataset, state, layers } = this.#shown!;
    if (isComposite(dataset, state) && findChannelAxis(dataset) !== undefined) return [0, 0, 0];
    const isProjection = state.mode === "max" || state.mode === "min" || state.mode === "mean";
    return isProjection && layers[0] ? pixelBytes(layerColors(layers[0].style)[0]!) : [16, 20, 24];
  }

  #currentLook(view: VolumeViewpoint): string {
    const { state, layers } = this.#shown!;
    const looks = layers.map((layer) => [Object.values(layer.style), this.callbacks.limits(layer)]);
    return JSON.stringify([view, state.mode, looks]);
  }

  #status(): TileStatus {
    const all = [...this.#layers.values()];
    const parts = all.map(({ blocks }) => blocks.status);
    const sum = (of: (part: (typeof parts)[number]) => number) =>
      parts.reduce((total, part) => total + of(part), 0);
    const bricks = all.reduce((total, { leftOut }) => total + leftOut, this.#leftOut);
    return {
      chunks: sum(({ chunks }) => chunks),
      done: sum(({ done }) => done),
      bytes: sum(({ bytes }) => bytes),
      leftOut: { tiles: bricks, of: bricks + sum(({ chunks }) => chunks) },
      failures: parts.flatMap(({ failures }) => failures),
      isComplete: this.#isFinal && parts.every(({ isComplete }) => isComplete),
    };
  }

  #describe(): void {
    const { space } = this.#shown!;
    const [x, y, z] = space.extent;
    const label = `Volume of ${formatShape([z, y, x])} elements. Arrow keys turn it, plus and minus zoom.`;
    if (this.box.getAttribute("aria-label") !== label) this.box.setAttribute("aria-label", label);
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
    clearTimeout(this.#rest);
    this.#observer.disconnect();
    this.#input.dispose();
    for (const layer of this.#layers.values()) layer.dispose();
    this.#context.leave(this.#restored);
    release();
  }
}

/** Identifies the voxels that a layer reads. */
function planeKey({ axes, index, field, part, isRaw }: Layer, levels: readonly VolumeLevel[]): string {
  const hidden = index.map((at, axis) => (axes.includes(axis) ? "" : at));
  return JSON.stringify([axes, hidden, field, part, isRaw, levels]);
}
