// Volumes whose levels have unequal distances: they are at their heights.
import { gray } from "../shared/pixels.js";
import {
  chunksOf,
  nearest,
  type Ray,
  rayOf,
  type TestVolume,
  type Triple,
  trilinear,
  volumeOf,
} from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { average, comparedRays, errors, most, noise, serve, volumeWindow } from "./volume-page.js";

test.use({ viewport: volumeWindow });
test.beforeEach(({ problems }) => {
  problems.expect(/404/); // chunks of the fill value
});

const shape: Triple = [40, 36, 24];
const volume = volumeOf(new Uint8Array(40 * 36 * 24), shape, (x, y, z) => noise(x, y, z));

/** Middles of the levels in voxels of equal length: distances that grow, and two that are alike. */
const middles = (() => {
  const steps = Array.from({ length: 23 }, (_, i) => 0.3 + (i < 3 ? 0 : i * 0.1));
  const heights = [0];
  for (const step of steps) heights.push(heights.at(-1)! + step);
  // Cells border halfway between them; the outermost are symmetric.
  const first = -steps[0]! / 2;
  const last = heights.at(-1)! + steps.at(-1)! / 2;
  return heights.map((at) => ((at - first) / (last - first)) * 24);
})();

/** The point in voxels at a place: linear between the middles of levels. */
function pointAt([x, y, place]: Triple): Triple {
  let i = 0;
  while (i < 22 && middles[i + 1]! <= place) i++;
  return [x, y, i + 0.5 + (place - middles[i]!) / (middles[i + 1]! - middles[i]!)];
}

const placeAt = (z: number): number => {
  const i = Math.min(Math.max(Math.floor(z - 0.5), 0), 22);
  return middles[i]! + (z - 0.5 - i) * (middles[i + 1]! - middles[i]!);
};

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** A group with an array and the heights of its levels, in metres. */
function store({ data }: TestVolume, places: readonly number[] = middles): Map<string, Uint8Array> {
  const array = (own: readonly number[], type: string, names: string[], chunk: readonly number[]) =>
    encode({
      zarr_format: 3,
      node_type: "array",
      shape: own,
      data_type: type,
      dimension_names: names,
      chunk_grid: { name: "regular", configuration: { chunk_shape: chunk } },
      chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
      fill_value: 0,
      codecs: [{ name: "bytes", configuration: { endian: "little" } }],
      ...(names.length === 1 ? { attributes: { units: "m" } } : {}),
    });
  const made = new Map<string, Uint8Array>([
    ["zarr.json", encode({ zarr_format: 3, node_type: "group" })],
    ["values/zarr.json", array([24, 36, 40], "uint8", ["z", "y", "x"], [10, 36, 40])],
    ["z/zarr.json", array([24], "float64", ["z"], [24])],
    ["z/c/0", new Uint8Array(Float64Array.from(places, (at) => 100 + 50 * at).buffer)],
  ]);
  for (const [key, bytes] of chunksOf({ shape, data }, [10, 36, 40], 0)) made.set(`values/c/${key}`, bytes);
  return made;
}

/** Distance of samples: half of the least distance of levels. */
const step = Math.max(Math.min(...middles.slice(1).map((at, i) => at - middles[i]!)), 1 / 16) / 2;

interface Part {
  readonly from?: Triple;
  readonly to?: Triple;
  readonly until?: number;
}

function samples(
  { start, direction }: Ray,
  { from = [0, 0, 0], to = shape, until = Infinity }: Part = {},
): number[] {
  let [enter, leave] = [-Infinity, until];
  const [low, high] = [from, to].map(([x, y, z]) => [x, y, placeAt(z)]) as [number[], number[]];
  for (const i of [0, 1, 2]) {
    const way = Math.abs(direction[i]!) < 1e-9 ? 1e-9 : direction[i]!;
    const ends = [(low[i]! - start[i]!) / way, (high[i]! - start[i]!) / way];
    enter = Math.max(enter, Math.min(...ends));
    leave = Math.min(leave, Math.max(...ends));
  }
  const values: number[] = [];
  for (let t = enter; t < leave; t += step) {
    const place = start.map((at, i) => at + t * direction[i]!) as unknown as Triple;
    values.push(trilinear(volume, pointAt(place)));
  }
  return values;
}

const query = "source=/volume&path=values&view=volume&map=gray&range=0:256";

test("levels at their heights", async ({ viewer, page }) => {
  await serve(page, store(volume));
  await viewer.show(query);
  for (const [mode, of] of Object.entries({ max: most, mean: average }))
    for (const [yaw, pitch] of [
      [90, 0],
      [35, 25],
    ] as const) {
      await viewer.change(`${query}&mode=${mode}&orbit=${yaw},${pitch},1`);
      const pairs = await comparedRays(viewer, volume, [yaw, pitch, 1], (ray) => {
        const values = samples(ray);
        return gray(values.length === 0 ? 0 : of(values), 0, 256);
      });
      expect(errors(pairs).mean, `${mode}: ${yaw}`).toBeLessThanOrEqual(1);
    }
});

test("a clip box, a slice and the pointer are at the heights of their levels", async ({ viewer, page }) => {
  await serve(page, store(volume));
  const part: Part = { from: [5, 4, 3], to: [33, 30, 20] };
  await viewer.show(`${query}&mode=max&orbit=90,0,1&clip=5:33,4:30,3:20`);
  const clipped = await comparedRays(viewer, volume, [90, 0, 1], (ray) => {
    const values = samples(ray, part);
    return gray(values.length === 0 ? 0 : most(values), 0, 256);
  });
  expect(errors(clipped).mean).toBeLessThanOrEqual(1);
  // A slice across x shows every level at its height, without interpolation, behind the values in front of it.
  await viewer.change(`${query}&mode=max&orbit=90,0,1&slices=yz&select=10,:,:&index=,18,0`);
  const inSlice = await comparedRays(viewer, volume, [90, 0, 1], ({ start, direction }) => {
    const until = (0.5 - start[0]) / direction[0];
    const place = start.map((at, i) => at + until * direction[i]!) as unknown as Triple;
    const back = gray(nearest(volume, pointAt(place)) ?? 0, 0, 256);
    const values = samples({ start, direction }, { until });
    const best = values.length === 0 ? 0 : most(values);
    return back + (gray(best, 0, 256) - back) * (Math.floor(best) / 255) ** 2;
  });
  // Rounding chooses the other voxel for a few points at their border.
  const wrong = inSlice.filter(({ actual, expected }) => Math.abs(actual - expected) > 2);
  expect(wrong.length / inSlice.length).toBeLessThan(0.01);
  const { width, height } = (await viewer.box.boundingBox())!;
  const scale = Math.min(width, height) / Math.hypot(...shape);
  for (const z of [1, 9, 22]) {
    // Looking along x, z increases to the left or to the right.
    const ray = rayOf(volume, { yaw: 90, pitch: 0, zoom: 1 }, { width, height }, [0, 0]);
    const right =
      rayOf(volume, { yaw: 90, pitch: 0, zoom: 1 }, { width, height }, [1, 0]).start[2] - ray.start[2];
    const x = width / 2 + Math.sign(right) * (placeAt(z + 0.5) - 12) * scale;
    await viewer.box.hover({ position: { x, y: height / 2 + scale / 2 } });
    await expect(viewer.readout).toContainText(new RegExp(`^\\[?${z}, 18,|\\[${z}, 18,`));
  }
});

test("equal cells on request", async ({ viewer, page }) => {
  await serve(page, store(volume));
  await viewer.show(`${query}&mode=mean&orbit=90,0,1&places=index`);
  const pairs = await comparedRays(viewer, volume, [90, 0, 1], ({ start, direction }) => {
    const values: number[] = [];
    for (let t = 0; t < 4 * Math.hypot(...shape); t += 0.5) {
      const point = start.map((at, i) => at + t * direction[i]!) as unknown as Triple;
      if (nearest(volume, point) !== undefined) values.push(trilinear(volume, point));
    }
    return gray(values.length === 0 ? 0 : average(values), 0, 256);
  });
  expect(errors(pairs).mean).toBeLessThanOrEqual(2);
});

test("levels of nearly equal distances look like equal cells", async ({ viewer, page }) => {
  const soft = volumeOf(
    new Uint8Array(40 * 36 * 24),
    shape,
    (x, y, z) => 128 + 100 * Math.sin(x / 5) * Math.cos(y / 6) * Math.sin(z / 4),
  );
  const places = Array.from({ length: 24 }, (_, z) => z + (z === 12 ? 0.54 : 0.5));
  await serve(page, store(soft, places));
  await viewer.show(query);
  for (const mode of ["min", "composite", "surface"]) {
    const pictures: number[][] = [];
    for (const kind of ["auto", "index"]) {
      await viewer.change(`${query}&mode=${mode}&orbit=35,25,1.3&places=${kind}`);
      const { data } = await viewer.canvas();
      // The green of some pixels.
      pictures.push([...data].filter((_, i) => i % 44 === 1));
    }
    const [uneven, even] = pictures as [number[], number[]];
    const pairs = uneven.map((actual, i) => ({ actual, expected: even[i]! }));
    expect(
      pairs.some(({ actual, expected }) => actual !== expected),
      mode,
    ).toBe(true);
    expect(errors(pairs).mean, mode).toBeLessThanOrEqual(0.5);
    expect(new Set(even).size, mode).toBeGreaterThan(10);
  }
});
