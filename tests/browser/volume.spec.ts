// Volumes: projections against rays in float64, streaming, the camera.
import type { Page } from "@playwright/test";
import { gray, grayRows } from "../shared/pixels.js";
import { halved, omeVolume, rayOf, samplesOf, type TestVolume, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { loseContexts, recordContexts, type ViewerPage } from "./viewer-page.js";

/** Serves a store under /volume/. @returns the requested keys */
async function serve(page: Page, store: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
  const keys: string[] = [];
  await page.route("**/volume/**", async (route) => {
    const [, key = ""] = /\/volume\/(.*)$/.exec(new URL(route.request().url()).pathname) ?? [];
    keys.push(key);
    const body = store.get(key);
    await route.fulfill(body ? { body: Buffer.from(body) } : { status: 404 });
  });
  return keys;
}

const noise = (x: number, y: number, z: number): number => {
  const mixed = Math.imul(Math.imul(x * 73 + 11, 0x9e3779b1) ^ Math.imul(y * 151 + 7, 0x85ebca6b), z + 31);
  return (mixed >>> 13) & 255;
};

/** Noise in a ball beside the middle, zeros around it. */
const bytes = volumeOf(new Uint8Array(130 * 100 * 70), [130, 100, 70], (x, y, z) =>
  Math.hypot(x - 70, y - 45, (z - 30) * 1.4) < 42 ? noise(x, y, z) >> (x > 70 ? 0 : 1) : 0,
);
const image = omeVolume([bytes, halved(bytes)], [32, 64, 64]);

const show = (viewer: ViewerPage, query: string) =>
  viewer.show(`source=/volume&view=volume&${query}&map=gray&range=0:256`);

/** A number that changes with the picture. */
const pictureHash = (page: Page): Promise<number> =>
  page.locator(".zw-canvas").evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    const copy = Object.assign(document.createElement("canvas"), { width, height });
    const context = copy.getContext("2d", { willReadFrequently: true })!;
    context.drawImage(canvas, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
    return pixels.reduce((hash, pixel) => Math.imul(hash ^ pixel, 0x01000193) >>> 0, 0x811c9dc5);
  });

/** Gray values of some pixels, with the ones expected from the samples of their rays. */
async function compared(
  viewer: ViewerPage,
  volume: TestVolume,
  [yaw, pitch, zoom]: readonly [number, number, number],
  expected: (samples: readonly number[]) => number,
): Promise<{ actual: number; expected: number }[]> {
  const picture = await viewer.canvas();
  const rows = grayRows(picture);
  const pairs: { actual: number; expected: number }[] = [];
  for (let row = 3; row < picture.height; row += 11)
    for (let column = 5; column < picture.width; column += 13) {
      const samples = samplesOf(volume, rayOf(volume, { yaw, pitch, zoom }, picture, [column, row]));
      const value = samples.length === 0 ? 0 : expected(samples);
      pairs.push({ actual: rows[row]![column]!, expected: gray(value, 0, 256) });
    }
  return pairs;
}

const errors = (pairs: readonly { actual: number; expected: number }[]) => {
  const all = pairs.map(({ actual, expected }) => Math.abs(actual - expected));
  return { max: Math.max(...all), mean: all.reduce((sum, one) => sum + one, 0) / all.length };
};

test.describe("maximum intensity of bytes", () => {
  for (const [yaw, pitch] of [
    [0, 0],
    [180, 0],
    [90, 0],
    [-90, 0],
    [0, 90],
    [0, -90],
  ] as const)
    test(`along an axis: ${yaw}, ${pitch}`, async ({ viewer, page, problems }) => {
      problems.expect(/404/);
      await serve(page, image);
      await show(viewer, `orbit=${yaw},${pitch},1&mode=max`);
      const max = await compared(viewer, bytes, [yaw, pitch, 1], (samples) => Math.max(...samples));
      expect(errors(max).max).toBeLessThanOrEqual(1);
      expect(new Set(max.map(({ expected }) => expected)).size).toBeGreaterThan(50);
    });

  for (const [yaw, pitch, zoom] of [
    [30, 20, 1],
    [-141, -35.26, 1.7],
    [77, 61, 0.9],
  ] as const)
    test(`oblique: ${yaw}, ${pitch}`, async ({ viewer, page, problems }) => {
      problems.expect(/404/);
      await serve(page, image);
      await show(viewer, `orbit=${yaw},${pitch},${zoom}&mode=max`);
      const max = await compared(viewer, bytes, [yaw, pitch, zoom], (samples) => Math.max(...samples));
      expect(errors(max).mean).toBeLessThanOrEqual(2);
      expect(new Set(max.map(({ expected }) => expected)).size).toBeGreaterThan(50);
    });
});

test("every chunk is requested once, the coarsest level first", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  const keys = await serve(page, image);
  await show(viewer, "mode=max");
  const chunks = keys.filter((key) => /\/c\//.test(key));
  expect(new Set(chunks).size).toBe(chunks.length);
  const first = chunks.findIndex((key) => key.startsWith("0/"));
  expect(chunks.slice(0, first)).toEqual(chunks.filter((key) => key.startsWith("1/")));
});

test("minimum, average and a chunk that is not stored, whose fill value is not zero", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  // One chunk, a whole brick, has the fill value only.
  const volume = volumeOf(new Uint8Array(128 * 64 * 64), [128, 64, 64], (x, y, z) =>
    x < 64 ? 100 + (noise(x, y, z) >> 2) : 90,
  );
  const keys = await serve(page, omeVolume([volume], [64, 64, 64], 90));
  for (const [mode, expected] of [
    ["min", (samples: readonly number[]) => Math.min(...samples)],
    ["mean", (samples: readonly number[]) => samples.reduce((sum, one) => sum + one, 0) / samples.length],
  ] as const) {
    await show(viewer, `orbit=0,0,1&mode=${mode}`);
    const pairs = await compared(viewer, volume, [0, 0, 1], expected);
    // Between the two bricks, the border of the empty one is not interpolated.
    const wrong = pairs.filter((pair) => Math.abs(pair.actual - pair.expected) > 1);
    expect(wrong.length / pairs.length).toBeLessThan(0.02);
    await show(viewer, `orbit=25,-15,1&mode=${mode}`);
    expect(errors(await compared(viewer, volume, [25, -15, 1], expected)).mean).toBeLessThanOrEqual(2);
  }
  expect(keys.filter((key) => key === "0/c/0/0/1").length).toBeGreaterThan(0);
});

test("16 bits under a narrow window, and floats with NaN above the range of half floats", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  const narrow = volumeOf(
    new Uint16Array(80 * 70 * 66),
    [80, 70, 66],
    (x, y, z) => 29_950 + (noise(x, y, z) % 100),
  );
  const wide = volumeOf(new Float32Array(80 * 70 * 66), [80, 70, 66], (x, y, z) =>
    x > 60 ? Number.NaN : 1e6 + 1000 * noise(x, y, z),
  );
  const max = (samples: readonly number[]) => Math.max(...samples.filter((value) => !Number.isNaN(value)));
  for (const [volume, low, high] of [
    [narrow, 29_950, 30_050],
    [wide, 1e6, 1.256e6],
  ] as const) {
    await page.unrouteAll();
    await serve(page, omeVolume([volume], [64, 64, 64]));
    for (const [yaw, pitch] of [
      [0, 0],
      [30, 20],
    ] as const) {
      await show(viewer, `range=${low}:${high}&orbit=${yaw},${pitch},1&mode=max`);
      const share = (value: number) => (Number.isFinite(value) ? (256 * (value - low)) / (high - low) : 0);
      const pairs = await compared(viewer, volume, [yaw, pitch, 1], (samples) => share(max(samples)));
      const { max: most, mean } = errors(pairs);
      expect(mean).toBeLessThanOrEqual(yaw === 0 ? 1 : 2);
      expect(most).toBeLessThanOrEqual(2);
    }
  }
});

test("the surface of a sphere has its radius and position", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  const [cx, cy, cz, radius] = [52, 47, 40, 30];
  const sphere = volumeOf(new Uint8Array(100 * 100 * 100), [100, 100, 100], (x, y, z) =>
    Math.max(0, Math.min(255, 128 + 8 * (radius - Math.hypot(x + 0.5 - cx, y + 0.5 - cy, z + 0.5 - cz)))),
  );
  await serve(page, omeVolume([sphere], [64, 64, 64]));
  await show(viewer, "orbit=0,0,1&mode=surface&range=0:256");
  const picture = await viewer.canvas();
  const scale = Math.min(picture.width, picture.height) / Math.hypot(100, 100, 100);
  const isSurface = (column: number, row: number) => {
    const at = 4 * (row * picture.width + column);
    // The background is dark blue, not gray.
    return picture.data[at] === picture.data[at + 1];
  };
  const found: [number, number][] = [];
  for (let row = 0; row < picture.height; row++)
    for (let column = 0; column < picture.width; column++)
      if (isSurface(column, row)) found.push([column, row]);
  const mean = (i: 0 | 1) => found.reduce((sum, at) => sum + at[i] + 0.5, 0) / found.length;
  const voxel = (at: number, size: number) => (at - size / 2) / scale + 50;
  expect(Math.abs(voxel(mean(0), picture.width) - cx)).toBeLessThan(0.5);
  expect(Math.abs(voxel(mean(1), picture.height) - cy)).toBeLessThan(0.5);
  expect(Math.abs(Math.sqrt(found.length / Math.PI) / scale - radius)).toBeLessThan(0.5);
});

test("the pointer and keys turn the volume; the address keeps the camera and the projection", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  await serve(page, image);
  await viewer.show("source=/volume&map=gray&range=0:256&view=volume");
  const before = await pictureHash(page);
  const { x, y, width, height } = (await viewer.box.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 60, y + height / 2 - 25, { steps: 4 });
  await page.mouse.up();
  await viewer.reaches("ready");
  await expect.poll(() => pictureHash(page)).not.toBe(before);
  await expect(page).toHaveURL(/orbit=6,10,1\.15/);
  await viewer.box.focus();
  await page.keyboard.press("p");
  await expect(page).toHaveURL(/orbit=6,10,1\.15,perspective/);
  await page.getByLabel("Along each ray").selectOption("Average");
  await expect(page).toHaveURL(/mode=mean/);
  await viewer.reaches("ready");
  await page.keyboard.press("Tab");
  await viewer.box.focus();
  await page.keyboard.press("0");
  await expect(page).not.toHaveURL(/orbit=/);
  await page.getByLabel("Show", { exact: true }).selectOption("A plane");
  await expect(viewer.box).toHaveAttribute("data-view", /:/);
  await viewer.reaches("ready");
});

test("the same picture after a lost context", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await recordContexts(page);
  await serve(page, image);
  await show(viewer, "mode=max");
  const before = await pictureHash(page);
  expect(await loseContexts(page)).toBe(0);
  await expect.poll(() => pictureHash(page), { timeout: 2000, intervals: [50] }).toBe(before);
});
