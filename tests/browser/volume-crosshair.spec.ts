// A click in a volume chooses the visible voxel: for planes beside it, and in linked viewers.
import type { Page } from "@playwright/test";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { omeVolume, rayOf, type Triple, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { elementIsReady, openElements } from "./viewer-page.js";
import { serve } from "./volume-page.js";

/** Some bright voxels, each with its own value, in a dim volume. */
const spots: readonly Triple[] = [
  [9, 31, 12],
  [40, 6, 22],
  [22, 17, 3],
];
const volume = volumeOf(new Uint8Array(50 * 40 * 30), [50, 40, 30], (x, y, z) => {
  const spot = spots.findIndex((at) => at[0] === x && at[1] === y && at[2] === z);
  return spot < 0 ? 20 : 150 + 30 * spot;
});
const image = omeVolume([volume], [30, 40, 50]);

/** The place of a voxel's middle in a picture, from the rays of its pixels. */
function placeOf(voxel: Triple, orbit: { yaw: number; pitch: number; zoom: number }, size: [number, number]) {
  const [width, height] = size;
  const ray = (at: [number, number]) => rayOf(volume, orbit, { width, height }, at).start;
  const corner = ray([-0.5, -0.5]);
  const along = (at: readonly number[]) => {
    const way = at.map((one, i) => one - corner[i]!);
    const product = way.reduce((sum, one, i) => sum + one * (voxel[i]! + 0.5 - corner[i]!), 0);
    return product / way.reduce((sum, one) => sum + one * one, 0);
  };
  return { x: along(ray([0.5, -0.5])), y: along(ray([-0.5, 0.5])) };
}

/** Clicks on a voxel of the volume in an element. */
async function click(page: Page, within: string, voxel: Triple, orbit = { yaw: 30, pitch: 20, zoom: 1 }) {
  const box = page.locator(`${within} .zw-frame-volume > .zw-box`);
  const { width, height } = (await box.boundingBox())!;
  await box.click({ position: placeOf(voxel, orbit, [width, height]) });
}

test("a click in the volume moves the crosshair of the planes", async ({ viewer, page }) => {
  await serve(page, image);
  await viewer.show(
    "source=/volume&range=0:256&map=gray&planes=xy,xz,yz,volume&orbit=30,20,1&mode=max&select=15,:,:",
  );
  const volumeBox = page.locator(".zw-frame-volume > .zw-box");
  await expect.poll(() => volumeBox.getAttribute("data-textures")).toMatch(/\d{5}/);
  for (const spot of spots) {
    const [x, y, z] = spot;
    await expect(async () => {
      await click(page, ".zw-viewer", spot);
      await expect(page).toHaveURL(new RegExp(`select=${z},:,:.*index=,${y},${x}(&|$)`), { timeout: 1000 });
    }).toPass();
    await expect(page.locator(".zw-frame:first-child .zw-pane-label")).toHaveText(new RegExp(`^z ${z}`));
    await expect(page.locator(".zw-pane-xz .zw-pane-label")).toHaveText(new RegExp(`^y ${y}`));
    await expect(page.locator(".zw-pane-yz .zw-pane-label")).toHaveText(new RegExp(`^x ${x}`));
  }
  // A drag turns the volume and chooses nothing.
  const url = page.url().replace(/orbit=[^&]*/, "");
  const { x, y, width, height } = (await volumeBox.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 40, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await expect(page).not.toHaveURL(/orbit=30,20,1/);
  expect(page.url().replace(/orbit=[^&]*/, "")).toBe(url);
});

test("the lines of the crosshair cross the volume at the chosen element", async ({ viewer, page }) => {
  await serve(page, image);
  const query = "source=/volume&planes=xy,volume&orbit=0,0,1&mode=max&select=15,:,:";
  await viewer.show(`${query}&index=,10,40`);
  const lines = page.locator(".zw-volume-lines");
  const alphaAt = (voxel: Triple) =>
    lines.evaluate(
      (canvas: HTMLCanvasElement, { x, y }) => {
        const copy = new OffscreenCanvas(3, 3).getContext("2d", { willReadFrequently: true })!;
        copy.drawImage(canvas, x - 1, y - 1, 3, 3, 0, 0, 3, 3);
        return Math.max(...copy.getImageData(0, 0, 3, 3).data.filter((_, i) => i % 4 === 3));
      },
      placeOf(voxel, { yaw: 0, pitch: 0, zoom: 1 }, size),
    );
  const { width, height } = (await page.locator(".zw-frame-volume > .zw-box").boundingBox())!;
  const size: [number, number] = [width, height];
  await expect.poll(() => alphaAt([40, 10, 15])).toBeGreaterThan(60);
  await expect.poll(() => alphaAt([40, 30, 15])).toBeGreaterThan(60);
  await expect.poll(() => alphaAt([5, 10, 15])).toBeGreaterThan(60);
  expect(await alphaAt([20, 30, 15])).toBe(0);
});

test("Enter chooses the voxel in the middle, and linked viewers follow", async ({ page, site }) => {
  await serve(page, image);
  const [spot] = spots;
  const middle = spot!.map((at) => at + 0.5).join();
  await openElements(
    page,
    site,
    `<zarr-viewer id="one" src="/volume" link="a" view="volume" mode="max" orbit="30,20,4,${middle}" range="0:256"></zarr-viewer>
     <zarr-viewer id="two" src="/volume" link="a" planes="xy xz" range="0:256"></zarr-viewer>`,
  );
  for (const id of ["one", "two"]) await elementIsReady(page, id);
  await page.locator("#one .zw-frame-volume > .zw-box").press("Enter");
  const index = (id: string) =>
    page
      .locator(`#${id}`)
      .evaluate((element) => [...(element as ZarrViewerElement).view!.settings.index].reverse());
  await expect.poll(() => index("two")).toEqual(spot);
  expect(await index("one")).toEqual(spot);
  await expect(page.locator("#two .zw-pane-xz .zw-pane-label")).toHaveText(new RegExp(`^y ${spot![1]}`));
});
