// The voxel under the pointer, against a slow march through the volume in steps of a fraction of a voxel.
import { expect, it } from "vitest";
import type { VolumeMode } from "#src/viewer/model/volume.js";
import { affineSpace, type VolumeSpace } from "#src/viewer/volume/affine.js";
import type { Blocks } from "#src/viewer/volume/blocks.js";
import { map3, type Vec3 } from "#src/viewer/volume/bricks.js";
import type { VolumeViewpoint } from "#src/viewer/volume/camera.js";
import { PageTable } from "#src/viewer/volume/pages.js";
import { type PickSource, pickVoxel } from "#src/viewer/volume/pick.js";
import { randomizer } from "../support/support.js";

const shape: Vec3 = [26, 40, 14];
const [low, high] = [0, 200];

type Rows = readonly [Vec3, Vec3, Vec3];
const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const times = (rows: Rows, a: Vec3): Vec3 => [dot(rows[0], a), dot(rows[1], a), dot(rows[2], a)];
const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

function inverse([a, b, c]: Rows): Rows {
  const columns = [cross(b, c), cross(c, a), cross(a, b)] as const;
  const volume = dot(a, columns[0]);
  return [0, 1, 2].map((i) => columns.map((column) => column[i]! / volume)) as unknown as Rows;
}

const diagonalRows = ([x, y, z]: Vec3): Rows => [
  [x, 0, 0],
  [0, y, 0],
  [0, 0, z],
];

const spaces: Record<string, { space: VolumeSpace; rows: Rows }> = {
  cubic: { space: { extent: shape, spacing: [1, 1, 1] }, rows: diagonalRows([1, 1, 1]) },
  anisotropic: { space: { extent: shape, spacing: [1, -1.5, 4] }, rows: diagonalRows([1, -1.5, 4]) },
};
for (const [name, rows] of [
  [
    "axes in another order",
    [
      [0, 1, 0],
      [0, 0, 2],
      [1, 0, 0],
    ],
  ],
  [
    "sheared",
    [
      [1, 0.4, 0],
      [0, 1, 0.3],
      [0, 0, 1.5],
    ],
  ],
] as const) {
  const space = affineSpace(shape, rows)!;
  spaces[name] = { space, rows: space.affine!.matrix };
}

/** The voxels on the ray of a pixel, in order, with the distance for which it stays in each. */
function voxelsOf({ rows }: { rows: Rows }, view: VolumeViewpoint, [x, y]: readonly [number, number]) {
  const { orbit, width, height, clip } = view;
  const [a, b] = [(orbit.yaw * Math.PI) / 180, (orbit.pitch * Math.PI) / 180];
  const forward: Vec3 = [Math.cos(b) * Math.sin(a), Math.sin(b), Math.cos(b) * Math.cos(a)];
  const right: Vec3 = [Math.cos(a), 0, -Math.sin(a)];
  const down = cross(forward, right);
  const ends = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
    times(
      rows,
      map3((i) => ((bits >> i) & 1 ? shape[i]! : -shape[i]!) / 2),
    ),
  );
  const size = 2 * Math.max(...ends.map((end) => Math.hypot(...end)));
  const scale = (Math.min(width, height) / size) * orbit.zoom;
  const middle = times(
    rows,
    map3((i) => shape[i]! / 2),
  );
  const [u, v] = [(x - width / 2) / scale, (y - height / 2) / scale];
  // In perspective, the eye is where half the height has an angle of 20°.
  const distance = orbit.isPerspective ? height / 2 / scale / Math.tan((20 * Math.PI) / 180) : size;
  const eye = map3((i) => middle[i]! - distance * forward[i]!);
  const aside = map3((i) => u * right[i]! + v * down[i]!);
  const start = orbit.isPerspective ? eye : map3((i) => eye[i]! + aside[i]!);
  const direction = orbit.isPerspective ? map3((i) => forward[i]! + aside[i]! / distance) : forward;
  const toVoxels = inverse(rows);
  const [from, way] = [times(toVoxels, start), times(toVoxels, direction)];
  const step = 0.01;
  const voxels: { at: Vec3; length: number }[] = [];
  for (let t = 0; t < distance + size; t += step) {
    const point = map3((i) => from[i]! + t * way[i]!);
    const at = map3((i) => Math.floor(point[i]!));
    const [first, end] = [clip?.from ?? [0, 0, 0], clip?.to ?? shape];
    if (!at.every((index, i) => index >= first[i]! && index < end[i]!)) continue;
    const last = voxels.at(-1);
    if (last && last.at.join() === at.join()) last.length += step;
    else voxels.push({ at, length: step });
  }
  return voxels;
}

interface Case {
  readonly mode: VolumeMode;
  readonly value: (at: Vec3) => number;
  readonly opacityOf?: (label: number) => number;
}

const noise = ([x, y, z]: Vec3): number =>
  (Math.imul(Math.imul(x * 73 + 11, 0x9e3779b1) ^ Math.imul(y * 151 + 7, 0x85ebca6b), z + 31) >>> 13) & 255;

const isGap = (at: Vec3) => noise(at) % 3 === 0;
const labels = (at: Vec3) => (noise(at) < 40 ? noise(at) % 8 : 0);

const cases: Readonly<Record<string, Case>> = {
  max: { mode: "max", value: (at) => noise(at) + at[0] / 100 + at[1] / 10_000 },
  "min, with NaN": { mode: "min", value: (at) => (isGap(at) ? Number.NaN : noise(at) + at[2] / 100) },
  "surface, with NaN": { mode: "surface", value: (at) => (isGap(at) ? Number.NaN : noise(at)) },
  "only NaN": { mode: "max", value: () => Number.NaN },
  "transparent everywhere": { mode: "composite", value: () => low },
  labels: { mode: "max", value: labels, opacityOf: () => 1 },
  "labels, of which some are hidden and some faint": {
    mode: "max",
    value: labels,
    opacityOf: (label) => (label < 3 ? 0 : label < 6 ? 1 / 6 : 1),
  },
};

/** The first voxel of the greatest rank; undefined if none has one. */
function winner({ mode, value, opacityOf }: Case, voxels: readonly { at: Vec3 }[]): Vec3 | undefined {
  const rank = (at: Vec3): number => {
    const own = value(at);
    if (opacityOf) {
      const opacity = own === 0 ? 0 : opacityOf(own);
      return opacity === 0 ? Number.NaN : opacity === 1 ? 2 : 1;
    }
    const share = (own - low) / (high - low);
    if (mode === "surface") return share >= 0.5 ? 1 : Number.NaN;
    if (mode === "composite") return share > 0 ? share : Number.NaN;
    return mode === "min" ? -share : share;
  };
  let best: Vec3 | undefined;
  for (const { at } of voxels) if (!Number.isNaN(rank(at)) && (!best || rank(at) > rank(best))) best = at;
  return best;
}

it("picks the voxel that a slow march finds, in every mode, space and projection", () => {
  const pages = new PageTable([{ shape, factor: [1, 1, 1], origin: [0, 0, 0] }]);
  pages.add({ level: 0, at: [0, 0, 0] });
  const random = randomizer(3);
  const found: Record<string, number> = {};
  for (const [name, one] of Object.entries(cases)) {
    const element = (_level: number, at: Vec3) => ({ value: one.value(at) });
    const source = {
      levels: [{ shape, factor: [1, 1, 1], origin: [0, 0, 0] }],
      pages,
      blocks: { element } as unknown as Blocks,
      low,
      high,
      slices: [],
      curve: undefined,
      opacityOf: one.opacityOf,
    } satisfies PickSource;
    for (const [kind, own] of Object.entries(spaces))
      for (let i = 0; i < 30; i++) {
        const clip = i % 3 === 0 ? ({ from: [4, 10, 6], to: [20, 33, 7] } as const) : null;
        const view: VolumeViewpoint = {
          space: own.space,
          clip,
          width: 200,
          height: 150,
          orbit: {
            yaw: 360 * random() - 180,
            pitch: 170 * random() - 85,
            zoom: 0.7 + random(),
            center: null,
            isPerspective: i % 2 === 1,
          },
        };
        const at = [200 * random(), 150 * random()] as const;
        const voxels = voxelsOf(own, view, at);
        // Two samples for each shortest voxel miss some that a ray hardly touches.
        const [best, safe] = [voxels, voxels.filter(({ length }) => length > 0.52)].map((list) =>
          winner(one, list),
        );
        if (best?.join() !== safe?.join()) continue;
        const picked = pickVoxel(view, at, one.mode, source);
        expect(picked?.at.join(), `${name}, ${kind}, ${JSON.stringify(view.orbit)}, ${at}`).toBe(
          best?.join(),
        );
        if (best) found[name] = (found[name] ?? 0) + 1;
      }
  }
  for (const name of ["max", "min, with NaN", "surface, with NaN", "labels"])
    expect(found[name], name).toBeGreaterThan(15);
  expect([found["only NaN"], found["transparent everywhere"]]).toEqual([undefined, undefined]);
});
