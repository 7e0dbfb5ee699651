// Visual regression tests of the samples against reviewed pictures: tests/browser/looks. After an intended
// change: npx playwright test looks --update-snapshots, and review the pictures.
import type { Page } from "@playwright/test";
import { startServer, strictPolicy } from "../../scripts/lib/server.mjs";
import { gallerySamples, sampleQuery } from "../shared/gallery.js";
import { looksFolder, packageMounts, pagesFolder } from "../shared/places.js";
import { indexedPng } from "../shared/png.js";
import { test as base, expect } from "./site.js";
import { settles } from "./viewer-page.js";

const test = base.extend<object, { site: string }>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures needed from the pattern
    async ({}, use) => {
      const mounts = {
        ...packageMounts,
        "/samples/": { root: looksFolder, isData: true },
        "/pages/": pagesFolder,
      };
      const server = await startServer({ policy: strictPolicy, mounts });
      await use(server.url);
      await server.close();
    },
    { scope: "worker" },
  ],
});

async function looksAsBefore(page: Page, name: string): Promise<void> {
  await isDrawn(page);
  // The time of reading differs in every run.
  await page.locator(".zw-status").evaluate(({ style }) => {
    style.visibility = "hidden";
  });
  await page.mouse.move(0, 0);
  const shot = await page.screenshot({ animations: "disabled" });
  expect.soft(await fewColours(page, shot)).toMatchSnapshot(`${name}.png`, { maxDiffPixelRatio: 0.02 });
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

const schemes = ["light", "dark"] as const;

/** Compares the page in both colour schemes; the second one without loading it again. */
async function looksAsBeforeInBoth(page: Page, name: string): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await looksAsBefore(page, `${name}-${colorScheme}`);
  }
}

/** The small volume has fewer planes than the gallery's: its last one is shown. */
const samples = gallerySamples.map((sample) =>
  sample.view["select"] === ":,32,:,:" ? { ...sample, view: { ...sample.view, select: ":,15,:,:" } } : sample,
);

for (const sample of samples) {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const)
    test(`${sample.name}, ${width} × ${height}, light and dark`, async ({ page, viewer }) => {
      await page.setViewportSize({ width, height });
      // Only some of a thousand elements per row: smooth pictures take much space.
      const closer = sample.name === "v1" && width > 1000 ? "&at=512,512,8" : "";
      await viewer.goto(`${sampleQuery(sample).toString()}${closer}`);
      await looksAsBeforeInBoth(page, `${sample.name}-${width}`);
    });

  test(`${sample.name}, in a box of 360 pixels, light and dark`, async ({ page, site }) => {
    await page.setViewportSize({ width: 400, height: 700 });
    await page.goto(`${site}/pages/blank.html`);
    await page.evaluate(({ source, path: at, view }) => {
      const { documentElement: html, body } = document;
      html.style.colorScheme = "light dark";
      const box = document.createElement("div");
      box.style.width = "360px";
      const viewer = document.createElement("zarr-viewer");
      const attributes = { src: source, ...(at ? { path: at } : {}), ...view, controls: "minimal" };
      for (const [name, value] of Object.entries(attributes))
        viewer.setAttribute(name === "map" ? "colormap" : name, value);
      box.append(viewer);
      body.replaceChildren(box);
    }, sample);
    await page.addScriptTag({ url: "/viewer/viewer.min.js", type: "module" });
    await looksAsBeforeInBoth(page, `${sample.name}-360`);
  });
}
