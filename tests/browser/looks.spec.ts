// Visual regression tests of the samples against reviewed pictures: tests/browser/looks. After an intended
// change: npx playwright test looks --update-snapshots, and review the pictures.
import type { Page } from "@playwright/test";
import { isWhole } from "../node/support/amounts.js";
import { gallerySamples, sampleQuery } from "../shared/gallery.js";
import { indexedPng } from "../shared/png.js";
import { expect, test } from "./site.js";
import { openElements, settles } from "./viewer-page.js";

test.use({ unfolded: false });

async function looksAsBefore(page: Page, name: string): Promise<void> {
  await isDrawn(page);
  // The time of reading differs in every run.
  await page.locator(".zw-status").evaluate(({ style }) => {
    style.visibility = "hidden";
  });
  await page.mouse.move(0, 0);
  const shot = await page.screenshot({ animations: "disabled" });
  // Comparisons tolerate the differences that this makes.
  const isUpdating = ["all", "changed"].includes(test.info().config.updateSnapshots);
  expect
    .soft(isUpdating ? await fewColours(page, shot) : shot)
    .toMatchSnapshot(`${name}.png`, { maxDiffPixelRatio: 0.02 });
}

/**
 * Reduces a picture to at most 253 colours: files become small enough to commit, and minor differences of
 * colour disappear. The most frequent colours are kept exactly: backgrounds, lines, text.
 */
async function fewColours(page: Page, png: Buffer): Promise<Buffer> {
  const { width, height, palette, indices } = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d", { alpha: false })!;
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
    const counts = new Map<number, number>();
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, 128);
    const steps = [0, 64, 128, 191, 255];
    const cube = steps.flatMap((blue) =>
      steps.flatMap((green) => steps.map((red) => (blue << 16) | (green << 8) | red)),
    );
    const colours = [...most.map(([pixel]) => pixel), ...cube];
    const known = new Map(most.map(([pixel], i) => [pixel, i]));
    const nearest = (pixel: number) => {
      const step = (shift: number) => Math.round(((pixel >>> shift) & 255) / 63.75);
      return most.length + step(0) + 5 * step(8) + 25 * step(16);
    };
    const text = (list: Uint8Array) => {
      let binary = "";
      for (let at = 0; at < list.length; at += 4096)
        binary += String.fromCharCode(...list.subarray(at, at + 4096));
      return btoa(binary);
    };
    const parts = colours.flatMap((pixel) => [pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255]);
    return {
      width: image.width,
      height: image.height,
      palette: text(Uint8Array.from(parts)),
      indices: text(Uint8Array.from(pixels, (pixel) => known.get(pixel) ?? nearest(pixel))),
    };
  }, png.toString("base64"));
  return indexedPng(width, height, Buffer.from(palette, "base64"), Buffer.from(indices, "base64"));
}

/** Waits until image, labels and layers have been drawn, and the panels beside them. */
async function isDrawn(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await settles(page);
  const lines = page.locator(".zw-map-lines:visible");
  if ((await lines.count()) > 0) await expect(lines).toHaveAttribute("data-lines", "graticule,coasts");
}

/** The small volume has fewer planes than the gallery's: its last one is shown. */
const samples = gallerySamples.map((sample) =>
  sample.view["select"] === ":,32,:,:" ? { ...sample, view: { ...sample.view, select: ":,15,:,:" } } : sample,
);

/** Opens a sample in an element of 360 pixels. */
async function openInBox(page: Page, site: string, { source, path, view }: (typeof samples)[number]) {
  const attributes = Object.entries({ src: source, ...(path ? { path } : {}), ...view, controls: "minimal" });
  const texts = attributes.map(
    ([name, value]) => `${name === "map" ? "colormap" : name}="${value.replaceAll('"', "&quot;")}"`,
  );
  await openElements(page, site, `<div><zarr-viewer ${texts.join(" ")}></zarr-viewer></div>`);
  await page.evaluate(() => {
    document.documentElement.style.colorScheme = "light dark";
    document.querySelector("div")!.style.width = "360px";
  });
}

for (const [i, sample] of samples.entries())
  test(`${sample.name}, in three sizes, light and dark`, async ({ page, site, viewer }) => {
    for (const [at, [width, height]] of [
      [1440, 900],
      [390, 844],
      [360, 700],
    ].entries()) {
      await page.setViewportSize({ width: width === 360 ? 400 : width!, height: height! });
      // Only some of a thousand elements per row: smooth pictures take much space.
      const closer = sample.name === "v1" && width === 1440 ? "&at=512,512,8" : "";
      if (width === 360) await openInBox(page, site, sample);
      else await viewer.goto(`${sampleQuery(sample).toString()}${closer}`);
      // In samples, each size has one of the schemes.
      const schemes = (["light", "dark"] as const).filter((_, scheme) => isWhole || (i + at) % 2 === scheme);
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        await looksAsBefore(page, `${sample.name}-${width}-${colorScheme}`);
      }
    }
  });
