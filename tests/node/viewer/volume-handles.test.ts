// Handles of the clip box: places and drags in every projection, and boxes that are moved.
import { expect, it } from "vitest";
import { coordinatePlaces } from "#src/viewer/model/axis-places.js";
import { isClip, type VolumeClip } from "#src/viewer/model/volume.js";
import { affineSpace, type VolumeSpace } from "#src/viewer/volume/affine.js";
import { map3, type Vec3 } from "#src/viewer/volume/bricks.js";
import { projector, type VolumeViewpoint } from "#src/viewer/volume/camera.js";
import { boundAt, clipFaces, handlePlace } from "#src/viewer/volume/clip-handles.js";
import { movedClip } from "#src/viewer/volume/moved-clip.js";
import { randomizer } from "../support/support.js";

const extent: Vec3 = [40, 300, 90];

/** Depths, each of which is 1.3 times as far below the last. */
const depths = Float64Array.from({ length: 90 }, (_, z) => 1.05 ** z);
const coordinates = { kind: "numbers", at: (z: number) => depths[z], read: async () => {} } as const;

const spaces: readonly (readonly [string, VolumeSpace])[] = [
  ["cubic", { extent, spacing: [1, 1, 1] }],
  ["anisotropic, one axis backwards", { extent, spacing: [1, -2.5, 7] }],
  [
    // Space has the axes y, z, x: two turns do not lead back.
    "axes in another order",
    affineSpace(extent, [
      [0, 2, 0],
      [0, 0, 3],
      [1.5, 0, 0],
    ])!,
  ],
  [
    "sheared",
    affineSpace(extent, [
      [1, 0.6, 0],
      [0, 1, -0.3],
      [0.2, 0, 2],
    ])!,
  ],
  [
    "unequal distances",
    {
      extent,
      spacing: [1, 1, 1],
      places: [undefined, undefined, coordinatePlaces({ name: "z", length: 90, coordinates }, depths)],
    },
  ],
];

/** Cameras from every side, parallel and in perspective. */
function* views(space: VolumeSpace, clip: VolumeClip | null): Generator<VolumeViewpoint> {
  const random = randomizer(11);
  for (let i = 0; i < 24; i++)
    yield {
      space,
      clip,
      width: 640,
      height: 480,
      orbit: {
        yaw: 360 * random() - 180,
        pitch: 170 * random() - 85,
        zoom: 0.5 + random(),
        center: null,
        isPerspective: i % 2 === 1,
      },
    };
}

const clip = { from: [3, 120, 20], to: [30, 121, 70] } as const;

it("a handle that is dragged to the projection of another bound moves its face there", () => {
  let drags = 0;
  for (const [name, space] of spaces)
    for (const view of views(space, clip))
      for (const face of clipFaces) {
        const place = handlePlace(view, face, 2);
        if (!place) continue;
        const { axis } = face;
        const project = projector(view);
        for (const share of [0.05, 0.4, 0.93]) {
          const bound = share * extent[axis]!;
          // The other coordinates of the middle of the face, found by its own projection.
          const line = [0, extent[axis]!].map((at) => project(middleAt(view, axis, at)));
          const { x, y } = project(middleAt(view, axis, bound));
          expect(line.every(({ depth }) => depth > 0)).toBe(true);
          const found = boundAt(view, axis, [x, y], place.along);
          expect(found, `${name} ${axis}`).toBeCloseTo(bound, 4);
          // Beside the line, the nearest point of it.
          const aside = [x - 30 * place.along[1], y + 30 * place.along[0]] as const;
          expect(boundAt(view, axis, aside, place.along)).toBeCloseTo(bound, 4);
          drags++;
        }
      }
  expect(drags).toBeGreaterThan(1500);
});

function middleAt({ space }: VolumeViewpoint, axis: number, bound: number): Vec3 {
  const middle = map3((i) => (clip.from[i]! + clip.to[i]!) / 2);
  const own = space.places?.[2];
  const z = own ? own.toElement((own.toWorld(clip.from[2]) + own.toWorld(clip.to[2])) / 2) : middle[2];
  return map3((i) => (i === axis ? bound : i === 2 ? z : middle[i]!));
}

it("the handles of a box one voxel thick do not touch, and lie outside it", () => {
  for (const [name, space] of spaces)
    for (const view of views(space, clip))
      for (const axis of [0, 1, 2]) {
        const [first, last] = ([0, 1] as const).map((end) => handlePlace(view, { axis, end }, 1));
        if (!first || !last) continue;
        expect(Math.hypot(last.x - first.x, last.y - first.y), name).toBeGreaterThanOrEqual(32);
        const { along } = first;
        expect((last.x - first.x) * along[0] + (last.y - first.y) * along[1]).toBeGreaterThan(0);
      }
});

it("an axis that points at the eye has no handles; behind the eye there are none", () => {
  const orbit = { yaw: 0, pitch: 0, zoom: 1, center: null, isPerspective: false };
  const view = { space: spaces[0]![1], orbit, width: 640, height: 480 };
  const shown = clipFaces.filter((face) => handlePlace(view, face, 1));
  expect(shown.map(({ axis }) => axis)).toEqual([0, 0, 1, 1]);
  const inside = { ...view, orbit: { ...orbit, yaw: 90, zoom: 60, isPerspective: true } };
  for (const face of clipFaces) {
    const place = handlePlace(inside, face, 1);
    if (place) expect([place.x, place.y, ...place.along].every(Number.isFinite)).toBe(true);
    const bound = boundAt(inside, face.axis, [320, 240], [1, 0]);
    expect(bound >= 0 && bound <= extent[face.axis]!).toBe(true);
  }
});

it("ends of a clip box keep their order, one voxel apart, within the volume", () => {
  const random = randomizer(5);
  const wild = () =>
    [Number.NaN, Number.POSITIVE_INFINITY, -1e9, 0, 1e9, 600 * random() - 150][Math.floor(6 * random())]!;
  let now: VolumeClip | null = null;
  let moved = 0;
  for (let i = 0; i < 2000; i++) {
    const [axis, end] = [Math.floor(3 * random()), random() < 0.5 ? 0 : 1] as const;
    const next: VolumeClip | null = movedClip(extent, now, axis, end, wild());
    if (next !== now) moved++;
    now = next;
    if (!now) continue;
    expect(isClip(now)).toBe(true);
    for (const k of [0, 1, 2]) {
      expect(now.to[k]! - now.from[k]!).toBeGreaterThanOrEqual(1);
      expect(now.to[k]!).toBeLessThanOrEqual(extent[k]!);
    }
  }
  expect(moved).toBeGreaterThan(500);
  // The whole volume needs no box.
  expect(movedClip(extent, { from: [5, 0, 0], to: extent }, 0, 0, -3)).toBeNull();
  // A box of an address may lie outside.
  const outside = { from: [100, 0, 0], to: [200, 300, 90] } as const;
  expect(isClip(movedClip(extent, outside, 0, 1, 70))).toBe(true);
  expect(isClip(movedClip(extent, outside, 1, 1, 70))).toBe(true);
  // An axis of one element cannot be cut.
  expect(movedClip([1, 5, 5], null, 0, 1, 0)).toBeNull();
});
