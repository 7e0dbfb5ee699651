// Slices inside a volume: opaque planes of exact values, behind and in front of what the projection shows.
import { isWhole } from "../node/support/amounts.js";
import { gray } from "../shared/pixels.js";
import { nearest, type Ray, samplesOf, type TestPart, type Triple } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import {
  average,
  bytes,
  change,
  comparedRays,
  errors,
  image,
  pictureHash,
  serve,
  show,
  volumeWindow,
} from "./volume-page.js";

test.use({ viewport: volumeWindow });
test.beforeEach(({ problems }) => {
  problems.expect(/404/); // chunks of the fill value
});

/** The first of some slices on a ray: the middle of an element along an axis. */
function firstSlice({ start, direction }: Ray, axes: readonly number[]) {
  const hits = axes.map((axis) => {
    const until = ([70.5, 45.5, 30.5][axis]! - start[axis]!) / direction[axis]!;
    const point = start.map((at, i) => at + until * direction[i]!) as unknown as Triple;
    return { until, value: nearest(bytes, point) };
  });
  return hits.filter(({ value }) => value !== undefined).sort((a, b) => a.until - b.until)[0];
}

/** The opacity of one of 256 colours. */
const cover = (value: number) => (Math.floor(value) / 255) ** 2;
const mixed = (back: number, front: number, share: number) => back + (front - back) * share;

/** The colours of the values in front of a slice, over it. */
const modes = {
  max: (samples: readonly number[], back: number) => {
    const best = Math.max(...samples);
    return mixed(back, gray(best, 0, 256), cover(best));
  },
  mean: (samples: readonly number[], back: number) => {
    const mean = average(samples);
    return mixed(back, gray(mean, 0, 256), cover(mean));
  },
  composite: (samples: readonly number[], back: number) => {
    let [colour, clear] = [0, 1];
    for (const value of samples) {
      const own = 1 - (1 - Math.min(cover(value), 0.999)) ** 0.5;
      colour += clear * own * gray(value, 0, 256);
      clear *= 1 - own;
    }
    return colour + clear * back;
  },
};

test("the slices behind values", async ({ viewer, page }) => {
  await serve(page, image);
  const query = "slices=xy,xz&select=30,:,:&index=,45,70";
  await show(viewer, query);
  for (const [i, [mode, colour]] of Object.entries(modes).entries()) {
    const orbits = [
      [35, 25],
      [0, 0],
    ] as const;
    for (const [yaw, pitch] of isWhole ? orbits : [orbits[i % 2]!]) {
      await change(viewer, `orbit=${yaw},${pitch},1.1&mode=${mode}&${query}`);
      const onSlices: boolean[] = [];
      const pairs = await comparedRays(viewer, bytes, [yaw, pitch, 1.1], (ray) => {
        const slice = firstSlice(ray, pitch === 0 ? [2] : [1, 2]);
        onSlices.push(slice !== undefined);
        const samples = slice ? samplesOf(bytes, ray, { until: slice.until }) : [];
        const back = slice ? gray(slice.value!, 0, 256) : 0;
        return slice && samples.length > 0 ? colour(samples, back) : back;
      });
      const compared = pairs.filter((_, i) => onSlices[i]);
      expect(compared.length).toBeGreaterThan(isWhole ? 200 : 100);
      expect(errors(compared).mean, mode).toBeLessThanOrEqual(yaw === 0 ? 1 : 2);
    }
  }
});

test("the face of the cut has the exact values of the slice", async ({ viewer, page }) => {
  await serve(page, image);
  await show(viewer, "mode=max");
  for (const [yaw, pitch, cut] of [
    [90, 0, "90,0,0"],
    [40, 25, "40,25,0.05"],
    [10, -15, "55,20,-0.1"],
  ] as const) {
    await change(viewer, `orbit=${yaw},${pitch},1.1&mode=max&slices=cut&cut=${cut}`);
    const [a, b, depth] = cut.split(",").map(Number) as [number, number, number];
    const [across, up] = [(a * Math.PI) / 180, (b * Math.PI) / 180];
    const normal: Triple = [Math.cos(up) * Math.sin(across), Math.sin(up), Math.cos(up) * Math.cos(across)];
    const product = (at: readonly number[]) => at.reduce((sum, one, i) => sum + one * normal[i]!, 0);
    const offset = product(bytes.shape.map((side) => side / 2)) + (depth * Math.hypot(...bytes.shape)) / 2;
    const seen: (number | undefined)[] = [];
    const pairs = await comparedRays(viewer, bytes, [yaw, pitch, 1.1], ({ start, direction }) => {
      const distance = (offset - product(start)) / product(direction);
      const point = start.map((at, i) => at + distance * direction[i]! + 1e-3 * normal[i]!);
      const value = nearest(bytes, point as unknown as Triple);
      seen.push(value);
      return gray(value ?? 0, 0, 256);
    });
    const face = pairs.filter((_, i) => seen[i] !== undefined);
    expect(face.length).toBeGreaterThan(isWhole ? 200 : 100);
    // Rounding chooses the other voxel for a few points at their border.
    const wrong = face.filter(({ actual, expected }) => Math.abs(actual - expected) > 1);
    expect(wrong.length / face.length).toBeLessThan(0.01);
  }
});

test("a clip box limits slices", async ({ viewer, page }) => {
  await serve(page, image);
  const part: TestPart = { from: [40, 20, 10], to: [100, 80, 60] };
  await show(viewer, "orbit=0,0,1&mode=max&slices=xy&select=12,:,:&clip=40:100,20:80,10:60");
  const pairs = await comparedRays(viewer, bytes, [0, 0, 1], (ray) => {
    const until = 12.5 - ray.start[2];
    const samples = samplesOf(bytes, ray, { ...part, until });
    const point = ray.start.map((at, i) => at + until * ray.direction[i]!) as unknown as Triple;
    return samples.length === 0 ? 0 : modes.max(samples, gray(nearest(bytes, point)!, 0, 256));
  });
  expect(errors(pairs).max).toBeLessThanOrEqual(2);
});

test("the panel shows slices and moves them; the pointer reads them", async ({ viewer, page }) => {
  const keys = await serve(page, image);
  await show(viewer, "orbit=0,0,1&mode=max&select=30,:,:");
  const [before, requests] = [await pictureHash(page), keys.length];
  await expect(page.getByRole("slider", { name: "z", exact: true })).toBeHidden();
  await page.getByLabel("across z").check();
  await expect(page).toHaveURL(/slices=xy/);
  await expect.poll(() => pictureHash(page)).not.toBe(before);
  await viewer.reaches("ready");
  const first = await pictureHash(page);
  await page.getByRole("slider", { name: "z", exact: true }).fill("2");
  await expect(page).toHaveURL(/select=2,:,:/);
  await expect.poll(() => pictureHash(page)).not.toBe(first);
  expect(keys.length).toBe(requests);
  await viewer.reaches("ready");
  const { width, height } = (await viewer.box.boundingBox())!;
  await viewer.box.hover({ position: { x: width / 2, y: height / 2 } });
  await expect(viewer.readout).toContainText(/\[2, 50, 65\].*0/);
});
