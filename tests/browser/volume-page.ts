/** Volumes in the viewer, and the pictures expected from rays in float64. */
import type { Page } from "@playwright/test";
import { isWhole } from "../node/support/amounts.js";
import { gray, grayRows } from "../shared/pixels.js";
import {
  halved,
  omeVolume,
  type Ray,
  rayOf,
  samplesOf,
  type TestPart,
  type TestVolume,
  volumeOf,
} from "../shared/volumes.js";
import { settles, type ViewerPage } from "./viewer-page.js";

/** Serves a store under /volume/ or another name. @returns the requested keys */
export async function serve(
  page: Page,
  store: ReadonlyMap<string, Uint8Array>,
  name = "volume",
): Promise<string[]> {
  const keys: string[] = [];
  await page.route(`**/${name}/**`, async (route) => {
    const key = new URL(route.request().url()).pathname.slice(name.length + 2);
    keys.push(key);
    const body = store.get(key);
    await route.fulfill(body ? { body: Buffer.from(body) } : { status: 404 });
  });
  return keys;
}

export const noise = (x: number, y: number, z: number): number => {
  const mixed = Math.imul(Math.imul(x * 73 + 11, 0x9e3779b1) ^ Math.imul(y * 151 + 7, 0x85ebca6b), z + 31);
  return (mixed >>> 13) & 255;
};

/** Noise in a ball beside the middle, zeros around it. */
export const bytes = volumeOf(new Uint8Array(130 * 100 * 70), [130, 100, 70], (x, y, z) =>
  Math.hypot(x - 70, y - 45, (z - 30) * 1.4) < 42 ? noise(x, y, z) >> (x > 70 ? 0 : 1) : 0,
);
export const image = omeVolume([bytes, halved(bytes)], [32, 64, 64]);

/** A lower window in samples: without a GPU, the time of a picture grows with its size. The panels have room. */
export const volumeWindow = isWhole ? { width: 960, height: 640 } : { width: 800, height: 480 };

const address = (query: string, name: string) => `source=/${name}&view=volume&${query}&map=gray&range=0:256`;

export const show = (viewer: ViewerPage, query: string, name = "volume") => viewer.show(address(query, name));

/** Changes the view on the same page, which keeps its shaders. */
export const change = (viewer: ViewerPage, query: string, name = "volume") =>
  viewer.change(address(query, name));

/** Replaces parts of the shaders that the next page compiles. */
export const replaceInShaders = (page: Page, ...parts: readonly (readonly [old: string, now: string])[]) =>
  page.addInitScript((replaced) => {
    const { prototype } = WebGL2RenderingContext;
    const { shaderSource } = prototype;
    prototype.shaderSource = function (shader, text) {
      const edited = replaced.reduce((all, [old, now]) => all.replace(old, now), text);
      shaderSource.call(this, shader, edited);
    };
  }, parts);

/** The mean of the samples on a ray. */
export const average = (samples: readonly number[]) =>
  samples.reduce((sum, one) => sum + one, 0) / samples.length;

/** A string that changes with the picture. */
export const pictureHash = (page: Page): Promise<string> =>
  page.locator(".zw-canvas").evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());

/** Gray values of some pixels, with the ones expected from the samples of their rays. */
export async function compared(
  viewer: ViewerPage,
  volume: TestVolume,
  [yaw, pitch, zoom]: readonly [number, number, number],
  expected: (samples: readonly number[]) => number,
  part: TestPart = {},
): Promise<{ actual: number; expected: number }[]> {
  return comparedRays(viewer, volume, [yaw, pitch, zoom], (ray) => {
    const samples = samplesOf(volume, ray, part);
    return gray(samples.length === 0 ? 0 : expected(samples), 0, 256);
  });
}

/** Gray values of some pixels, with the ones expected of their rays. */
export async function comparedRays(
  viewer: ViewerPage,
  volume: TestVolume,
  [yaw, pitch, zoom]: readonly [number, number, number],
  expected: (ray: Ray) => number,
  step = 11,
): Promise<{ actual: number; expected: number }[]> {
  await settles(viewer.page);
  const picture = await viewer.canvas();
  const rows = grayRows(picture);
  const pairs: { actual: number; expected: number }[] = [];
  for (let row = 3; row < picture.height; row += step)
    for (let column = 5; column < picture.width; column += step + 2) {
      const ray = rayOf(volume, { yaw, pitch, zoom }, picture, [column, row]);
      pairs.push({ actual: rows[row]![column]!, expected: expected(ray) });
    }
  return pairs;
}

export const errors = (pairs: readonly { actual: number; expected: number }[]) => {
  const all = pairs.map(({ actual, expected }) => Math.abs(actual - expected));
  return { max: Math.max(...all), mean: all.reduce((sum, one) => sum + one, 0) / all.length };
};

export const most = (samples: readonly number[]) => Math.max(...samples);
