// The content of an atlas: the shader must find every voxel of a brick and of its border, stored or not.
import { expect, it } from "vitest";
import { Atlas, brickTexels, maxRow, storedPart, tableRow } from "#src/viewer/volume/atlas.js";
import {
  type Brick,
  brickGrid,
  brickKey,
  brickPieces,
  eachIndex,
  map3,
  type Piece,
  partOrigin,
  partShape,
  partsPerBrick,
  side,
  type Vec3,
  type VolumeLevel,
  type Voxels,
} from "#src/viewer/volume/bricks.js";
import { cellSide, cellsPerSide, Extents } from "#src/viewer/volume/extents.js";
import { amount } from "../support/amounts.js";
import { randomizer } from "../support/support.js";

interface Texture {
  readonly size: Vec3;
  readonly channels: number;
  readonly texels: Float32Array;
}

/** Keeps textures as numbers. */
class TextureGl {
  readonly MAX_3D_TEXTURE_SIZE = "3d";
  readonly [name: string]: unknown;
  readonly R16UI = 0;
  readonly R8 = 1;
  readonly R32F = 1;
  readonly RGBA8 = 4;
  readonly RGBA32F = 4;
  readonly UNPACK_ROW_LENGTH = "row";
  readonly UNPACK_IMAGE_HEIGHT = "image";
  readonly textures: Texture[] = [];
  #bound: { texture?: Texture } = {};
  #read: Texture | undefined;
  #layer = 0;
  readonly #unpack: Record<string, number> = {};

  getParameter = () => 2048;
  getExtension = () => ({});
  createTexture = () => ({});
  createFramebuffer = () => ({});
  bindTexture = (_target: unknown, texture: object) => {
    this.#bound = texture;
  };
  pixelStorei = (name: string, value: number) => {
    this.#unpack[name] = value;
  };
  texStorage3D = (_target: unknown, _levels: number, channels: number, x: number, y: number, z: number) => {
    if (channels === 0) return;
    const texture = { size: [x, y, z] as const, channels, texels: new Float32Array(channels * x * y * z) };
    this.#bound.texture = texture;
    this.textures.push(texture);
  };
  texStorage2D = (target: unknown, levels: number, channels: number, x: number, y: number) =>
    this.texStorage3D(target, levels, channels, x, y, 1);
  texSubImage3D = (...given: readonly unknown[]) => {
    const [, , x, y, z, width, height, depth] = given as number[];
    const data = given.at(-1) as Float32Array;
    const { texture } = this.#bound;
    if (!texture) return; // the page table
    const { size, channels, texels } = texture;
    const row = this.#unpack["row"] || width!;
    const image = this.#unpack["image"] || height!;
    for (let k = 0; k < depth!; k++)
      for (let j = 0; j < height!; j++) {
        const from = (k * image + j) * row * channels;
        const to = (((z! + k) * size[1] + y! + j) * size[0] + x!) * channels;
        texels.set(data.subarray(from, from + width! * channels), to);
      }
  };
  texSubImage2D = (target: unknown, level: number, x: number, y: number, width: number, ...rest: unknown[]) =>
    this.texSubImage3D(target, level, x, y, 0, width, 1, 1, rest.at(-1));
  framebufferTextureLayer = (
    _t: unknown,
    _a: unknown,
    from: { texture: Texture },
    _level: number,
    z: number,
  ) => {
    this.#read = from.texture;
    this.#layer = z;
  };
  copyTexSubImage3D = (_target: unknown, _level: number, _x: number, _y: number, z: number) => {
    const { size, channels, texels } = this.#bound.texture!;
    const count = size[0] * size[1] * channels;
    texels.set(this.#read!.texels.subarray(this.#layer * count, (this.#layer + 1) * count), z * count);
  };
}

function recordingGl() {
  const recorder = new TextureGl();
  const gl = new Proxy(recorder, { get: (target, name: string) => target[name] ?? (() => {}) });
  return { recorder, gl: gl as unknown as WebGL2RenderingContext };
}

const shape: Vec3 = [150, 128, 70];
const level: VolumeLevel = { shape, factor: [1, 1, 1], origin: [0, 0, 0] };
const blockShape: Vec3 = [64, 32, 64];
const indexOf = ([x, y, z]: Vec3): number => (z * shape[1] + y) * shape[0] + x;

/** The voxels of a piece; those of the brick itself in place of a border that has not been read. */
function voxelsOf(values: Voxels["values"], piece: Piece, isRead: (block: Vec3) => boolean): Voxels {
  const from = isRead(piece.block) || !piece.spare ? piece.from : piece.spare.from;
  const strides: Vec3 = [1, shape[0], shape[0] * shape[1]];
  return { into: piece.into, size: piece.size, values, offset: indexOf(from), strides };
}

/** Reads the blocks of a volume in some order into an atlas, as a layer does. */
function fillAtlas(atlas: Atlas, values: Voxels["values"], blocks: readonly Vec3[]): void {
  const read = new Set<string>();
  const isRead = (block: Vec3) => read.has(block.join());
  const bricks: Brick[] = [];
  eachIndex({ from: [0, 0, 0], to: brickGrid(level) }, (at) => bricks.push({ level: 0, at }));
  const added = new Set<string>();
  const add = (brick: Brick, pieces: readonly Piece[]) => {
    const extents = new Extents();
    const voxels = pieces.map((piece) => voxelsOf(values, piece, isRead));
    for (const one of voxels) extents.add(one);
    const { uniform } = extents;
    if (uniform === undefined) expect(atlas.add(brick, voxels, extents, () => true)).toBe(true);
    else expect(atlas.addUniform(brick, uniform, () => true)).toBe(true);
    added.add(brickKey(brick));
  };
  for (const block of blocks) {
    read.add(block.join());
    for (const brick of bricks) {
      const pieces = brickPieces(level, brick.at, blockShape);
      if (!added.has(brickKey(brick))) {
        if (pieces.every((piece) => piece.spare || isRead(piece.block))) add(brick, pieces);
        continue;
      }
      const border = pieces
        .filter((piece) => piece.spare && piece.block.join() === block.join())
        .map((piece) => voxelsOf(values, piece, isRead));
      if (atlas.hasVoxels(brick)) for (const one of border) atlas.patch(brick, one, () => true);
      else if (border.some((one) => atlas.checkBorder(brick, one))) add(brick, pieces);
    }
  }
  expect(added.size).toBe(bricks.length);
}

/** Counts voxels that the shader would not find, and stored parts. */
function examine(atlas: Atlas, textures: readonly Texture[], values: Voxels["values"]) {
  const [table, voxels, cells] = [textures[0]!, textures.at(-2)!, textures.at(-1)!];
  const texel = ({ size, channels, texels }: Texture, [x, y, z]: Vec3) => {
    const at = channels * ((z * size[1] + y) * size[0] + x);
    return texels.subarray(at, at + channels);
  };
  const seatOf = (place: number): Vec3 => [
    place % maxRow,
    Math.floor(place / maxRow) % maxRow,
    Math.floor(place / maxRow ** 2),
  ];
  let [wrong, parts] = [0, 0];
  eachIndex({ from: [0, 0, 0], to: brickGrid(level) }, (at) => {
    const number = atlas.pages.numberOf({ level: 0, at })!;
    const entry = (i: number) =>
      texel(table, [brickTexels * (number % tableRow) + i, Math.floor(number / tableRow), 0]);
    const [content, places] = [entry(1), entry(2)];
    const cellCorner = map3((i) => seatOf(content[2]!)[i]! * cellsPerSide);
    for (let part = 0; part < partsPerBrick; part++) {
      if (places[part]! >= 0) parts++;
      const corner = map3((i) => seatOf(places[part]!)[i]! * storedPart[i]!);
      eachIndex({ from: [0, 0, 0], to: storedPart }, (into) => {
        const own = map3((i) => partOrigin(part)[i]! + into[i]! - 1);
        const place = map3((i) => at[i]! * side + own[i]!);
        // Beyond the edge of the level, one voxel is repeated.
        if (place.some((one, i) => one > shape[i]!)) return;
        const source = map3((i) => Math.min(Math.max(place[i]!, 0), shape[i]! - 1));
        const value = values[indexOf(source)]!;
        // Samples between voxels of a part and its border lie in cells of the part.
        const inner = map3((i) => Math.min(Math.max(into[i]! - 1, 0), partShape[i]! - 1));
        const cell = map3((i) => Math.floor((partOrigin(part)[i]! + inner[i]!) / cellSide));
        const [least, most] = texel(
          cells,
          map3((i) => cellCorner[i]! + cell[i]!),
        );
        const isStored = places[part]! >= 0;
        const found =
          content[2]! < 0
            ? Math.fround(content[0]! * atlas.unit)
            : isStored
              ? texel(
                  voxels,
                  map3((i) => corner[i]! + into[i]!),
                )[0]!
              : least!;
        if (!Object.is(found, value)) wrong++;
        // Rays skip cells, or take their value for all of their samples.
        if (content[2]! >= 0 && (value < least! || value > most!)) wrong++;
        const isUniform = !isStored || (least === most && content[3]! % 2 === 0);
        if (content[2]! >= 0 && isUniform && (least !== most || value !== least)) wrong++;
      });
    }
  });
  return { wrong, parts };
}

const shuffled = (list: readonly Vec3[], seed: number): Vec3[] => {
  const random = randomizer(seed);
  const keys = list.map((one) => [random(), one] as const);
  return keys.sort(([a], [b]) => a - b).map(([, one]) => one);
};

const blocks: Vec3[] = [];
eachIndex({ from: [0, 0, 0], to: map3((i) => Math.ceil(shape[i]! / blockShape[i]!)) }, (at) =>
  blocks.push(at),
);

/** Odd seeds have one ground and blocks in order, even ones two and any order; from 3 on, `f32` has a gap. */
const seeds = { u8: [1, 2, 3, 4], f32: [4, 3, 2, 1] };

for (const kind of ["u8", "f32"] as const)
  it(`parts of equal voxels take no place, and the others have their borders: ${kind}`, () => {
    for (const seed of seeds[kind].slice(0, amount(2, 4))) {
      const values = new (kind === "u8" ? Uint8Array : Float32Array)(shape[0] * shape[1] * shape[2]);
      // Grounds of two values, single voxels at the edges of parts and elsewhere, and gaps.
      eachIndex({ from: [0, 0, 0], to: shape }, (at) => {
        values[indexOf(at)] = seed % 2 === 0 && at[0] >= 64 && at[1] >= 64 ? 200 : 7;
      });
      const marks: readonly Vec3[] = [
        [10, 10, 10],
        [64, 50, 10],
        [20, 64, 63],
        [100, 127, 63],
        [seed * 20, seed * 11, seed * 9],
      ];
      for (const [i, at] of marks.entries()) values[indexOf(at)] = 90 + i;
      if (kind === "f32" && seed > 2) values[indexOf([128, 40, 10])] = Number.NaN;
      const { recorder, gl } = recordingGl();
      const atlas = new Atlas(gl, kind, [level], 2 ** 26);
      fillAtlas(atlas, values, seed % 2 === 0 ? shuffled(blocks, seed) : blocks);
      atlas.sendCells(Number.POSITIVE_INFINITY);
      const { wrong, parts } = examine(atlas, recorder.textures, values);
      expect(wrong).toBe(0);
      expect(parts).toBeGreaterThan(4);
      expect(parts).toBeLessThan(partsPerBrick * 12 * (kind === "u8" ? 0.6 : 0.9));
    }
  });
