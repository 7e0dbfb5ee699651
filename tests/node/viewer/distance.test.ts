// Distances between two places of a plane, and great circles.
import { expect, it } from "vitest";
import { greatCircleLength, greatCirclePath } from "#src/viewer/base/great-circle.js";
import { distanceText, geoPlane } from "#src/viewer/panels/distance.js";
import { linearCoordinates } from "#src/viewer/source/coordinates.js";
import type { DatasetAxis } from "#src/viewer/source/dataset.js";

const axis = (part: Partial<DatasetAxis>): DatasetAxis => ({ name: "a", length: 100, ...part });
const degrees = (role: "latitude" | "longitude", first: number, step: number): DatasetAxis =>
  axis({
    role,
    unit: "degrees",
    scale: step,
    translation: first,
    coordinates: linearCoordinates(first, step),
  });

it("lengths have the unit of the axes, and the number of pixels", () => {
  const micro = axis({ unit: "micrometer", scale: 0.5 });
  expect(distanceText([micro, micro], [1, 1], [4, 5])).toBe("2.5 µm · 5 px");
  expect(distanceText([micro, micro], [0, 0], [3000, 4000])).toBe("2.5 mm · 5000 px");
  expect(distanceText([micro, micro], [4, 5], [1, 1], { hasPixels: false })).toBe("2.5 µm");
  expect(distanceText([axis({}), axis({})], [0, 0], [1, 1])).toBe("1.41 px");
  expect(distanceText([micro], [0, 2.5], [7, 4.5])).toBe("1 µm · 2 px");
});

it("axes in different units of length are converted, unlike axes have a length each", () => {
  const nano = axis({ unit: "nanometer", scale: 3000 });
  const micro = axis({ unit: "micrometer", scale: 1 });
  expect(distanceText([nano, micro], [0, 0], [1, 4])).toBe("5 µm · 4.12 px");
  expect(distanceText([micro, axis({ unit: "K", scale: 2 })], [0, 0], [3, 5])).toBe("3 µm × 10 K");
  expect(distanceText([axis({}), micro], [0, 0], [3, 5])).toBe("3 px × 5 µm");
});

it("irregular coordinates and times are differences of coordinates", () => {
  const depths = [0, 10, 30, 100];
  const depth = axis({
    unit: "m",
    length: 4,
    coordinates: { kind: "numbers", at: (i) => depths[i], read: async () => {} },
  });
  expect(distanceText([depth], [0, 0.5], [0, 2.5], { hasPixels: false })).toBe("30 m");
  expect(distanceText([depth], [0, 1], [0, 3], { hasPixels: false })).toBe("60 m");
  const time = axis({
    coordinates: { kind: "milliseconds", at: (i) => 3_600_000 * i, read: async () => {} },
  });
  expect(distanceText([time, depth], [0.5, 0.5], [72.5, 1.5])).toBe("3 d × 10 m");
  expect(distanceText([time, depth], [0.5, 0.5], [1.5, 1.5])).toBe("60 min × 10 m");
});

/** The haversine formula: another way to the same length. */
function haversine(from: readonly number[], to: readonly number[]): number {
  const [a, b, c, d] = [...from, ...to].map((angle) => (angle * Math.PI) / 180) as [
    number,
    number,
    number,
    number,
  ];
  const half = Math.sin((d - b) / 2) ** 2 + Math.cos(b) * Math.cos(d) * Math.sin((c - a) / 2) ** 2;
  return 2 * 6371.0088 * Math.asin(Math.sqrt(half));
}

const places = [
  [13.4, 52.5],
  [-74, 40.7],
  [139.7, 35.7],
  [-179.5, -16.5],
  [179.5, -17.5],
  [13.4001, 52.5001],
] as const;
const geo = ([longitude, latitude]: readonly [number, number]) => ({ longitude, latitude });

it("great circles are as long as the haversine formula says", () => {
  for (const from of places)
    for (const to of places)
      expect(greatCircleLength(geo(from), geo(to))).toBeCloseTo(haversine(from, to), 5);
  expect(greatCircleLength(geo([0, 0]), geo([0, 90]))).toBeCloseTo((Math.PI / 2) * 6371.0088, 6);
});

it("great circles have equal steps that add up, and continuous longitudes", () => {
  for (const from of places)
    for (const to of places) {
      const path = greatCirclePath(geo(from), geo(to), 16);
      expect(path[0]!.longitude).toBeCloseTo(from[0], 9);
      expect(path.at(-1)!.latitude).toBeCloseTo(to[1], 9);
      const lengths = path.slice(1).map((at, i) => greatCircleLength(path[i]!, at));
      expect(lengths.reduce((a, b) => a + b, 0)).toBeCloseTo(haversine(from, to), 4);
      for (const length of lengths) expect(length).toBeCloseTo(haversine(from, to) / 16, 3);
      for (const [i, { longitude }] of path.slice(1).entries())
        expect(Math.abs(longitude - path[i]!.longitude)).toBeLessThan(180);
    }
});

it("planes of degrees and of projected coordinates have positions, in either order of axes", () => {
  const [lat, lon] = [degrees("latitude", 60, -10), degrees("longitude", -170, 10)];
  expect(geoPlane([lat, lon], undefined)?.positionAt(1.5, 2.5)).toEqual([-150, 50]);
  expect(geoPlane([lon, lat], undefined)?.positionAt(2.5, 1.5)).toEqual([-150, 50]);
  expect(geoPlane([lat, lon], undefined)?.place(-150, 50)).toEqual({ row: 1.5, column: 2.5 });
  expect(geoPlane([lon, lat], undefined)?.place(-150, 50)).toEqual({ row: 2.5, column: 1.5 });
  expect(geoPlane([lat], undefined)).toBeUndefined();
  const metres = (role: "x" | "y", step: number) =>
    axis({ role, unit: "m", scale: step, translation: 0, coordinates: linearCoordinates(0, step) });
  const converter = {
    forward: (longitude: number, latitude: number) => [longitude * 100, latitude * 100] as const,
    inverse: (x: number, y: number) => (x > 18_000 ? undefined : ([x / 100, y / 100] as const)),
  };
  const plane = geoPlane([metres("y", -1000), metres("x", 1000)], converter)!;
  expect(plane.positionAt(1.5, 2.5)).toEqual([20, -10]);
  expect(plane.place(20, -10)).toEqual({ row: 1.5, column: 2.5 });
  expect(plane.positionAt(0.5, 90)).toBeUndefined();
  expect(geoPlane([metres("y", -1000), metres("x", 1000)], undefined)).toBeUndefined();
});

it("distances in volumes: anisotropic, sheared, without units, over the ground", () => {
  const micro = (scale: number) => axis({ unit: "micrometer", scale });
  const axes = [micro(0.5), micro(0.5), micro(2)];
  expect(distanceText(axes, [0.5, 0.5, 0.5], [6.5, 8.5, 0.5])).toBe("5 µm · 10 voxels");
  expect(distanceText(axes, [4, 4, 4], [0, 0, 0])).toBe("8.49 µm · 6.93 voxels");
  // Space has the axes z, x + y, y.
  const rows = [
    [0, 0, 1],
    [1, 1, 0],
    [0, 1, 0],
  ];
  expect(distanceText(axes, [0, 0, 0], [6, -6, 0], { rows })).toBe("3 µm · 8.49 voxels");
  expect(distanceText(axes, [0, 0, 0], [0, 0, 5], { rows })).toBe("10 µm · 5 voxels");
  expect(distanceText([axis({}), axis({}), axis({})], [0, 0, 0], [2, 3, 6])).toBe("7 voxels");
  expect(distanceText([micro(1), micro(1), axis({})], [0, 0, 0], [2, 3, 6])).toBe("2 µm × 3 µm × 6 voxels");
  const metres = axis({ unit: "m", scale: -10 });
  const ground = [degrees("longitude", 0, 1), degrees("latitude", 0, 1), metres];
  expect(distanceText(ground, [0.5, 0.5, 0], [1.5, 0.5, 30])).toBe("111.2 km × 300 m");
});
