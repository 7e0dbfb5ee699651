/**
 * The textures of a volume: an atlas of bricks, the page table, and the place and extent of values of each brick.
 * The atlas grows with the number of bricks, up to a budget.
 */
import {
  type Brick,
  brickKey,
  isFilled,
  map3,
  side,
  type Vec3,
  type VolumeLevel,
  type Voxels,
} from "./bricks.js";
import { cellsPerSide, cellTexels, type Extents } from "./extents.js";
import { PageTable } from "./pages.js";
import { Slots } from "./slots.js";

/** Bytes as 8-bit texels, other numbers as 32-bit floats. */
export type AtlasKind = "u8" | "f32";

/** A brick with voxels. */
interface Stored {
  readonly brick: Brick;
  readonly number: number;
  readonly extents: Extents;
}

/** A brick of equal voxels. */
interface Uniform {
  readonly brick: Brick;
  readonly value: number;
  /** Whether its neighbours have other values, so that it must be stored to be interpolated. */
  isUneven: boolean;
}

/** Voxels of a stored brick along each axis. */
const storedSide = side + 2;

/** Bricks in a row of the table of bricks, where each has two texels, and the maximum number of rows. */
export const tableRow = 256;
const maxTableRows = 64;
/** Maximum number of bricks of the atlas along an axis. */
export const maxRow = 32;

const cellBuffer = new Float32Array(4 * cellsPerSide ** 3);

export class Atlas {
  readonly pages: PageTable;
  readonly #slots = new Slots();
  readonly #uniform = new Map<string, Uniform>();
  readonly #bricks = new Map<string, Stored>();
  /** Bricks whose cells have changed since the last picture. */
  readonly #staleCells = new Set<string>();
  readonly #pageTexture: WebGLTexture;
  readonly #table: WebGLTexture;
  #texture: WebGLTexture | undefined;
  /** The extents of the bricks' cells. */
  #cells: WebGLTexture | undefined;
  /** Bricks along x, y and z. */
  readonly row: readonly [x: number, y: number];
  layers = 0;
  readonly #maxNumber: number;
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
    const total = levels.reduce((sum, { shape }) => sum + bricksOf(shape), 0);
    const tableRows = Math.min(maxTableRows, Math.ceil((total + 1) / tableRow));
    this.#maxNumber = tableRows * tableRow - 1;
    const fixed = 2 * this.pages.cells.length + 32 * tableRow * tableRows;
    const slots = Math.max(1, Math.floor((budgetBytes - fixed) / this.#slotBytes));
    const longest = gl.getParameter(gl.MAX_3D_TEXTURE_SIZE) as number;
    const most = Math.min(maxRow, Math.floor(longest / storedSide));
    this.row = rowFor(Math.min(slots, total), most);
    this.#most = maxLayers(Math.min(most, Math.ceil(total / this.#rowSlots)), slots / this.#rowSlots);
    this.#pageTexture = this.#makePages();
    this.#table = this.#makeTable(tableRows);
    this.#bytes = fixed;
  }

  /** Maximum number of bricks with voxels. */
  get capacity(): number {
    return this.#most * this.#rowSlots;
  }
  get bytes(): number {
    return this.#bytes + this.layers * this.#rowSlots * this.#slotBytes;
  }
  /** Value of a texel of 1. */
  get unit(): number {
    return this.kind === "u8" ? 255 : 1;
  }

  get #rowSlots(): number {
    return this.row[0] * this.row[1];
  }
  get #slotBytes(): number {
    return (storedSide ** 3 + 4 * cellsPerSide ** 3) * (this.kind === "u8" ? 1 : 4);
  }

  /** Whether a brick is at hand. Counts as use. */
  has(brick: Brick): boolean {
    const key = brickKey(brick);
    return this.#uniform.get(key)?.isUneven === false || this.#slots.use(key) !== undefined;
  }

  hasVoxels(brick: Brick): boolean {
    return this.#bricks.has(brickKey(brick));
  }

  /** Marks a brick of equal voxels as missing if a part of its border has other values. */
  checkBorder(brick: Brick, part: Voxels): boolean {
    const uniform = this.#uniform.get(brickKey(brick));
    if (!uniform || uniform.isUneven || Number.isNaN(uniform.value) || isFilled(part, uniform.value))
      return false;
    uniform.isUneven = true;
    return true;
  }

  /** Adds a brick of equal voxels, which takes no place in the atlas. @returns false if there are too many */
  addUniform(brick: Brick, value: number, isNeeded: (key: string) => boolean): boolean {
    const old = this.#uniform.get(brickKey(brick));
    if (old) old.isUneven = false;
    if (old) return true;
    const number = this.#number(brick, isNeeded);
    if (number === undefined) return false;
    this.#uniform.set(brickKey(brick), { brick, value, isUneven: false });
    this.#describe(number, brick, -1, { min: value, max: value, hasGaps: false });
    return true;
  }

  /** Adds a brick. @returns false if all bricks in the atlas are needed */
  add(brick: Brick, parts: readonly Voxels[], extents: Extents, isNeeded: (key: string) => boolean): boolean {
    const key = brickKey(brick);
    const slot = this.#slots.take(key) ?? this.#makeRoom(key, isNeeded);
    const uniform = this.#uniform.get(key);
    if (slot === undefined) {
      // Its edges are not interpolated then.
      if (uniform) uniform.isUneven = false;
      return uniform !== undefined;
    }
    if (uniform) {
      this.#uniform.delete(key);
      this.pages.remove(brick);
    }
    const number = this.#number(brick, isNeeded);
    if (number === undefined) {
      this.#slots.release(key);
      return false;
    }
    this.#bricks.set(key, { brick, number, extents });
    for (const part of parts) this.#upload(slot, part, extents);
    this.#describe(number, brick, slot, extents);
    this.#staleCells.add(key);
    return true;
  }

  /** Replaces a part of a brick, after its neighbour has been read. */
  patch(brick: Brick, part: Voxels): void {
    const key = brickKey(brick);
    const [slot, stored] = [this.#slots.use(key), this.#bricks.get(key)];
    if (slot === undefined || !stored) return;
    const isChanged = stored.extents.add(part);
    this.#upload(slot, part, stored.extents);
    if (!isChanged) return;
    this.#describe(stored.number, brick, slot, stored.extents);
    this.#staleCells.add(key);
  }

  /** Uploads cells that have changed, until a time. */
  sendCells(until: number): void {
    const { gl } = this;
    const isBytes = this.kind === "u8";
    const type = isBytes ? gl.UNSIGNED_BYTE : gl.FLOAT;
    gl.activeTexture(gl.TEXTURE4);
    gl.bindTexture(gl.TEXTURE_3D, this.#cells ?? null);
    for (const key of this.#staleCells) {
      if (performance.now() > until) return;
      this.#staleCells.delete(key);
      const [slot, stored] = [this.#slots.placeOf(key), this.#bricks.get(key)];
      if (slot === undefined || !stored) continue;
      const [x, y, z] = map3((i) => this.#corner(slot)[i]! * cellsPerSide);
      cellTexels(stored.extents, cellBuffer);
      const data = isBytes ? new Uint8Array(cellBuffer) : cellBuffer;
      const length = cellsPerSide;
      gl.texSubImage3D(gl.TEXTURE_3D, 0, x, y, z, length, length, length, gl.RGBA, type, data);
    }
  }

  /**
   * Binds the textures to units 0 to 2 and 4, and uploads changes of the page table and of cells.
   * @param isSmooth whether samples are interpolated
   */
  bind(isSmooth: boolean): void {
    const { gl } = this;
    this.#sendPages();
    this.sendCells(Number.POSITIVE_INFINITY);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_3D, this.#texture ?? null);
    if (this.#texture) setFilter(gl, isSmooth ? gl.LINEAR : gl.NEAREST);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_3D, this.#pageTexture);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.#table);
  }

  dispose(): void {
    for (const texture of [this.#texture, this.#cells, this.#pageTexture, this.#table])
      this.gl.deleteTexture(texture ?? null);
  }

  #chooseFormat(): readonly [number, number] {
    const { gl } = this;
    if (this.kind === "u8") return [gl.R8, gl.UNSIGNED_BYTE];
    // Growing copies the texture as a render target.
    gl.getExtension("EXT_color_buffer_float");
    return [gl.getExtension("OES_texture_float_linear") ? gl.R32F : gl.R16F, gl.FLOAT];
  }

  /** The number of a new brick. Bricks of equal voxels that are not needed give theirs up. */
  #number(brick: Brick, isNeeded: (key: string) => boolean): number | undefined {
    const isFull = () => this.#uniform.size + this.#bricks.size >= this.#maxNumber;
    if (isFull())
      for (const [key, other] of this.#uniform) {
        if (isNeeded(key)) continue;
        this.#uniform.delete(key);
        this.pages.remove(other.brick);
      }
    return isFull() ? undefined : this.pages.add(brick);
  }

  #makeRoom(key: string, isNeeded: (key: string) => boolean): number | undefined {
    if (this.layers < this.#most) {
      this.#grow(Math.min(this.#most, nextLayers(this.layers)));
      return this.#slots.take(key);
    }
    const oldest = this.#slots.oldest(isNeeded);
    if (oldest === undefined) return undefined;
    this.#slots.release(oldest);
    this.pages.remove(this.#bricks.get(oldest)!.brick);
    this.#bricks.delete(oldest);
    return this.#slots.take(key);
  }

  /** Replaces the atlas by a larger one. */
  #grow(layers: number): void {
    const { gl } = this;
    const cellFormat = this.kind === "u8" ? gl.RGBA8 : gl.RGBA32F;
    const old = [this.#texture, this.#cells] as const;
    this.#texture = this.#enlarged(old[0], this.#format[0], storedSide, layers);
    this.#cells = this.#enlarged(old[1], cellFormat, cellsPerSide, layers);
    setFilter(gl, gl.NEAREST);
    this.layers = layers;
    this.#slots.grow(layers * this.#rowSlots);
  }

  /** The GPU copies the content. @param length texels of a brick along each axis */
  #enlarged(old: WebGLTexture | undefined, format: number, length: number, layers: number): WebGLTexture {
    const { gl } = this;
    const [width, height] = [this.row[0] * length, this.row[1] * length];
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_3D, texture);
    setSampling(gl, gl.LINEAR);
    gl.texStorage3D(gl.TEXTURE_3D, 1, format, width, height, layers * length);
    if (!old) return texture;
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, frame);
    for (let z = 0; z < this.layers * length; z++) {
      gl.framebufferTextureLayer(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, old, 0, z);
      gl.copyTexSubImage3D(gl.TEXTURE_3D, 0, 0, 0, z, 0, 0, width, height);
    }
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, null);
    gl.deleteFramebuffer(frame);
    gl.deleteTexture(old);
    return texture;
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

  #makeTable(rows: number): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 2 * tableRow, rows);
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

  /**
   * Writes the two texels of a brick: its index and level; its extent of values, its place, and whether it has gaps
   * (1) and a level above 0 (2).
   */
  #describe(
    number: number,
    { at, level }: Brick,
    slot: number,
    { min, max, hasGaps }: Pick<Extents, "min" | "max" | "hasGaps">,
  ): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.#table);
    const [i, j, k] = slot < 0 ? [-1, 0, 0] : this.#corner(slot);
    const place = i + maxRow * (j + maxRow * k);
    const kind = (hasGaps ? 1 : 0) + (level > 0 ? 2 : 0);
    const texels = Float32Array.of(...at, level, min / this.unit, max / this.unit, place, kind);
    const [x, y] = [2 * (number % tableRow), Math.floor(number / tableRow)];
    gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, 2, 1, gl.RGBA, gl.FLOAT, texels);
  }

  /** The place of a slot in the atlas, in bricks. */
  #corner(slot: number): Vec3 {
    const [across, down] = this.row;
    return [slot % across, Math.floor(slot / across) % down, Math.floor(slot / (across * down))];
  }

  #upload(slot: number, part: Voxels, { min, max }: Extents): void {
    const { gl } = this;
    const { into, size } = part;
    const corner = this.#corner(slot);
    const [x, y, z] = map3((i) => corner[i]! * storedSide + into[i]!);
    const { data, rowLength, imageHeight } = this.#texels(part, Number.isFinite(min) && Number.isFinite(max));
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_3D, this.#texture!);
    setUnpacking(gl, 1, rowLength, imageHeight);
    gl.texSubImage3D(gl.TEXTURE_3D, 0, x, y, z, size[0], size[1], size[2], gl.RED, this.#format[1], data);
    setUnpacking(gl, 4, 0, 0);
  }

  /** Shares the block's memory if its values have the type and the order of the texture. */
  #texels(
    part: Voxels,
    areFinite: boolean,
  ): { data: Uint8Array | Float32Array; rowLength: number; imageHeight: number } {
    const { values, offset, strides, size } = part;
    const [sx, sy, sz] = strides;
    const isOfKind = this.kind === "u8" ? values instanceof Uint8Array : values instanceof Float32Array;
    const isOrdered = sx === 1 && sy >= size[0] && sz % sy === 0 && sz / sy >= size[1];
    if (isOfKind && isOrdered && areFinite) {
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
    // Infinity times a weight of 0 is NaN.
    const most = this.#format[0] === this.gl.R16F ? 65_504 : 1e38;
    if (!areFinite) for (let i = 0; i < count; i++) data[i] = Math.min(Math.max(data[i]!, -most), most);
    return { data, rowLength: size[0], imageHeight: size[1] };
  }

  #floats(count: number): Float32Array {
    if (this.#scratch.length < count) this.#scratch = new Float32Array(count);
    return this.#scratch.subarray(0, count);
  }
}

/** Layers of bricks after growing: an atlas is copied, so a few large steps would leave much of it empty. */
const nextLayers = (layers: number): number => Math.ceil(layers * 1.2) || 1;

/**
 * Maximum number of layers, of which the last step of growth holds two numbers.
 * @param all layers for all bricks
 * @param room layers within the budget
 */
function maxLayers(all: number, room: number): number {
  if (nextLayers(0) >= all) return 1;
  let layers = 1;
  for (let next = nextLayers(layers); layers < all; next = nextLayers(layers)) {
    const wanted = Math.min(next, all);
    if (layers + wanted > room) break;
    layers = wanted;
  }
  return layers;
}

const bricksOf = (shape: Vec3): number =>
  map3((i) => Math.ceil(shape[i]! / side)).reduce((product, count) => product * count, 1);

/**
 * The smallest numbers of bricks along x and y with which a number of bricks fits into an atlas. Narrow slices keep
 * the voxels of a brick close together in memory.
 */
function rowFor(count: number, most: number): readonly [number, number] {
  const area = Math.min(Math.ceil(count / most), most ** 2);
  const across = Math.ceil(area / most);
  return [across, Math.ceil(area / across)];
}

function setSampling(gl: WebGL2RenderingContext, filter: number): void {
  setFilter(gl, filter);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T, gl.TEXTURE_WRAP_R])
    gl.texParameteri(gl.TEXTURE_3D, name, gl.CLAMP_TO_EDGE);
}

function setUnpacking(gl: WebGL2RenderingContext, alignment: number, row: number, image: number): void {
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, alignment);
  gl.pixelStorei(gl.UNPACK_ROW_LENGTH, row);
  gl.pixelStorei(gl.UNPACK_IMAGE_HEIGHT, image);
}

function setFilter(gl: WebGL2RenderingContext, filter: number): void {
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_3D, name, filter);
}
