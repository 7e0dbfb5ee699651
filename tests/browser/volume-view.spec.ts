// Volumes in a view: without WebGL2, with reduced motion, beside planes, and the bytes that they read.
import { isWhole } from "../node/support/amounts.js";
import { halved, omeVolume, rayOf, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { canvasPixel, liveContexts, openElements, recordContexts, settles } from "./viewer-page.js";
import { bytes, compared, errors, image, most, noise, serve, show, volumeWindow } from "./volume-page.js";

test.use({ viewport: volumeWindow });
test.beforeEach(({ problems }) => {
  problems.expect(/404/); // chunks of the fill value
});

/** A GPU that stays busy until a test says otherwise. */
interface Gpu {
  isBusy: boolean;
  looks: number;
}

test("without WebGL2, a note and the plane appear instead of the volume", async ({ viewer, page }) => {
  await page.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options = {}) {
      return kind === "webgl2" ? null : getContext.call(this, kind as "2d", options);
    } as typeof getContext;
  });
  await serve(page, image);
  await show(viewer, "mode=max");
  const notes = page.getByRole("list", { name: "Notes" });
  await expect(notes).toContainText("The volume cannot be shown: WebGL2 is unavailable");
  await expect(viewer.box).toHaveAttribute("data-view", /:/);
  await expect(viewer.error).toHaveCount(0);
});

test("with reduced motion, the camera is at its new place at once", async ({ viewer, page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await serve(page, image);
  await show(viewer, "orbit=30,20,1&mode=max");
  await viewer.box.press("x");
  await expect(page).toHaveURL(/orbit=90,0,1/);
  const difference = async () => errors(await compared(viewer, bytes, [90, 0, 1], most)).max;
  await expect.poll(difference).toBeLessThanOrEqual(1);
});

test("a volume beside planes has their range", async ({ viewer, page }) => {
  // The shown slice has values up to 100, the volume up to 250.
  const volume = volumeOf(new Uint8Array(40 * 40 * 40), [40, 40, 40], (x, y, z) =>
    z === 20 ? (noise(x, y, z) * 100) / 255 : x < 20 ? 50 : 250,
  );
  await serve(page, omeVolume([volume], [40, 40, 40]));
  await viewer.show(
    "source=/volume&map=gray&range=minmax&scope=slice&select=20,:,:&planes=xy,volume&orbit=0,0,1&mode=max",
  );
  const canvas = page.locator(".zw-frame-volume .zw-canvas");
  const grayAt = async (x: number) => {
    const { width, height } = (await canvas.boundingBox())!;
    const scale = Math.min(width, height) / Math.hypot(40, 40, 40);
    return (await canvasPixel(canvas, { x: width / 2 + x * 40 * scale, y: height / 2 }))[0]!;
  };
  // Half of the range of the slice, and above it.
  await expect.poll(() => grayAt(0.25)).toBe(255);
  await expect.poll(async () => Math.abs((await grayAt(-0.25)) - 190)).toBeLessThan(67);
});

test("the range of a volume is the same near and far: that of its coarsest level", async ({
  viewer,
  page,
}) => {
  await serve(page, image);
  const coarsest = [...halved(bytes).data].map(Number);
  const [low, high] = [Math.min(...new Set(coarsest)), Math.max(...new Set(coarsest))];
  expect(high).toBeLessThan(Math.max(...new Set([...bytes.data].map(Number))));
  const address = "source=/volume&view=volume&mode=max&map=gray";
  for (const zoom of isWhole ? [0.3, 1, 6] : [0.3, 6]) {
    await viewer.show(`${address}&orbit=30,20,${zoom}`);
    await settles(page);
    await expect(page.getByLabel("Lowest value", { exact: true })).toHaveValue(String(low));
    await expect(page.getByLabel("Highest value", { exact: true })).toHaveValue(String(high));
  }
  // The nearest view has greater values.
  await expect(page.locator(".zw-legend-scale .zw-legend-above")).toBeVisible();
});

test("a viewer that is removed keeps its context until the GPU is done", async ({ page, site }) => {
  await serve(page, image);
  await recordContexts(page);
  await page.addInitScript(() => {
    const { prototype } = WebGL2RenderingContext;
    const { getSyncParameter } = prototype;
    const gpu = { isBusy: false, looks: 0 };
    Object.assign(globalThis, { gpu });
    prototype.getSyncParameter = function (sync, name) {
      gpu.looks++;
      return gpu.isBusy ? this.UNSIGNALED : getSyncParameter.call(this, sync, name);
    };
  });
  await openElements(
    page,
    site,
    `<zarr-viewer src="/volume" view="volume" mode="max" range="0:256"></zarr-viewer>`,
  );
  await settles(page);
  expect(await liveContexts(page)).toBe(1);
  const gpu = await page.evaluateHandle(() => (globalThis as unknown as { gpu: Gpu }).gpu);
  await gpu.evaluate((all) => {
    Object.assign(all, { isBusy: true, looks: 0 });
    document.querySelector("zarr-viewer")!.remove();
  });
  await expect.poll(() => gpu.evaluate(({ looks }) => looks)).toBeGreaterThan(3);
  expect(await liveContexts(page)).toBe(1);
  await gpu.evaluate((all) => {
    all.isBusy = false;
  });
  await expect.poll(() => liveContexts(page)).toBe(0);
});

test("a view reads little more than the chunks that its rays meet", async ({ viewer, page }) => {
  const [size, chunk] = [256, 64];
  const dense = volumeOf(
    new Uint8Array(size ** 3),
    [size, size, size],
    (x, y, z) => 1 + (noise(x, y, z) >> 1),
  );
  const half = halved(dense);
  const store = omeVolume([dense, half, halved(half)], [chunk, chunk, chunk]);
  const keys = await serve(page, store);
  for (const [yaw, pitch, zoom] of [
    [0, 0, 8],
    [30, 20, 6],
  ] as const) {
    keys.length = 0;
    await show(viewer, `mode=max&orbit=${yaw},${pitch},${zoom}`);
    const read = keys.filter((key) => /\/c\//.test(key));
    const { width, height } = await viewer.canvas();
    const met = new Set<string>();
    for (let row = 0; row < height; row += 4)
      for (let column = 0; column < width; column += 4) {
        const { start, direction } = rayOf(dense, { yaw, pitch, zoom }, { width, height }, [column, row]);
        const middle = 2 * Math.hypot(size, size, size);
        for (let t = middle - size; t < middle + size; t += 2) {
          const at = start.map((from, i) => Math.floor((from + t * direction[i]!) / chunk));
          if (at.every((index) => index >= 0 && index < size / chunk))
            met.add(`0/c/${at.reverse().join("/")}`);
        }
      }
    const bytesOf = (list: Iterable<string>) =>
      [...list].reduce((sum, key) => sum + (store.get(key)?.length ?? 0), 0);
    expect(read.some((key) => key.startsWith("0/"))).toBe(true);
    expect(met.size).toBeLessThan((size / chunk) ** 3);
    expect(bytesOf(read) / bytesOf(met)).toBeLessThanOrEqual(1.5);
  }
});
