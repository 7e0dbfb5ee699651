/**
 * The textures of a volume: an atlas of bricks, the page table, and the place and extent of values of each brick.
 * The atlas grows with the number of bricks, up to a budget.
 */
import type { Numbers } from "../base/plane.js";
import { type Brick, brickKey, map3, side, type Vec3, type VolumeLevel } from "./bricks.js";
import { PageTable } from "./pages.js";
import { Slots } from "./slots.js";

/** Bytes as 8-bit texels, other numbers as 32-bit floats. */
export type AtlasKind = "u8" | "f32";

/** Values of a part of a stored brick. */
export interface Voxels {
  /** Index in the stored brick, and number of voxels. */
  readonly into: Vec3;
  readonly size: Vec3;
  readonly values: Numbers;
  readonly offset: number;
  /** Distances between neighbours along x, y and z. */
  readonly strides: Vec3;
}

/** Minimum and maximum of a brick without its border; NaN does not count. */
export interface Extent {
  readonly min: number;
  readonly max: number;
}

/** Voxels of a stored brick along each axis. */
const storedSide = side + 2;

/** Texels of the table of bricks. A brick has two. */
export const tableSize = { width: 512, height: 64 } as const;
const maxNumber = (tableSize.width * tableSize.height) / 2 - 1;

export class Atlas {
  readonly pages: PageTable;
  readonly #slots = new Slots();
  readonly #uniform = new Map<string, Brick>();
  readonly #bricks = new Map<string, Brick>();
  readonly #pageTexture: WebGLTexture;
  readonly #table: WebGLTexture;
  #texture: WebGLTexture | undefined;
  /** Bricks along x and y, and along z. */
  readonly row: number;
  layers = 0;
  readonly #format: readonly [internal: number, type: number];
  readonly #most: number;
  #scratch = new Float32Array(0);
  #bytes = 0;

  /** @param budgetBytes maximum size of all textures; a growing atlas is copied, and counts twice */
  constructor(
    private readonly gl: WebGL2RenderingContext,
    readonly kind: AtlasKind,
    levels: readonly VolumeLevel[],
    budgetBytes: number,
  ) {
    this.pages = new PageTable(levels);
    this.#format = this.#chooseFormat();
    const fixed = 2 * this.pages.cells.length + 16 * tableSize.width * tableSize.height;
    const slots = Math.max(1, Math.floor((budgetBytes - fixed) / this.#slotBytes));
    const total = levels.reduce((sum, { shape }) => sum + bricksOf(shape), 0);
    const most = Math.floor((gl.getParameter(gl.MAX_3D_TEXTURE_SIZE) as number) / storedSide);
    this.row = rowFor(Math.min(slots, total), most);
    this.#most = Math.max(1, Math.min(most, Math.floor((slots * growthShare) / this.row ** 2)));
    this.#pageTexture = this.#makePages();
    this.#table = this.#makeTable();
    this.#bytes = fixed;
  }

  /** Maximum number of bricks with voxels. */
  get capacity(): number {
    return this.#most * this.row ** 2;
  }
  get bytes(): number {
    return this.#bytes + this.layers * this.row ** 2 * this.#slotBytes;
  }
  /** Value of a texel of 1. */
  get unit(): number {
    return this.kind === "u8" ? 255 : 1;
  }
  get size(): Vec3 {
    return [this.row * storedSide, this.row * storedSide, Math.max(1, this.layers) * storedSide];
  }

  get #slotBytes(): number {
    return storedSide ** 3 * (this.kind === "u8" ? 1 : 4);
  }

  /** Whether a brick is at hand. Counts as use. */
  has(brick: Brick): boolean {
    const key = brickKey(brick);
    return this.#uniform.has(key) || this.#slots.use(key) !== undefined;
  }

  hasVoxels(brick: Brick): boolean {
    return this.#bricks.has(brickKey(brick));
  }

  /** Adds a brick of equal voxels, which takes no place in the atlas. */
  addUniform(brick: Brick, value: number): boolean {
    const number = this.#number(brick);
    if (number === undefined) return false;
    this.#uniform.set(brickKey(brick), brick);
    this.#describe(number, brick, -1, { min: value, max: value });
    return true;
  }

  /**
   * Adds a brick. @returns false if all bricks in the atlas are needed
   */
  add(brick: Brick, parts: readonly Voxels[], extent: Extent, isNeeded: (key: string) => boolean): boolean {
    const key = brickKey(brick);
    const slot = this.#slots.take(key) ?? this.#makeRoom(key, isNeeded);
    if (slot === undefined) return false;
    const number = this.#number(brick);
    if (number === undefined) {
      this.#slots.release(key);
      return false;
    }
    this.#bricks.set(key, brick);
    for (const part of parts) this.#upload(slot, part);
    this.#describe(number, brick, slot, extent);
    return true;
  }

  /** Replaces a part of a brick, after its neighbour has been read. */
  patch(brick: Brick, part: Voxels): void {
    const slot = this.#slots.use(brickKey(brick));
    if (slot !== undefined) this.#upload(slot, part);
  }

  /** Binds the textures to units 0 to 2 and uploads changes of the page table. */
  bind(): void {
    const { gl } = this;
    this.#sendPages();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_3D, this.#texture ?? null);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_3D, this.#pageTexture);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.#table);
  }

  dispose(): void {
    for (const texture of [this.#texture, this.#pageTexture, this.#table])
      this.gl.deleteTexture(texture ?? null);
  }

  #chooseFormat(): readonly [number, number] {
    const { gl } = this;
    if (this.kind === "u8") return [gl.R8, gl.UNSIGNED_BYTE];
    // Growing copies the texture as a render target.
    gl.getExtension("EXT_color_buffer_float");
    return [gl.getExtension("OES_texture_float_linear") ? gl.R32F : gl.R16F, gl.FLOAT];
  }

  #number(brick: Brick): number | undefined {
    if (this.#uniform.size + this.#bricks.size >= maxNumber) return undefined;
    return this.pages.add(brick);
  }

  #makeRoom(key: string, isNeeded: (key: string) => boolean): number | undefined {
    if (this.layers < this.#most) {
      this.#grow(Math.min(this.#most, Math.ceil(this.layers * 1.5) || 1));
      return this.#slots.take(key);
    }
    const oldest = this.#slots.oldest(isNeeded);
    if (oldest === undefined) return undefined;
    this.#slots.release(oldest);
    this.pages.remove(this.#bricks.get(oldest)!);
    this.#bricks.delete(oldest);
    return this.#slots.take(key);
  }

  /** Replaces the atlas by a larger one. The GPU copies its content. */
  #grow(layers: number): void {
    const { gl } = this;
    const old = this.#texture;
    const [width, height, depth] = this.size;
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_3D, texture);
    setSampling(gl, gl.LINEAR);
    gl.texStorage3D(gl.TEXTURE_3D, 1, this.#format[0], width, height, layers * storedSide);
    if (old) {
      const frame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, frame);
      for (let z = 0; z < depth; z++) {
        gl.framebufferTextureLayer(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, old, 0, z);
        gl.copyTexSubImage3D(gl.TEXTURE_3D, 0, 0, 0, z, 0, 0, width, height);
      }
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, null);
      gl.deleteFramebuffer(frame);
      gl.deleteTexture(old);
    }
    this.#texture = texture;
    this.layers = layers;
    this.#slots.grow(layers * this.row ** 2);
  }

  #makePages(): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_3D, texture);
    setSampling(gl, gl.NEAREST);
    gl.texStorage3D(gl.TEXTURE_3D, 1, gl.R16UI, ...(this.pages.grid as [number, number, number]));
    return texture;
  }

  #makeTable(): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, tableSize.width, tableSize.height);
    return texture;
  }

  #sendPages(): void {
    const changed = this.pages.takeChanged();
    if (!changed) return;
    const { gl } = this;
    const { grid, cells } = this.pages;
    const { from, to } = changed;
    const [width, height, depth] = map3((i) => to[i]! - from[i]!);
    const start = (from[2] * grid[1] + from[1]) * grid[0] + from[0];
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_3D, this.#pageTexture);
    setUnpacking(gl, 1, grid[0], grid[1]);
    const data = cells.subarray(start);
    gl.texSubImage3D(
      gl.TEXTURE_3D,
      0,
      ...(from as [number, number, number]),
      width,
      height,
      depth,
      gl.RED_INTEGER,
      gl.UNSIGNED_SHORT,
      data,
    );
    setUnpacking(gl, 4, 0, 0);
  }

  /** Writes the two texels of a brick: its index and level; its extent of values and its place. */
  #describe(number: number, { at, level }: Brick, slot: number, { min, max }: Extent): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.#table);
    const texels = Float32Array.of(...at, level, min / this.unit, max / this.unit, slot, 0);
    const [x, y] = [(2 * number) % tableSize.width, Math.floor((2 * number) / tableSize.width)];
    gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, 2, 1, gl.RGBA, gl.FLOAT, texels);
  }

  #upload(slot: number, part: Voxels): void {
    const { gl, row } = this;
    const { into, size } = part;
    const corner = [slot % row, Math.floor(slot / row) % row, Math.floor(slot / row ** 2)] as const;
    const [x, y, z] = map3((i) => corner[i]! * storedSide + into[i]!);
    const { data, rowLength, imageHeight } = this.#texels(part);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_3D, this.#texture!);
    setUnpacking(gl, 1, rowLength, imageHeight);
    gl.texSubImage3D(gl.TEXTURE_3D, 0, x, y, z, size[0], size[1], size[2], gl.RED, this.#format[1], data);
    setUnpacking(gl, 4, 0, 0);
  }

  /** Shares the block's memory if its values have the type and the order of the texture. */
  #texels(part: Voxels): { data: Uint8Array | Float32Array; rowLength: number; imageHeight: number } {
    const { values, offset, strides, size } = part;
    const [sx, sy, sz] = strides;
    const isOfKind = this.kind === "u8" ? values instanceof Uint8Array : values instanceof Float32Array;
    const isOrdered = sx === 1 && sy >= size[0] && sz % sy === 0 && sz / sy >= size[1];
    if (isOfKind && isOrdered) {
      const end = offset + (size[2] - 1) * sz + (size[1] - 1) * sy + size[0];
      return { data: values.subarray(offset, end) as Uint8Array, rowLength: sy, imageHeight: sz / sy };
    }
    const count = size[0] * size[1] * size[2];
    const data = this.kind === "u8" ? new Uint8Array(count) : this.#floats(count);
    let to = 0;
    for (let z = 0; z < size[2]; z++)
      for (let y = 0; y < size[1]; y++) {
        let from = offset + z * sz + y * sy;
        for (let x = 0; x < size[0]; x++, from += sx) data[to++] = values[from]!;
      }
    return { data, rowLength: size[0], imageHeight: size[1] };
  }

  #floats(count: number): Float32Array {
    if (this.#scratch.length < count) this.#scratch = new Float32Array(count);
    return this.#scratch.subarray(0, count);
  }
}

/** Share of the budget that an atlas may reach: the last step of its growth holds two of them. */
const growthShare = 0.6;

const bricksOf = (shape: Vec3): number =>
  map3((i) => Math.ceil(shape[i]! / side)).reduce((product, count) => product * count, 1);

/** The least number of bricks along x and y with which a number of bricks fits into an atlas. */
function rowFor(count: number, most: number): number {
  let row = 1;
  while (row < most && row ** 2 * most < count) row++;
  return row;
}

function setSampling(gl: WebGL2RenderingContext, filter: number): void {
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_3D, name, filter);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T, gl.TEXTURE_WRAP_R])
    gl.texParameteri(gl.TEXTURE_3D, name, gl.CLAMP_TO_EDGE);
}

function setUnpacking(gl: WebGL2RenderingContext, alignment: number, row: number, image: number): void {
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, alignment);
  gl.pixelStorei(gl.UNPACK_ROW_LENGTH, row);
  gl.pixelStorei(gl.UNPACK_IMAGE_HEIGHT, image);
}
