/** Tiles as textures, in the elements' own types if the GPU supports them. */
import { LruCache } from "#internal";
import type { Plane } from "../base/plane.js";
import type { Tile } from "../tiles/tile.js";
import { setNearest } from "./gl.js";
import { needsCodes, tileCodes } from "./label-look.js";
import type { MakingTime } from "./renderer.js";
import { type Texels, type TexelType, tileTexels } from "./texels.js";

/** Longer sides are split: every device supports textures of this size. */
const longestSide = 2048;

/** A part of a tile as a texture. */
interface Patch {
  readonly texture: WebGLTexture;
  readonly texels: Omit<Texels, "data">;
  /** Covered elements of the tile. The texture may be smaller: constant planes have one texel. */
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
}

export interface TileTextures {
  readonly key: string;
  readonly bytes: number;
  readonly patches: readonly Patch[];
}

const formats: Readonly<Record<TexelType, readonly [internal: string, format: string, type: string]>> = {
  u8: ["R8UI", "RED_INTEGER", "UNSIGNED_BYTE"],
  i8: ["R8I", "RED_INTEGER", "BYTE"],
  u16: ["R16UI", "RED_INTEGER", "UNSIGNED_SHORT"],
  i16: ["R16I", "RED_INTEGER", "SHORT"],
  u32: ["R32UI", "RED_INTEGER", "UNSIGNED_INT"],
  i32: ["R32I", "RED_INTEGER", "INT"],
  f32: ["R32F", "RED", "FLOAT"],
};

/** Textures of tiles within a budget; they are dropped with the tiles' block. */
export class Textures extends LruCache<TileTextures> {
  readonly #gl: WebGL2RenderingContext;
  /** Keys by block. */
  readonly #byBlock = new Map<string, Set<string>>();

  constructor(gl: WebGL2RenderingContext, budgetBytes: number) {
    super(budgetBytes, ({ patches }) => {
      for (const { texture } of patches) gl.deleteTexture(texture);
    });
    this.#gl = gl;
  }

  /**
   * The textures of a tile; undefined if there is no time left to make them. Only the time for making is charged, so
   * that slow drawing cannot stop progress.
   */
  of(tile: Tile, isLabels: boolean, time: MakingTime): TileTextures | undefined {
    const hasCodes = isLabels && needsCodes(tile);
    const key = hasCodes ? `${tile.key} labels` : tile.key;
    const kept = this.get(key);
    if (kept) return kept;
    if (time.left <= 0) return undefined;
    const started = performance.now();
    const made = { key, ...this.#patchesOf(hasCodes ? tileCodes(tile) : tile.plane) };
    this.set(made);
    time.left -= performance.now() - started;
    const ofBlock = this.#byBlock.get(tile.block.key) ?? new Set();
    this.#byBlock.set(tile.block.key, ofBlock.add(key));
    return made;
  }

  forget(blockKey: string): void {
    for (const key of this.#byBlock.get(blockKey) ?? []) this.delete(key);
    this.#byBlock.delete(blockKey);
  }

  override clear(): void {
    super.clear();
    this.#byBlock.clear();
  }

  #patchesOf(plane: Plane): Omit<TileTextures, "key"> {
    const patches: Patch[] = [];
    let bytes = 0;
    const { rows, columns } = plane;
    for (let row = 0; row < rows; row += longestSide)
      for (let column = 0; column < columns; column += longestSide) {
        const part = [
          [row, Math.min(row + longestSide, rows)],
          [column, Math.min(column + longestSide, columns)],
        ] as const;
        const { data, ...texels } = tileTexels(plane, ...part);
        patches.push({ texture: this.#upload({ data, ...texels }), texels, rows: part[0], columns: part[1] });
        bytes += texels.rows * texels.columns * data.BYTES_PER_ELEMENT;
      }
    return { bytes, patches };
  }

  #upload({ type, data, rows, columns, rowLength }: Texels): WebGLTexture {
    const gl = this.#gl;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    setNearest(gl);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, rowLength);
    const [internal, format, of] = formats[type].map((name) => gl[name as "RED"]) as [number, number, number];
    gl.texImage2D(gl.TEXTURE_2D, 0, internal, columns, rows, 0, format, of, data);
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, 0);
    return texture;
  }
}
