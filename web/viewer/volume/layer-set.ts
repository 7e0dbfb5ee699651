/** The layers of a volume: which bricks each needs, and their memory. */
import { keptFor } from "../base/memo.js";
import type { LiveContext } from "../draw/shared-context.js";
import type { Layer } from "../model/layers.js";
import type { Dataset } from "../source/dataset.js";
import type { Shared } from "../tiles/shared.js";
import type { Block } from "../tiles/tile.js";
import type { TileStatus } from "../tiles/tile-set.js";
import type { VolumeViewpoint } from "./camera.js";
import { LayerVolume } from "./layer-volume.js";
import { chooseBricks } from "./octree.js";
import { volumeLevels } from "./space.js";

export interface LayerSetCallbacks {
  /** A block has been read. */
  onBlock(block: Block, level: number, layer: Layer): void;
  /** Levels have been opened, or reading has failed. */
  onChange(): void;
}

/** A layer to draw. */
export interface DrawnLayer {
  readonly layer: Layer;
  readonly volume: LayerVolume;
}

/** Share of the budget for volumes that are only drawn until their successors have been read. */
const formerShare = 1 / 8;
/** Milliseconds for which they are drawn at most, and between two choices of bricks of a moving picture. */
const [formerTime, choiceTime] = [1000, 120];

export class LayerSet {
  #layers: readonly Layer[] = [];
  /** By the voxels that they read. */
  #volumes = new Map<string, LayerVolume>();
  /** Replaced volumes, by the id of their layer. */
  readonly #former = new Map<string, LayerVolume>();
  #replacedAt = 0;
  #budget = 0;
  /** The view for which bricks were chosen. */
  #chosen = "";
  #chosenAt = Number.NEGATIVE_INFINITY;
  #leftOut = 0;
  /** The finest level in use of the first layer. */
  finest = 0;

  constructor(
    private readonly shared: Shared,
    private readonly callbacks: LayerSetCallbacks,
  ) {}

  /** Layers that read the same voxels are kept; replaced ones are drawn until their successors can be. */
  show(layers: readonly Layer[], budgetBytes: number): void {
    this.#layers = layers;
    if (budgetBytes !== this.#budget) this.forget();
    this.#budget = budgetBytes;
    const old = this.#volumes;
    this.#volumes = new Map();
    for (const layer of layers) {
      const key = planeKey(layer);
      const before = old.get(key);
      old.delete(key);
      this.#volumes.set(key, this.#volumes.get(key) ?? before ?? this.#make(layer));
    }
    for (const volume of old.values()) this.#replace(volume);
  }

  #make(layer: Layer): LayerVolume {
    this.#chosen = "";
    const onBlock = (block: Block, level: number) => this.callbacks.onBlock(block, level, layer);
    return new LayerVolume(this.shared, layer, volumeLevels(layer), onBlock, () => this.callbacks.onChange());
  }

  #replace(volume: LayerVolume): void {
    const { id, dataset } = volume.layer;
    const isFollowed = this.#layers.some((layer) => layer.id === id && layer.dataset === dataset);
    volume.blocks.leave();
    const kept = [...this.#former.values(), volume].reduce((sum, { bytes }) => sum + bytes, 0);
    // A volume that was replaced before it was read is worth less than its predecessor.
    if (!isFollowed || kept > this.#budget * formerShare || this.#former.has(id)) {
      volume.dispose();
      return;
    }
    this.#former.set(id, volume);
    this.#replacedAt = performance.now();
  }

  #dropFormer(): void {
    for (const volume of this.#former.values()) volume.dispose();
    this.#former.clear();
  }

  get all(): readonly LayerVolume[] {
    return [...this.#volumes.values()];
  }

  /** Bytes of textures. */
  get bytes(): number {
    return [...this.all, ...this.#former.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether all bricks are at hand. */
  get isWhole(): boolean {
    return this.all.every((volume) => volume.isWhole && volume.blocks.status.isComplete);
  }

  volumeOf(layer: Layer): LayerVolume | undefined {
    return this.#volumes.get(planeKey(layer));
  }

  /** The layers that can be drawn. */
  get drawn(): DrawnLayer[] {
    if (this.#former.size > 0 && (this.isWhole || performance.now() - this.#replacedAt > formerTime))
      this.#dropFormer();
    return this.#layers.flatMap((layer) => {
      const volume = this.#former.get(layer.id) ?? this.volumeOf(layer);
      return volume?.atlas ? [{ layer, volume }] : [];
    });
  }

  /** Chooses the bricks again before the next picture. */
  rechoose(): void {
    this.#chosen = "";
  }

  /** Chooses and requests bricks if the camera has moved; not for every frame of a moving picture. */
  choose(view: VolumeViewpoint, isMoving: boolean): void {
    const key = JSON.stringify(view);
    const now = performance.now();
    if (key === this.#chosen || (isMoving && this.#chosen !== "" && now - this.#chosenAt < choiceTime))
      return;
    this.#chosen = key;
    this.#chosenAt = now;
    this.#leftOut = 0;
    const finest = this.all.map((volume) => this.#chooseFor(volume, view));
    this.finest = finest[0] ?? 0;
  }

  /** @returns the finest level in use */
  #chooseFor(volume: LayerVolume, view: VolumeViewpoint): number {
    const { levels } = volume;
    const limit = volume.atlas?.capacity ?? 1024;
    const choice = chooseBricks(levels, view, limit, (brick) => volume.isWanted(brick));
    const { bricks, leftOut, finest } = choice;
    this.#leftOut += leftOut;
    // The coarsest level is read alone, because the first picture then takes the fewest requests.
    const base = bricks.filter(({ level }) => level === levels.length - 1);
    const isFirst = base.some((brick) => !volume.atlas?.has(brick) && !volume.blocks.hasFailed(brick));
    volume.want(isFirst ? base : bricks);
    return finest;
  }

  /** Uploads bricks until a time. @returns whether anything has changed */
  upload({ gl }: LiveContext, until: number): boolean {
    const budget = (this.#budget * (1 - formerShare)) / this.#volumes.size;
    let isChanged = false;
    for (const volume of this.#volumes.values()) {
      volume.prepare(gl, budget);
      const wasWhole = volume.isWhole;
      if (volume.upload(until)) isChanged = true;
      // The finer levels are requested after the coarsest.
      if (!wasWhole && volume.isWhole) this.#chosen = "";
    }
    return isChanged;
  }

  get status(): TileStatus {
    const parts = this.all.map(({ blocks }) => blocks.status);
    const sum = (of: (part: (typeof parts)[number]) => number) =>
      parts.reduce((total, part) => total + of(part), 0);
    const bricks = this.all.reduce((total, { leftOut }) => total + leftOut, this.#leftOut);
    return {
      chunks: sum(({ chunks }) => chunks),
      done: sum(({ done }) => done),
      bytes: sum(({ bytes }) => bytes),
      leftOut: { tiles: bricks, of: bricks + sum(({ chunks }) => chunks) },
      failures: parts.flatMap(({ failures }) => failures),
      isComplete: parts.every(({ isComplete }) => isComplete),
    };
  }

  /** Reads failed and damaged chunks again. */
  retry(): void {
    for (const { blocks } of this.all) blocks.retry();
    this.forget();
  }

  /** Releases all textures: their context has been lost, or the budget has changed. */
  forget(): void {
    this.#dropFormer();
    for (const volume of this.all) volume.forget();
    this.#chosen = "";
  }

  dispose(): void {
    this.#dropFormer();
    for (const volume of this.all) volume.dispose();
  }
}

/** Identifies the voxels that a layer reads. */
function planeKey(layer: Layer): string {
  const { axes, index, field, part, isRaw, dataset } = layer;
  const hidden = index.map((at, axis) => (axes.includes(axis) ? "" : at));
  return JSON.stringify([datasetId(dataset), axes, hidden, field, part, isRaw, volumeLevels(layer)]);
}

let lastId = 0;
const datasetId = keptFor((_dataset: Dataset) => ++lastId);
