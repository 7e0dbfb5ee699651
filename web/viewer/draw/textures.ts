/** Tiles as textures, in the elements' own types if the GPU supports them. */
import type { Tile } from "../tiles/tile.js";
import { setNearest } from "./gl.js";
import { labelCodes } from "./labels.js";
import type { MakingTime } from "./renderer.js";
import { type Texels, type TexelType, tileTexels } from "./texels.js";
import { TileCache } from "./tile-cache.js";

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

export class Textures extends TileCache<TileTextures> {
  readonly #gl: WebGL2RenderingContext;

  constructor(gl: WebGL2RenderingContext, budgetBytes: number) {
    super(budgetBytes, ({ patches }) => {
      for (const { texture } of patches) gl.deleteTexture(texture);
    });
    this.#gl = gl;
  }

  /** The textures of a tile; undefined if there is no time left to make them. */
  of(tile: Tile, isLabels: boolean, time: MakingTime): TileTextures | undefined {
    const entries = isLabels ? labelCodes(tile) : undefined;
    const key = entries ? `${tile.key} labels` : tile.key;
    const kept = this.get(key);
    if (kept) return kept;
    if (time.left <= 0) return undefined;
    return this.make(tile, time, () => ({ key, ...this.#patchesOf(tile, entries) }));
  }

  #patchesOf(tile: Tile, entries: ReturnType<typeof labelCodes>): Omit<TileTextures, "key"> {
    const patches: Patch[] = [];
    let bytes = 0;
    const { rows, columns } = tile.plane;
    for (let row = 0; row < rows; row += longestSide)
      for (let column = 0; column < columns; column += longestSide) {
        const part = [
          [row, Math.min(row + longestSide, rows)],
          [column, Math.min(column + longestSide, columns)],
        ] as const;
        const { data, ...texels } = entries ? entries(...part) : tileTexels(tile.plane, ...part);
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
