// Memory of volumes: extents of cells, and the textures of an atlas while the camera moves through 1 TB.
import { expect, it } from "vitest";
import { defaultOrbit, type Orbit } from "#src/viewer/model/volume.js";
import { Atlas } from "#src/viewer/volume/atlas.js";
import {
  brickKey,
  eachIndex,
  map3,
  partOrigin,
  partsPerBrick,
  side,
  type Vec3,
  type VolumeLevel,
  type Voxels,
} from "#src/viewer/volume/bricks.js";
import { type VolumeViewpoint, visiblePart } from "#src/viewer/volume/camera.js";
import { cellSide, cellsPerSide, cellTexels, Extents } from "#src/viewer/volume/extents.js";
import { chooseBricks } from "#src/viewer/volume/octree.js";
import { amount } from "../support/amounts.js";
import { randomizer } from "../support/support.js";

const stored = side + 2;

/** A part of a stored brick whose values come from a function of its place. */
function partOf(into: Vec3, size: Vec3, value: (x: number, y: number, z: number) => number): Voxels {
  const values = new Float32Array(size[0] * size[1] * size[2]);
  let at = 0;
  for (let z = 0; z < size[2]; z++)
    for (let y = 0; y < size[1]; y++)
      for (let x = 0; x < size[0]; x++) values[at++] = value(into[0] + x, into[1] + y, into[2] + z);
  return { into, size, values, offset: 0, strides: [1, size[0], size[0] * size[1]] };
}

it("the extent of a cell includes all voxels with which its samples are interpolated", () => {
  const random = randomizer(3);
  const whole = Array.from({ length: stored ** 3 }, () => (random() < 0.01 ? Math.fround(random()) : 0));
  whole[(20 * stored + 20) * stored + 20] = Number.NaN;
  const value = (x: number, y: number, z: number) => whole[(z * stored + y) * stored + x]!;
  const extents = new Extents();
  // In parts that do not coincide with cells, the border last.
  const cuts = [1, 12, 40, side + 1];
  for (let z = 0; z < 3; z++)
    for (let y = 0; y < 3; y++)
      for (let x = 0; x < 3; x++) {
        const from = map3((i) => cuts[[x, y, z][i]!]!);
        const to = map3((i) => cuts[[x, y, z][i]! + 1]!);
        extents.add(
          partOf(
            from,
            map3((i) => to[i]! - from[i]!),
            value,
          ),
        );
      }
  expect(extents.uniform).toBeUndefined();
  expect(extents.hasGaps).toBe(true);
  for (const axis of [0, 1, 2])
    for (const end of [0, side + 1]) {
      const from = map3((i) => (i === axis ? end : 0));
      extents.add(
        partOf(
          from,
          map3((i) => (i === axis ? 1 : stored)),
          value,
        ),
      );
    }
  let wrong = 0;
  for (let z = 0; z < cellsPerSide; z++)
    for (let y = 0; y < cellsPerSide; y++)
      for (let x = 0; x < cellsPerSide; x++) {
        let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
        for (let k = 0; k < cellSide + 2; k++)
          for (let j = 0; j < cellSide + 2; j++)
            for (let i = 0; i < cellSide + 2; i++) {
              const one = value(x * cellSide + i, y * cellSide + j, z * cellSide + k);
              if (one < min) min = one;
              if (one > max) max = one;
            }
        const at = 2 * ((z * cellsPerSide + y) * cellsPerSide + x);
        if (extents.cells[at] !== min || extents.cells[at + 1] !== max) wrong++;
      }
  expect(wrong).toBe(0);
});

it("the cells within reach of a cell have values within its extent, as many as possible", () => {
  const random = randomizer(5);
  const count = cellsPerSide ** 3;
  const texels = new Float32Array(4 * count);
  for (const density of [0, 0.002, 0.05, 1]) {
    const extents = new Extents();
    for (let i = 0; i < count; i++) {
      const [a, b] = random() < density ? [random(), random()] : [0, 0];
      extents.cells.set([Math.min(a, b), Math.max(a, b)], 2 * i);
    }
    extents.cells.set([3e38, -3e38], 2 * Math.floor(random() * count));
    cellTexels(extents, texels);
    const { cells } = extents;
    const isWithin = (at: Vec3, reach: number) => {
      const index = ([x, y, z]: Vec3) => 2 * ((z * cellsPerSide + y) * cellsPerSide + x);
      const [least, most] = [cells[index(at)]!, cells[index(at) + 1]!];
      let isInside = true;
      const from = map3((i) => Math.max(0, at[i]! - reach));
      const to = map3((i) => Math.min(cellsPerSide, at[i]! + reach + 1));
      eachIndex({ from, to }, (near) => {
        if (cells[index(near)]! < least || cells[index(near) + 1]! > most) isInside = false;
      });
      return isInside;
    };
    let [wrong, i] = [0, 0];
    eachIndex({ from: [0, 0, 0], to: map3(() => cellsPerSide) }, (at) => {
      const expected = [0, 1, 2, 4, 7].findLast((reach) => isWithin(at, reach));
      if (texels[4 * i + 2] !== expected) wrong++;
      if (texels[4 * i] !== cells[2 * i] || texels[4 * i + 1] !== cells[2 * i + 1]) wrong++;
      i++;
    });
    expect(wrong).toBe(0);
  }
});

it("equal voxels with an equal border are uniform, and take the same cells as stored ones", () => {
  const flat: Voxels = {
    into: [1, 1, 1],
    size: [side, side, side],
    values: Uint8Array.of(7),
    offset: 0,
    strides: [0, 0, 0],
  };
  const extents = new Extents();
  expect(extents.add(flat)).toBe(true);
  expect(extents.uniform).toBe(7);
  expect(new Set(extents.cells)).toEqual(new Set([7]));
  expect(extents.add(partOf([0, 1, 1], [1, 1, 1], () => 7))).toBe(false);
  expect(extents.uniform).toBe(7);
  expect(extents.add(partOf([0, 0, 0], [1, 1, 1], () => 9))).toBe(true);
  expect(extents.uniform).toBeUndefined();
  expect([extents.min, extents.max]).toEqual([7, 9]);
  expect(extents.add(partOf([5, 5, 5], [1, 1, 1], () => 8))).toBe(false);
});

it("NaN is uniform whatever its border is: interpolated with it, it stays NaN", () => {
  const extents = new Extents();
  extents.add(partOf([1, 1, 1], [side, side, side], () => Number.NaN));
  extents.add(partOf([0, 1, 1], [1, side, side], () => 5));
  expect(extents.uniform).toBeNaN();
  const beside = new Extents();
  beside.add(partOf([1, 1, 1], [side, side, side], () => 5));
  beside.add(partOf([0, 1, 1], [1, side, side], () => Number.NaN));
  expect(beside.uniform).toBeUndefined();
});

/** Accepts every call; counts the bytes of textures that have not been deleted. */
class FakeGl {
  readonly MAX_3D_TEXTURE_SIZE = "3d";
  readonly R8 = 1;
  readonly RGBA8 = 4;
  readonly R16UI = 2.5;
  readonly RGBA32F = 16;
  readonly R32F = 4;
  readonly #bytes = new Map<object, number>();
  #bound: object = {};
  peak = 0;

  getParameter(): number {
    return 2048;
  }
  createTexture(): object {
    return {};
  }
  bindTexture(_target: unknown, texture: object): void {
    this.#bound = texture;
  }
  texStorage3D(_t: unknown, _levels: number, format: number, x: number, y: number, z: number): void {
    this.#count((format === 2.5 ? 2 : format) * x * y * z);
  }
  texStorage2D(_t: unknown, _levels: number, format: number, x: number, y: number): void {
    this.#count(format * x * y);
  }
  deleteTexture(texture: object): void {
    this.#bytes.delete(texture);
  }
  #count(bytes: number): void {
    this.#bytes.set(this.#bound, bytes);
    this.peak = Math.max(this.peak, this.bytes);
  }
  get bytes(): number {
    return [...this.#bytes.values()].reduce((sum, one) => sum + one, 0);
  }
}

const fakeContext = (fake: FakeGl): WebGL2RenderingContext =>
  new Proxy(fake, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : (value ?? (() => ({})));
    },
  }) as unknown as WebGL2RenderingContext;

/** Numbers of movements by the budget in MiB. */
const movements: readonly (readonly [budget: number, moves: number])[] = [
  [512, amount(40, 100)],
  [64, amount(400, 1900)],
];

it("movements through 1 TB keep the textures within the budget", () => {
  const length = 10_000;
  const levels = Array.from({ length: 8 }, (_, i): VolumeLevel => {
    const shape = map3(() => Math.ceil(length / 2 ** i));
    return { shape, factor: map3(() => 2 ** i), origin: [0, 0, 0] };
  });
  const random = randomizer(11);
  for (const [budget, moves] of movements) {
    const fake = new FakeGl();
    const atlas = new Atlas(fakeContext(fake), "u8", levels, budget * 2 ** 20);
    // Of bricks with one to four parts whose voxels differ.
    const contents = Array.from({ length: partsPerBrick }, (_, last) => {
      const extents = new Extents();
      extents.add(partOf([0, 0, 0], [stored, stored, stored], () => 0));
      for (let part = 0; part <= last; part++)
        extents.add(
          partOf(
            map3((i) => partOrigin(part)[i]! + 9),
            [1, 1, 1],
            () => 1,
          ),
        );
      return extents;
    });
    let orbit: Orbit = defaultOrbit;
    let used: ReadonlySet<string> = new Set();
    let shownVoxels = 0;
    for (let move = 0; move < moves; move++) {
      const center = map3(() => random() * length) as Vec3;
      orbit = {
        ...orbit,
        yaw: random() * 360 - 180,
        pitch: random() * 180 - 90,
        zoom: 2 ** (random() * 6),
        center,
      };
      const view: VolumeViewpoint = {
        space: { extent: [length, length, length], spacing: [1, 1, 1] },
        orbit,
        width: 800,
        height: 600,
      };
      const { bricks } = chooseBricks(levels, view, atlas.capacity, (key) => used.has(key));
      used = new Set(bricks.map(brickKey));
      for (const brick of bricks) {
        if (atlas.has(brick)) continue;
        const isAdded =
          random() < 0.5
            ? atlas.addUniform(brick, 0, (key) => used.has(key))
            : atlas.add(brick, [], contents[Math.floor(random() * 4)]!, (key) => used.has(key));
        if (isAdded && atlas.hasVoxels(brick)) shownVoxels++;
      }
      expect(atlas.bytes).toBe(fake.bytes);
    }
    expect(fake.peak).toBeLessThanOrEqual(budget * 2 ** 20);
    // The atlas uses its share of the budget.
    expect(fake.bytes).toBeGreaterThan(0.35 * budget * 2 ** 20);
    expect(shownVoxels).toBeGreaterThan(atlas.capacity);
  }
}, 120_000);

const cube = (orbit: Partial<Orbit>, changes: Partial<VolumeViewpoint>): VolumeViewpoint => ({
  space: { extent: [256, 256, 256], spacing: [1, 1, 1] },
  orbit: { ...defaultOrbit, ...orbit },
  width: 800,
  height: 600,
  ...changes,
});

it("bricks outside the clip box and in front of the cut plane are not requested", () => {
  const levels: VolumeLevel[] = [0, 1].map((i) => ({
    shape: map3(() => 256 >> i),
    factor: map3(() => 2 ** i),
    origin: [0, 0, 0],
  }));
  const finest = (view: VolumeViewpoint) =>
    chooseBricks(levels, view, 1000, () => false).bricks.filter(({ level }) => level === 0);
  const near = { zoom: 2, yaw: 0, pitch: 0 };
  expect(finest(cube(near, {}))).toHaveLength(64);
  const clip = { from: [0, 0, 0], to: [64, 128, 256] } as const;
  expect(finest(cube(near, { clip }))).toHaveLength(1 * 2 * 4);
  // Looking along z, the plane leaves the half behind the centre.
  const cut = { yaw: 0, pitch: 0, depth: 0 };
  expect(
    finest(cube(near, { cut }))
      .map(({ at }) => at[2])
      .sort()[0],
  ).toBe(2);
  const { normal, offset } = visiblePart(cube({}, { cut: { yaw: 90, pitch: 0, depth: 0.5 } }));
  expect(map3((i) => Math.round(normal[i]! * 1e6) / 1e6)).toEqual([1, 0, 0]);
  expect(offset).toBeCloseTo(128 + (0.5 * Math.hypot(256, 256, 256)) / 2);
});
