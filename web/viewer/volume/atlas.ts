/**
 * The textures of a volume: an atlas of bricks, the page table, and the places and extent of values of each brick.
 * Parts of a brick whose voxels are equal are not stored. The atlas grows with the number of parts, up to a budget.
 */
import {
  type Brick,
  brickKey,
  isFilled,
  map3,
  partShape,
  partsPerBrick,
  side,
  type Vec3,
  type VolumeLevel,
  type Voxels,
  voxelsOfPart,
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
  /** The places of its parts; undefined for those of equal voxels. */
  readonly slots: (number | undefined)[];
}

/** A brick of equal voxels. */
interface Uniform {
  readonly brick: Brick;
  readonly value: number;
  /** Whether its neighbours have other values, so that it must be stored to be interpolated. */
  isUneven: boolean;
}

/** Voxels of a stored part along each axis. */
export const storedPart = map3((i) => partShape[i]! + 2);

/** Texels of a brick in the table of bricks, bricks in a row, and the maximum number of rows. */
export const brickTexels = 3;
export const tableRow = 256;
const maxTableRows = 64;
/** Maximum number of parts of the atlas along an axis. */
export const maxRow = 64;

const cellsOfBrick: Vec3 = [cellsPerSide, cellsPerSide, cellsPerSide];
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
  /** The extents of the bricks' cells, each at the place of the brick's first part. */
  #cells: WebGLTexture | undefined;
  /** Parts along x, y and z. */
  readonly row: readonly [x: number, y: number];
  layers = 0;
  /** Number of bricks that will be added: an atlas hardly grows beyond the room that they take. */
  missing = Number.POSITIVE_INFINITY;
  readonly #maxNumber: number;
  readonly #format: readonly [internal: number, type: number];
  /** Maximum number of layers, and the number from which the atlas grows to it: it is copied, and counts twice then. */
  readonly #most: number;
  readonly #beforeMost: number;
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
    const fixed = 2 * this.pages.cells.length + 16 * brickTexels * tableRow * tableRows;
    const slots = Math.max(partsPerBrick, Math.floor((budgetBytes - fixed) / this.#slotBytes));
    const longest = gl.getParameter(gl.MAX_3D_TEXTURE_SIZE) as number;
    const most = map3((i) => Math.min(maxRow, Math.floor(longest / storedPart[i]!)));
    const all = partsPerBrick * total;
    this.row = rowFor(Math.min(slots, all), most);
    const least = Math.ceil(partsPerBrick / this.#rowSlots);
    const usable = Math.min(most[2], Math.ceil(all / this.#rowSlots));
    [this.#beforeMost, this.#most] = maxLayers(least, usable, slots / this.#rowSlots);
    this.#pageTexture = this.#makePages();
    this.#table = this.#makeTable(tableRows);
    this.#bytes = fixed;
  }

  /** Maximum number of bricks with voxels. */
  get capacity(): number {
    return Math.floor((this.#most * this.#rowSlots) / partsPerBrick);
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
    const voxels = storedPart[0] * storedPart[1] * storedPart[2];
    return (voxels + 4 * cellsPerSide ** 3) * (this.kind === "u8" ? 1 : 4);
  }

  /** Whether a brick is at hand. Counts as use. */
  has(brick: Brick): boolean {
    const key = brickKey(brick);
    return this.#uniform.get(key)?.isUneven === false || this.#slots.use(key);
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
    this.#describe(number, brick, [], { min: value, max: value, hasGaps: false });
    return true;
  }

  /** Adds a brick. @returns false if all bricks in the atlas are needed */
  add(
    brick: Brick,
    voxels: readonly Voxels[],
    extents: Extents,
    isNeeded: (key: string) => boolean,
  ): boolean {
    const key = brickKey(brick);
    const parts = storedParts(extents);
    const taken = this.#take(key, parts.length, isNeeded);
    const uniform = this.#uniform.get(key);
    if (!taken) {
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
    const slots = Array.from({ length: partsPerBrick }, (_, part) => taken[parts.indexOf(part)]);
    const stored = { brick, number, extents, slots };
    this.#bricks.set(key, stored);
    for (const piece of voxels) this.#upload(stored, piece);
    this.#describe(number, brick, slots, extents);
    this.#staleCells.add(key);
    return true;
  }

  /** Replaces voxels of a brick's border, after its neighbour has been read. */
  patch(brick: Brick, voxels: Voxels, isNeeded: (key: string) => boolean): void {
    const key = brickKey(brick);
    const stored = this.#bricks.get(key);
    // Without room, the edges of its parts are not interpolated.
    if (!this.#slots.use(key) || !stored || !this.#storeParts(stored, voxels, isNeeded)) return;
    const { extents } = stored;
    const { hasGaps } = extents;
    const isChanged = extents.add(voxels) || extents.hasGaps !== hasGaps;
    this.#upload(stored, voxels);
    if (!isChanged) return;
    this.#describe(stored.number, brick, stored.slots, extents);
    this.#staleCells.add(key);
  }

  /** Stores parts of equal voxels whose border gets other values. @returns false if there is no room */
  #storeParts(stored: Stored, voxels: Voxels, isNeeded: (key: string) => boolean): boolean {
    const { extents, slots, brick } = stored;
    const equal = slots.flatMap((slot, part) => (slot === undefined ? [part] : []));
    const uneven = equal.filter((part) => {
      const inner = voxelsOfPart(voxels, part);
      return inner && !isFilled(inner, extents.partValue(part)!);
    });
    if (uneven.length === 0) return true;
    const key = brickKey(brick);
    const taken = this.#take(key, uneven.length, (other) => other === key || isNeeded(other));
    if (!taken) return false;
    for (const [i, part] of uneven.entries()) {
      slots[part] = taken[i];
      const values = Float32Array.of(extents.partValue(part)!);
      const whole = { into: [0, 0, 0], size: storedPart, values, offset: 0, strides: [0, 0, 0] } as const;
      this.#uploadPart(taken[i]!, whole, extents);
    }
    this.#describe(stored.number, brick, slots, extents);
    this.#staleCells.add(key);
    return true;
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
      const stored = this.#bricks.get(key);
      if (!stored) continue;
      const corner = this.#corner(firstSlot(stored.slots)!);
      const [x, y, z] = map3((i) => corner[i]! * cellsPerSide);
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

  /** Takes places for parts of a brick; undefined if all bricks in the atlas are needed. */
  #take(key: string, count: number, isNeeded: (key: string) => boolean): readonly number[] | undefined {
    for (;;) {
      const taken = this.#slots.take(key, count);
      if (taken || !this.#makeRoom(isNeeded)) return taken;
    }
  }

  #makeRoom(isNeeded: (key: string) => boolean): boolean {
    if (this.layers < this.#most) {
      const needed = (this.#slots.used + partsPerBrick * this.missing) / this.#rowSlots;
      const next = nextLayers(this.layers, needed);
      this.#grow(next > this.#beforeMost ? this.#most : next);
      return true;
    }
    const oldest = this.#slots.oldest(isNeeded);
    if (oldest === undefined) return false;
    this.#slots.release(oldest);
    this.pages.remove(this.#bricks.get(oldest)!.brick);
    this.#bricks.delete(oldest);
    return true;
  }

  /** Replaces the atlas by a larger one. */
  #grow(layers: number): void {
    const { gl } = this;
    const cellFormat = this.kind === "u8" ? gl.RGBA8 : gl.RGBA32F;
    const old = [this.#texture, this.#cells] as const;
    this.#texture = this.#enlarged(old[0], this.#format[0], storedPart, layers);
    this.#cells = this.#enlarged(old[1], cellFormat, cellsOfBrick, layers);
    setFilter(gl, gl.NEAREST);
    this.layers = layers;
    this.#slots.grow(layers * this.#rowSlots);
  }

  /** The GPU copies the content. @param size texels of a place along each axis */
  #enlarged(old: WebGLTexture | undefined, format: number, size: Vec3, layers: number): WebGLTexture {
    const { gl } = this;
    const [width, height] = [this.row[0] * size[0], this.row[1] * size[1]];
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_3D, texture);
    setSampling(gl, gl.LINEAR);
    gl.texStorage3D(gl.TEXTURE_3D, 1, format, width, height, layers * size[2]);
    if (!old) return texture;
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, frame);
    for (let z = 0; z < this.layers * size[2]; z++) {
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
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, brickTexels * tableRow, rows);
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
   * Writes the texels of a brick: its index and level; its extent of values, the place of its cells, and whether it
   * has gaps (1) and a level above 0 (2); the places of its parts. A place of -1 stands for equal voxels.
   */
  #describe(
    number: number,
    { at, level }: Brick,
    slots: readonly (number | undefined)[],
    { min, max, hasGaps }: Pick<Extents, "min" | "max" | "hasGaps">,
  ): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.#table);
    const kind = (hasGaps ? 1 : 0) + (level > 0 ? 2 : 0);
    const content = [min / this.unit, max / this.unit, this.#place(firstSlot(slots)), kind];
    const places = Array.from({ length: partsPerBrick }, (_, part) => this.#place(slots[part]));
    const texels = Float32Array.of(...at, level, ...content, ...places);
    const [x, y] = [brickTexels * (number % tableRow), Math.floor(number / tableRow)];
    gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, brickTexels, 1, gl.RGBA, gl.FLOAT, texels);
  }

  /** The place of a slot as one number. */
  #place(slot: number | undefined): number {
    if (slot === undefined) return -1;
    const [x, y, z] = this.#corner(slot);
    return x + maxRow * (y + maxRow * z);
  }

  /** The place of a slot in the atlas, in parts. */
  #corner(slot: number): Vec3 {
    const [across, down] = this.row;
    return [slot % across, Math.floor(slot / across) % down, Math.floor(slot / (across * down))];
  }

  /** Uploads voxels of a brick to its stored parts. */
  #upload({ slots, extents }: Stored, voxels: Voxels): void {
    for (const [part, slot] of slots.entries()) {
      const inner = slot === undefined ? undefined : voxelsOfPart(voxels, part);
      if (inner) this.#uploadPart(slot!, inner, extents);
    }
  }

  #uploadPart(slot: number, voxels: Voxels, { min, max }: Extents): void {
    const { gl } = this;
    const { into, size } = voxels;
    const corner = this.#corner(slot);
    const [x, y, z] = map3((i) => corner[i]! * storedPart[i]! + into[i]!);
    const { data, rowLength, imageHeight } = this.#texels(
      voxels,
      Number.isFinite(min) && Number.isFinite(max),
    );
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

/** The parts of a brick to store: at least one, whose place its cells have too. */
function storedParts(extents: Extents): readonly number[] {
  const parts = Array.from({ length: partsPerBrick }, (_, part) => part);
  const uneven = parts.filter((part) => extents.hasGaps || extents.partValue(part) === undefined);
  return uneven.length > 0 ? uneven : [0];
}

const firstSlot = (slots: readonly (number | undefined)[]): number | undefined =>
  slots.find((slot) => slot !== undefined);

/**
 * Layers of parts after growing: an atlas is copied, so large steps would leave much of it empty, and small ones
 * copy too often.
 */
const nextLayers = (layers: number, needed = Number.POSITIVE_INFINITY): number =>
  Math.max(1, layers + Math.ceil(Math.min(Math.max(needed - layers, layers / 32), layers / 10)));

/**
 * The last two numbers of layers of an atlas that grows: there is room for both.
 * @param least layers for one brick
 * @param all layers for all bricks
 * @param room layers within the budget
 */
function maxLayers(least: number, all: number, room: number): readonly [before: number, most: number] {
  let [before, layers] = [0, least];
  while (layers < all) {
    const next = Math.min(nextLayers(layers), all);
    if (layers + next > room) break;
    [before, layers] = [layers, next];
  }
  return [before, layers];
}

const bricksOf = (shape: Vec3): number =>
  map3((i) => Math.ceil(shape[i]! / side)).reduce((product, count) => product * count, 1);

/**
 * The smallest numbers of parts along x and y with which a number of parts fits into an atlas. Narrow slices keep
 * the voxels of a part close together in memory.
 * @param most maximum number along each axis
 */
function rowFor(count: number, most: Vec3): readonly [number, number] {
  const area = Math.min(Math.ceil(count / most[2]), most[0] * most[1]);
  const across = Math.ceil(area / most[1]);
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
