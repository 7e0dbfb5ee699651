// Sharing a view: link, picture, programs; the cost of reading.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { Pixels } from "../shared/pixels.js";
import { expect, test } from "./site.js";
import { decodePicture } from "./viewer-page.js";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test("the link shows the same view", async ({ viewer, page }) => {
  await viewer.show("source=/stores/cube&select=2,:,:&map=magma");
  await viewer.box.press("+");
  await expect.poll(async () => (await viewer.seen()).rows).toBeLessThan(8);
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect(page.getByText("Link copied to the clipboard.")).toBeVisible();
  const link = await clipboard(page);
  expect(link).toContain("/viewer/?source=/stores/cube&select=2,:,:&map=magma&at=");
  const seen = await viewer.seen();
  await page.goto("about:blank");
  await page.goto(link);
  await viewer.reaches("ready");
  expect(await viewer.seen()).toEqual(seen);
});

test("a link shows the same range, in another slice as well", async ({ viewer, page }) => {
  await viewer.show("source=/stores/cube&select=1,:,:");
  const limits = () =>
    Promise.all(["Lowest value", "Highest value"].map((name) => page.getByLabel(name).inputValue()));
  const before = await limits();
  await page.getByLabel("Index along axis 0").fill("3");
  await page.getByLabel("Index along axis 0").press("Enter");
  await expect(page).toHaveURL(/select=3,:,:/);
  await viewer.reaches("ready");
  expect(await limits()).toEqual(before);
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect(page.getByText("Link copied to the clipboard.")).toBeVisible();
  const link = await clipboard(page);
  await page.goto("about:blank");
  await page.goto(link);
  await viewer.reaches("ready");
  expect(await limits()).toEqual(before);
});

test("programs name the visible part", async ({ viewer, page, site }) => {
  await viewer.show("source=/stores/cube&select=2,1:3,:");
  await page.getByRole("button", { name: "Copy as JavaScript" }).click();
  await expect.poll(() => clipboard(page)).toContain(`open("${site}/stores/cube", { kind: "array" })`);
  expect(await clipboard(page)).toMatch(/get\(array, \[2, slice\(\d+, \d+\), slice\(0, 6\)\]\)/);
  await page.getByRole("button", { name: "Copy as Python" }).click();
  await expect(page.getByRole("group", { name: "Share" })).toContainText(
    "zarr-python no longer reads Zarr v1",
  );
});

test("without a clipboard the text can be selected", async ({ viewer, page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await viewer.show("source=/stores/cube");
  await page.getByRole("button", { name: "Copy as JavaScript" }).click();
  await expect(page.getByLabel("Text to copy")).toHaveValue(/slice/);
  await expect(page.getByLabel("Text to copy")).toBeFocused();
});

test("the picture has title, rulers, image and legend", async ({ viewer, page }) => {
  await viewer.show("source=/stores/bytes&map=gray&range=0:256");
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save PNG" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("bytes.png");
  const { width, height, data } = await decodePicture(page, readFileSync(await download.path()));
  const stage = (await page.locator(".zw-stage").boundingBox())!;
  /** The number of dark pixels in a part. */
  const dark = (left: number, top: number, columns: number, rows: number) => {
    let count = 0;
    for (let y = top; y < top + rows; y++)
      for (let x = left; x < left + columns; x++) {
        const [red, green, blue] = data.subarray(4 * (y * width + x));
        if (red! + green! + blue! < 300) count++;
      }
    return count;
  };
  expect(width).toBeGreaterThan(stage.width * 0.9);
  expect(height).toBeGreaterThan(300);
  expect(dark(0, 0, width >> 1, 60)).toBeGreaterThan(50);
  expect(dark(0, height - 50, width, 50)).toBeGreaterThan(200);
});

/** The share of pixels that differ between parts of two pictures, and the number of colours in the second. */
function differences(
  [a, b]: readonly [Pixels, Pixels],
  [from, to]: readonly (readonly [left: number, top: number])[],
  { width, height }: { width: number; height: number },
): { different: number; colours: number } {
  let different = 0;
  const colours = new Set<number>();
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [i, k] = [
        4 * ((from![1] + y) * a.width + from![0] + x),
        4 * ((to![1] + y) * b.width + to![0] + x),
      ];
      colours.add(b.data.readUInt32LE(k));
      if ([0, 1, 2].some((part) => Math.abs(a.data[i + part]! - b.data[k + part]!) > 40)) different++;
    }
  return { different: different / (width * height), colours: colours.size };
}

test("the picture is as on the screen: coasts, meridians, scale bars, missing numbers", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/); // missing chunks
  await page.setViewportSize({ width: 1280, height: 1300 });
  await viewer.show("source=/stores/bytes");
  for (const [name, query] of [
    ["a map with coasts and meridians", "source=/stores/weather&path=t2m&map=gray&select=2,:,:"],
    ["a scale bar", "source=/stores/pyramid&map=gray&range=0:256"],
    ["missing numbers", "source=/stores/holes"],
  ] as const) {
    await viewer.change(query);
    if (name.includes("coasts"))
      await expect(page.locator(".zw-map-lines")).toHaveAttribute("data-lines", "graticule,coasts");
    if (name.includes("bar")) await expect(page.locator(".zw-scale-bar")).toBeVisible();
    await page.mouse.move(2, 2);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save PNG" }).click();
    const kept = readFileSync(await (await downloading).path());
    await page.evaluate(() => window.scrollTo(0, 0));
    const head = (await page.locator(".zw-head").boundingBox())!;
    const box = (await page.locator(".zw-view .zw-frame").boundingBox())!;
    // A screenshot aligned to whole pixels.
    const clip = { x: Math.ceil(box.x), y: Math.ceil(box.y), width: 0, height: 0 };
    clip.width = Math.floor(box.x + box.width) - clip.x;
    clip.height = Math.floor(box.y + box.height) - clip.y;
    const screen = await page.screenshot({ clip });
    const at = [Math.round(clip.x - head.x + 16), Math.round(clip.y - head.y + 16)] as const;
    const pictures = [await decodePicture(page, screen), await decodePicture(page, kept)] as const;
    const { different, colours } = differences(pictures, [[0, 0], at], clip);
    expect(colours, name).toBeGreaterThan(3);
    expect(different, name).toBeLessThan(0.008); // edges of glyphs
    // A small bar, checked separately.
    const bars = page.locator(".zw-scale-bar:visible");
    const bar = (await bars.count()) > 0 ? await bars.boundingBox() : null;
    if (bar) {
      const [left, top] = [Math.round(bar.x) - clip.x, Math.round(bar.y) - clip.y];
      const size = { width: Math.floor(bar.width), height: Math.floor(bar.height) };
      const places = [
        [left, top],
        [at[0] + left, at[1] + top],
      ] as const;
      expect(differences(pictures, places, size).different, name).toBeLessThan(0.08);
    }
    expect(bar !== null || !name.includes("bar")).toBe(true);
  }
});

test("the cost of reading, estimated and measured", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices&select=4,:,:");
  const panel = page.getByRole("group", { name: "Reading" });
  await expect(panel).toContainText("Visible");
  await panel.getByRole("button", { name: "Measure reading" }).click();
  await expect(panel.getByRole("status")).toContainText(
    /\d+ requests? returned .+ for .+ 1; .+ for decoding/,
  );
  await viewer.change("source=/stores/cube&select=2,:,:");
  await expect(panel).toContainText("Chunks suit this view");
});
