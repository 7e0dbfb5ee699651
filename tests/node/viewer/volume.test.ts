// The models of volumes without a browser: bricks, page table, places in the atlas, levels of detail, camera.
import { expect, it } from "vitest";
import { coordinatePlaces } from "#src/viewer/model/axis-places.js";
import {
  channelsText,
  curveText,
  isOpacityCurve,
  opacityAt,
  readChannels,
  readCurve,
} from "#src/viewer/model/channels.js";
import {
  clipText,
  cutText,
  defaultOrbit,
  isClip,
  isCut,
  isOrbit,
  orbitText,
  readClip,
  readCut,
  readOrbit,
} from "#src/viewer/model/volume.js";
import type { Dataset } from "#src/viewer/source/dataset.js";
import {
  affineSpace,
  diagonal,
  faceDistance,
  normalToVoxels,
  toSpace,
  toVoxels,
  voxelLength,
} from "#src/viewer/volume/affine.js";
import {
  type Brick,
  brickGrid,
  brickKey,
  brickPieces,
  bricksWithin,
  eachIndex,
  enclosingBrick,
  map3,
  side,
  type Vec3,
  type VolumeLevel,
} from "#src/viewer/volume/bricks.js";
import {
  castRays,
  nearer,
  projector,
  shifted,
  turned,
  type VolumeViewpoint,
} from "#src/viewer/volume/camera.js";
import { cubeTarget, lookAlong } from "#src/viewer/volume/cube.js";
import { opacityTable, opaqueEntries } from "#src/viewer/volume/modes.js";
import { chooseBricks } from "#src/viewer/volume/octree.js";
import { PageTable } from "#src/viewer/volume/pages.js";
import { Slots } from "#src/viewer/volume/slots.js";
import { volumeLevels, volumeProblem } from "#src/viewer/volume/space.js";
import { randomizer } from "../support/support.js";

const level = (shape: Vec3, factor: Vec3, origin: Vec3 = [0, 0, 0]): VolumeLevel => ({
  shape,
  factor,
  origin,
});

/** Pyramids of equal and unequal factors, of lengths that are rounded either way, and with displaced origins. */
const pyramids: readonly (readonly VolumeLevel[])[] = [
  [level([512, 512, 512], [1, 1, 1]), level([256, 256, 256], [2, 2, 2]), level([128, 128, 128], [4, 4, 4])],
  [level([300, 129, 70], [1, 1, 1]), level([150, 64, 70], [2, 2, 1]), level([75, 32, 35], [4, 4, 2])],
  [level([400, 200, 200], [1, 1, 1]), level([133, 67, 67], [3, 3, 3], [-1, 0.5, 0])],
];

const bricksOf = (levels: readonly VolumeLevel[]): Brick[] =>
  levels.flatMap((one, i) => {
    const bricks: Brick[] = [];
    eachIndex({ from: [0, 0, 0], to: brickGrid(one) }, (at) => bricks.push({ level: i, at }));
    return bricks;
  });

it("every brick lies in exactly one of each coarser level", () => {
  for (const levels of pyramids)
    for (const [i, inner] of levels.entries())
      for (const outer of levels.slice(i + 1)) {
        const owners = new Map<string, Vec3[]>();
        eachIndex({ from: [0, 0, 0], to: brickGrid(outer) }, (at) =>
          eachIndex(bricksWithin(outer, at, inner), (one) =>
            owners.set(one.join(), [...(owners.get(one.join()) ?? []), at]),
          ),
        );
        eachIndex({ from: [0, 0, 0], to: brickGrid(inner) }, (at) =>
          expect(owners.get(at.join())).toEqual([enclosingBrick(inner, at, outer)]),
        );
      }
});

it("the parts of a brick hold its voxels and its border once, from the blocks that have them", () => {
  const shape: Vec3 = [150, 70, 64];
  for (const block of [
    [64, 64, 64],
    [32, 48, 200],
    [150, 70, 1],
    [100, 7, 64],
  ] as const)
    for (const at of [
      [0, 0, 0],
      [1, 1, 0],
      [2, 0, 0],
    ] as const) {
      const size = map3((i) => Math.min(side, shape[i]! - at[i]! * side) + 2);
      const seen = new Map<string, string>();
      let repeated = 0;
      for (const piece of brickPieces(level(shape, [1, 1, 1]), at, block)) {
        const end = map3((i) => piece.from[i]! + piece.size[i]! - 1);
        expect(map3((i) => Math.floor(piece.from[i]! / block[i]!))).toEqual(piece.block);
        expect(map3((i) => Math.floor(end[i]! / block[i]!))).toEqual(piece.block);
        eachIndex({ from: [0, 0, 0], to: piece.size }, (step) => {
          const into = map3((i) => piece.into[i]! + step[i]!).join();
          if (seen.has(into)) repeated++;
          seen.set(into, map3((i) => piece.from[i]! + step[i]!).join());
        });
        // The block that stands for that of a border holds voxels of the brick itself.
        if (piece.spare)
          for (const i of [0, 1, 2]) {
            const first = piece.spare.block[i]! * block[i]!;
            expect(first).toBeLessThan(Math.min((at[i]! + 1) * side, shape[i]!));
            expect(first + block[i]!).toBeGreaterThan(at[i]! * side);
          }
      }
      expect([repeated, seen.size]).toEqual([0, size[0] * size[1] * size[2]]);
      let wrong = 0;
      eachIndex({ from: [0, 0, 0], to: size }, (into) => {
        const voxel = map3((i) => Math.min(Math.max(at[i]! * side + into[i]! - 1, 0), shape[i]! - 1));
        if (seen.get(into.join()) !== voxel.join()) wrong++;
      });
      expect(wrong).toBe(0);
    }
});

it("a page table holds the finest brick of every cell, whatever was added and removed", () => {
  const random = randomizer(7);
  for (const levels of pyramids) {
    const table = new PageTable(levels);
    const all = bricksOf(levels);
    const present = new Map<string, Brick>();
    for (let round = 0; round < 300; round++) {
      const brick = all[Math.floor(random() * all.length)]!;
      const key = brickKey(brick);
      if (present.delete(key)) table.remove(brick);
      else {
        present.set(key, brick);
        expect(table.add(brick)).toBeGreaterThan(0);
      }
      if (round % 20 > 0) continue;
      const finest = levels[0]!;
      let cell = 0;
      eachIndex({ from: [0, 0, 0], to: table.grid }, (at) => {
        const found = levels
          .map((one, i) => ({ level: i, at: i === 0 ? at : enclosingBrick(finest, at, one) }))
          .find((one) => present.has(brickKey(one)));
        expect(table.cells[cell++]).toBe(found ? table.numberOf(found) : 0);
      });
    }
  }
});

it("changed cells of a page table are reported once", () => {
  const table = new PageTable(pyramids[0]!);
  table.add({ level: 1, at: [1, 0, 2] });
  table.add({ level: 0, at: [0, 5, 3] });
  expect(table.takeChanged()).toEqual({ from: [0, 0, 3], to: [4, 6, 6] });
  expect(table.takeChanged()).toBeUndefined();
});

it("places in the atlas: the least recently used brick that is not needed gives up its own", () => {
  const slots = new Slots();
  expect(slots.take("a", 1)).toBeUndefined();
  slots.grow(4);
  expect([slots.take("a", 1), slots.take("b", 2), slots.take("c", 2)]).toEqual([[0], [1, 2], undefined]);
  expect([slots.use("a"), slots.use("c"), slots.used]).toEqual([true, false, 3]);
  expect(slots.oldest(() => false)).toBe("b");
  expect(slots.oldest((key) => key === "b")).toBe("a");
  expect(slots.oldest(() => true)).toBeUndefined();
  // More places of a brick are released with the others.
  expect(slots.take("b", 1)).toEqual([3]);
  slots.release("b");
  expect(slots.used).toBe(1);
  expect([...slots.take("c", 3)!].sort()).toEqual([1, 2, 3]);
  slots.grow(5);
  expect(slots.take("d", 1)).toEqual([4]);
  expect(slots.used).toBe(5);
});

const viewpoint = (
  levels: readonly VolumeLevel[],
  changes: Partial<VolumeViewpoint["orbit"]> = {},
): VolumeViewpoint => ({
  space: { extent: levels[0]!.shape, spacing: [1, 1, 1] },
  orbit: { ...defaultOrbit, ...changes },
  width: 800,
  height: 600,
});

it("levels of detail: the coarsest whose voxels are small enough, within a limit", () => {
  const levels = pyramids[0]!;
  const never = () => false;
  const chosen = (zoom: number, limit = 1000, isUsed: (key: string) => boolean = never) =>
    chooseBricks(levels, viewpoint(levels, { zoom, yaw: 0, pitch: 0 }), limit, isUsed);
  // A voxel of level 0 measures 0.677 pixels at a zoom of 1.
  expect(chosen(0.5).finest).toBe(2);
  expect(chosen(1).finest).toBe(1);
  expect(chosen(1).bricks).toHaveLength(8 + 64);
  expect(chosen(1.1).finest).toBe(0);
  // A finer level in use stays a little longer.
  const used = new Set(chosen(1.1).bricks.map(brickKey));
  expect(chosen(1, 1000, (key) => used.has(key)).finest).toBe(0);
  expect(chosen(0.8, 1000, (key) => used.has(key)).finest).toBe(1);
  const few = chosen(4, 100);
  expect(few.bricks.length).toBeLessThanOrEqual(8 + 100);
  expect(few.leftOut).toBeGreaterThan(0);
  // Bricks outside the picture are omitted, but the coarsest level is whole.
  const near = chosen(8).bricks;
  expect(near.filter((brick) => brick.level === 2)).toHaveLength(8);
  expect(near.filter((brick) => brick.level === 0).length).toBeLessThan(512);
  const keys = near.map(brickKey);
  expect(new Set(keys).size).toBe(keys.length);
});

it("levels of detail: where voxels are longer, finer levels are needed earlier", () => {
  const length = 4 * side;
  const levels = [level([side, side, length], [1, 1, 1]), level([side / 2, side / 2, length / 2], [2, 2, 2])];
  // The first half of the voxels is four times as long along z as the second.
  const centres = Float64Array.from({ length }, (_, z) => (z < length / 2 ? 4 * z : 1.5 * length + z));
  const coordinates = { kind: "numbers", at: (z: number) => centres[z], read: async () => {} } as const;
  const places = [undefined, undefined, coordinatePlaces({ name: "z", length, coordinates }, centres)];
  const space = { extent: levels[0]!.shape, spacing: [1, 1, 1] as const, places };
  const indices = (zoom: number) => {
    const view = { ...viewpoint(levels, { yaw: 90, pitch: 0, zoom }), space };
    const { bricks } = chooseBricks(levels, view, 1000, () => false);
    return bricks.flatMap((brick) => (brick.level === 0 ? [brick.at[2]] : [])).sort();
  };
  // A voxel of level 1 measures 1.1 pixels at a zoom of 0.25, and is 1.6 times as long in the first half.
  expect(indices(0.14)).toEqual([]);
  expect(indices(0.25)).toEqual([0, 1]);
  expect(indices(0.4)).toEqual([0, 1, 2, 3]);
});

it("rays and projected points agree in both projections", () => {
  for (const isPerspective of [false, true]) {
    const view: VolumeViewpoint = {
      space: { extent: [40, 30, 90], spacing: [1, -1, 2.5] },
      orbit: { yaw: 37, pitch: -21, zoom: 1.3, center: [12, 20, 50], isPerspective },
      width: 640,
      height: 480,
    };
    const { from, right, down, forward } = castRays(view);
    const project = projector(view);
    for (const [u, v, t] of [
      [0, 0, 100],
      [100, -60, 140],
      [-250, 200, 90],
    ] as const) {
      const aside = map3((i) => u * right[i]! + v * down[i]!);
      const point = map3((i) =>
        isPerspective ? from[i]! + t * (forward[i]! + aside[i]!) : from[i]! + aside[i]! + t * forward[i]!,
      );
      const { x, y } = project(point);
      expect([x, y]).toEqual([expect.closeTo(320 + u, 6), expect.closeTo(240 + v, 6)]);
    }
  }
});

it("a sheared space: points, normals and distances", () => {
  const space = affineSpace(
    [10, 20, 30],
    [
      [2, 0, 1],
      [0, 2, 0],
      [0, 0, 4],
    ],
  )!;
  const [point, normal] = [[3, -5, 7] as const, [0.3, 0.9, -0.5] as const];
  const there = toSpace(space, point);
  expect(toVoxels(space, there)).toEqual(map3((i) => expect.closeTo(point[i]!, 9)));
  const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  expect(dot(normalToVoxels(space, normal), point)).toBeCloseTo(dot(normal, there), 9);
  expect(Math.min(...[0, 1, 2].map((axis) => faceDistance(space, axis)))).toBeCloseTo(1, 9);
  expect(voxelLength(space, 2) / voxelLength(space, 0)).toBeCloseTo(Math.sqrt(17) / 2, 9);
  expect(diagonal(space) / voxelLength(space, 0)).toBeCloseTo(Math.hypot(50, 40, 120) / 2, 9);
  const rows = (k: number) => [[1, k, 0] as const, [1, 1, 0] as const, [0, 0, 1] as const] as const;
  for (const k of [1, 1 + 1e-6, Number.NaN]) expect(affineSpace([1, 1, 1], rows(k))).toBeUndefined();
});

it("movements of the camera", () => {
  const view = viewpoint(pyramids[0]!);
  const before = projector(view)([100, 200, 300]);
  const after = projector({ ...view, orbit: shifted(view, 20, -10) })([100, 200, 300]);
  expect([after.x - before.x, after.y - before.y]).toEqual([expect.closeTo(20, 6), expect.closeTo(-10, 6)]);
  expect(turned(defaultOrbit, 0, 1000).pitch).toBe(90);
  expect(turned({ ...defaultOrbit, yaw: -179 }, 10, 0).yaw).toBeCloseTo(177);
  expect(nearer(defaultOrbit, 1e9).zoom).toBe(64);
});

it("cameras in addresses", () => {
  for (const orbit of [
    { yaw: -12.5, pitch: 45, zoom: 2, center: null, isPerspective: false },
    { yaw: 0, pitch: 0, zoom: 1, center: [1, 2.5, 3] as const, isPerspective: true },
  ])
    expect(readOrbit(orbitText(orbit))).toEqual(orbit);
  expect(isOrbit(readOrbit("10,20"))).toBe(true);
  for (const text of ["", "a,b", "1,95,1", "1,2,0", "1,2,1,4,5"])
    expect(isOrbit(readOrbit(text))).toBe(false);
});

it("clip boxes and cut planes in addresses", () => {
  const clip = { from: [0, 20, 3], to: [100, 80.5, 64] } as const;
  expect(readClip(clipText(clip))).toEqual(clip);
  expect(isClip(clip)).toBe(true);
  for (const text of ["", "1:2", "5:2,0:1,0:1", "-1:2,0:1,0:1", "a:b,0:1,0:1"])
    expect(isClip(readClip(text))).toBe(false);
  const cut = { yaw: -30.25, pitch: 12, depth: -0.125 };
  expect(readCut(cutText(cut))).toEqual(cut);
  expect(isCut(readCut("10,20"))).toBe(true);
  for (const text of ["", "1", "0,95", "0,0,2"]) expect(isCut(readCut(text))).toBe(false);
});

it("opacity curves in addresses; their values", () => {
  const curve = [
    [0.2, 0],
    [0.6, 0.5],
    [0.8, 0.5],
    [1, 0],
  ] as const;
  expect(readCurve(curveText(curve))).toEqual(curve);
  expect(isOpacityCurve(curve)).toBe(true);
  for (const text of ["", "0/1", "0/0;0/1", "0.5/0;0.2/1", "0/0;1/1.5", "0/0;1/", "a/0;1/1"])
    expect(isOpacityCurve(readCurve(text))).toBe(false);
  expect([0, 0.2, 0.4, 0.6, 0.7, 0.9, 1].map((share) => opacityAt(curve, share))).toEqual(
    [0, 0, 0.25, 0.5, 0.5, 0.25, 0].map((value) => expect.closeTo(value, 12)),
  );
  expect([-1, 0.5, 2].map((share) => opacityAt(undefined, share))).toEqual([0, 0.25, 1]);
  expect(opaqueEntries(curve)).toEqual([52, 255]);
  expect(opaqueEntries(undefined)).toEqual([1, 256]);
  expect([0, 255].map((i) => opacityTable(curve)[i])).toEqual([0, 0]);
  const range = { mode: "auto" } as const;
  const channel = { index: 2, isOn: true, color: "00ff00", range, gamma: 1, curve };
  const plain = { index: 0, isOn: false, color: "ff0000", range, gamma: 1.5 };
  expect(readChannels(channelsText([channel, plain]))).toEqual([channel, plain]);
});

it("the cube and the keys x, y and z look along the axes, which may run backwards", () => {
  const view = viewpoint(pyramids[0]!);
  const seen = { ...view, space: { ...view.space, spacing: [1, -1, 1] as const } };
  for (const axis of [0, 1, 2])
    for (const isReverse of [false, true]) {
      const orbit = lookAlong(seen, axis, isReverse);
      const forward = castRays({ ...seen, orbit }).forward;
      const along = map3((i) => (i === axis ? (isReverse ? -1 : 1) : 0));
      expect(map3((i) => Math.round(forward[i]! * 1e6) / 1e6 + 0)).toEqual(along);
      // The middle of the face that is seen from there.
      const found = cubeTarget({ ...seen, orbit }, 1, 800 - 48, 600 - 48);
      const again = castRays({ ...seen, orbit: found! }).forward;
      for (const i of [0, 1, 2]) expect(again[i]).toBeCloseTo(forward[i]!, 9);
    }
  expect(cubeTarget(seen, 1, 400, 300)).toBeUndefined();
});

it("refuses volumes with too many bricks for a page table, and those without voxels", () => {
  const one: Vec3 = [1, 1, 1];
  const small = level([64, 64, 64], [1000, 1000, 1000]);
  const problem = (...shapes: Vec3[]) => volumeProblem([...shapes.map((shape) => level(shape, one)), small]);
  expect(problem([20_000, 30_000, 7000])).toBeUndefined();
  expect(problem([2 ** 40, 2 ** 40, 2 ** 40])).toBe(
    "its level 0 has 1099511627776 × 1099511627776 × 1099511627776 voxels",
  );
  for (const shape of [
    [2 ** 18, 1, 1],
    [0, 5, 5],
    [Number.NaN, 5, 5],
    [40_000, 40_000, 40_000],
  ] as Vec3[])
    expect(problem([100, 100, 100], shape)).toMatch(/^its level 1 has /);
  // All bricks of the coarsest level are in use.
  expect(volumeProblem([level([4000, 4000, 4000], one)])).toMatch(/^its level 0 has /);
});

it("levels do not extend far beyond the volume, whatever the shape of their arrays", () => {
  const levels = [16, 2 ** 40].map((length, i) => ({
    array: { shape: [length, length, length] },
    factor: [1 + i, 1 + i, 1 + i],
    origin: [0, 0, 0],
  }));
  const axes = levels.map(() => ({ length: 16 }));
  const dataset = { axes: [...axes, axes[0]], levels } as unknown as Dataset;
  expect(volumeLevels({ dataset, axes: [0, 1, 2] }).map(({ shape }) => shape)).toEqual([
    [16, 16, 16],
    [17, 17, 17],
  ]);
});

it("does not measure millions of bricks for one", () => {
  const levels = [level([20_000, 30_000, 7000], [1, 1, 1]), level([20, 30, 7], [1000, 1000, 1000])];
  const { bricks, leftOut } = chooseBricks(levels, viewpoint(levels, { zoom: 64 }), 1000, () => false);
  expect(bricks).toEqual([{ level: 1, at: [0, 0, 0] }]);
  expect(leftOut).toBe(313 * 469 * 110);
});
