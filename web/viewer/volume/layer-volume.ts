/** One layer of a volume: its blocks, and the bricks in its atlas. */
import type { Layer } from "../model/layers.js";
import { layerLevels } from "../tiles/layer-level.js";
import type { Shared } from "../tiles/shared.js";
import type { Block } from "../tiles/tile.js";
import { Atlas } from "./atlas.js";
import { Blocks } from "./blocks.js";
import { type Brick, brickKey, eachIndex, type Vec3, type VolumeLevel } from "./bricks.js";

export class LayerVolume {
  readonly blocks: Blocks;
  #atlas: Atlas | undefined;
  #wanted: readonly Brick[] = [];
  #keys: ReadonlySet<string> = new Set();
  /** Bricks that are not at hand, in the order of their use. */
  #missing: Brick[] = [];
  /** Blocks whose neighbours lack a part of their border. */
  readonly #borders: { level: number; at: Vec3 }[] = [];
  /** Whether a missing brick may have been read since the last look. */
  #hasNews = false;
  /** Number of bricks that exceed the budget. */
  leftOut = 0;

  constructor(
    shared: Shared,
    readonly layer: Layer,
    readonly levels: readonly VolumeLevel[],
    onBlock: (block: Block, level: number) => void,
    onChange: () => void,
  ) {
    const add = (block: Block, level: number, at: Vec3) => {
      this.#borders.push({ level, at });
      this.#hasNews = true;
      onBlock(block, level);
    };
    this.blocks = new Blocks(shared, layer, add, onChange);
  }

  /** Undefined before `prepare`. */
  get atlas(): Atlas | undefined {
    return this.#atlas;
  }

  /** Bytes of textures. */
  get bytes(): number {
    return this.#atlas?.bytes ?? 0;
  }

  /** Makes the atlas. */
  prepare(gl: WebGL2RenderingContext, budgetBytes: number): Atlas {
    this.#atlas ??= new Atlas(gl, this.#isBytes ? "u8" : "f32", this.levels, budgetBytes);
    return this.#atlas;
  }

  /** Releases the atlas, for another budget or after its context was lost. */
  forget(): void {
    this.#atlas?.dispose();
    this.#atlas = undefined;
    this.#hasNews = true;
    this.#missing = [...this.#wanted];
    this.#borders.length = 0;
    this.blocks.want(this.#wanted, this.#missing);
  }

  get #isBytes(): boolean {
    const { leaf, decode } = layerLevels(this.layer)[0]!.cut;
    return !decode && (leaf.dtype.core === "uint8" || leaf.dtype.core === "bool") && leaf.items === 1;
  }

  /** Requests bricks, in the order of their use. */
  want(bricks: readonly Brick[]): void {
    this.#wanted = bricks;
    this.#keys = new Set(bricks.map(brickKey));
    this.#missing = bricks.filter((brick) => !this.#atlas?.has(brick));
    this.leftOut = 0;
    this.#hasNews = true;
    this.blocks.want(this.#wanted, this.#missing);
  }

  isWanted(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Whether all wanted bricks are at hand, except those that cannot be read or exceed the budget. */
  get isWhole(): boolean {
    return this.#borders.length === 0 && this.#missing.every((brick) => this.blocks.hasFailed(brick));
  }

  /**
   * Uploads bricks whose blocks have been read.
   * @param until time at which to stop, after at least one
   * @returns whether anything has changed
   */
  upload(until: number): boolean {
    const atlas = this.#atlas;
    if (!atlas) return false;
    if (!this.#hasNews) return this.#uploadBorders(until);
    this.#hasNews = false;
    const isNeeded = (key: string) => this.#keys.has(key);
    atlas.missing = this.#missing.length;
    let isChanged = false;
    const rest: Brick[] = [];
    for (const brick of this.#missing) {
      if (isChanged && performance.now() > until) {
        this.#hasNews = true;
        rest.push(brick);
        continue;
      }
      const content = this.blocks.content(brick, this.levels[brick.level]!);
      if (!content) {
        rest.push(brick);
        continue;
      }
      const isAdded =
        "uniform" in content
          ? atlas.addUniform(brick, content.uniform, isNeeded)
          : atlas.add(brick, content.parts, content.extents, isNeeded);
      if (!isAdded) this.leftOut++;
      isChanged = true;
    }
    this.#missing = rest;
    // Blocks may have been evicted before their bricks were uploaded.
    if (rest.length > 0 && !isChanged && this.blocks.isIdle) this.blocks.want(this.#wanted, rest);
    return this.#uploadBorders(until) || isChanged;
  }

  #uploadBorders(until: number): boolean {
    const isNeeded = (key: string) => this.#keys.has(key);
    let isChanged = false;
    while (this.#borders.length > 0 && (!isChanged || performance.now() <= until)) {
      const { level, at } = this.#borders.shift()!;
      const place = this.levels[level]!;
      eachIndex(this.blocks.bricksBeside(place, level, at), (index) => {
        const brick = { level, at: index };
        const parts = this.blocks.border(brick, place, at);
        if (this.#atlas!.hasVoxels(brick))
          for (const part of parts) this.#atlas!.patch(brick, part, isNeeded);
        else if (parts.some((part) => this.#atlas!.checkBorder(brick, part))) this.#addMissing(brick);
      });
      isChanged = true;
    }
    // Borders change the cells of bricks several times.
    if (this.#borders.length === 0) this.#atlas!.sendCells(until);
    return isChanged;
  }

  #addMissing(brick: Brick): void {
    if (!this.#keys.has(brickKey(brick))) return;
    this.#missing.push(brick);
    this.#hasNews = true;
  }

  dispose(): void {
    this.blocks.leave();
    this.#atlas?.dispose();
    this.#atlas = undefined;
  }
}
