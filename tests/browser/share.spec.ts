// Sharing a view: link, picture, programs; the cost of reading.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, test } from "./site.js";

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
  const png = readFileSync(await download.path()).toString("base64");
  const stage = (await page.locator(".zw-stage").boundingBox())!;
  // Read back outside the document's policy: pixels of the picture, and where it differs from the background.
  const seen = await page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d", { willReadFrequently: true })!;
    context.drawImage(image, 0, 0);
    const dark = (x: number, y: number, width: number, height: number) => {
      const { data } = context.getImageData(x, y, width, height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i]! + data[i + 1]! + data[i + 2]! < 300) count++;
      return count;
    };
    const { width, height } = image;
    return { width, height, title: dark(0, 0, width / 2, 60), legend: dark(0, height - 50, width, 50) };
  }, png);
  expect(seen.width).toBeGreaterThan(stage.width * 0.9);
  expect(seen.height).toBeGreaterThan(300);
  expect(seen.title).toBeGreaterThan(50);
  expect(seen.legend).toBeGreaterThan(200);
});

/** The number of pixels that differ between two pictures of the same size, and of colours in the second. */
function differences(
  page: Page,
  pictures: readonly { png: Buffer; left: number; top: number }[],
  size: { width: number; height: number },
): Promise<{ different: number; colours: number }> {
  const texts = pictures.map(({ png, left, top }) => ({ text: png.toString("base64"), left, top }));
  return page.evaluate(
    async ([list, { width, height }]) => {
      const [a, b] = await Promise.all(
        list.map(async ({ text, left, top }) => {
          const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
          const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
          context.drawImage(image, -left, -top);
          return context.getImageData(0, 0, width, height).data;
        }),
      );
      let different = 0;
      for (let i = 0; i < a!.length; i += 4)
        if ([0, 1, 2].some((part) => Math.abs(a![i + part]! - b![i + part]!) > 40)) different++;
      return { different, colours: new Set(new Uint32Array(b!.buffer)).size };
    },
    [texts, size] as const,
  );
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
    const at = { left: Math.round(clip.x - head.x + 16), top: Math.round(clip.y - head.y + 16) };
    const pictures = [
      { png: screen, left: 0, top: 0 },
      { png: kept, ...at },
    ];
    const { different, colours } = await differences(page, pictures, clip);
    expect(colours).toBeGreaterThan(3);
    expect(different / (clip.width * clip.height)).toBeLessThan(0.008); // edges of glyphs
    // A small bar, checked separately.
    const bars = page.locator(".zw-scale-bar:visible");
    const bar = (await bars.count()) > 0 ? await bars.boundingBox() : null;
    if (bar) {
      const part = {
        x: Math.round(bar.x),
        y: Math.round(bar.y),
        width: Math.floor(bar.width),
        height: Math.floor(bar.height),
      };
      const offset = { x: part.x - clip.x, y: part.y - clip.y };
      const own = await differences(
        page,
        [
          { png: screen, left: offset.x, top: offset.y },
          { png: kept, left: at.left + offset.x, top: at.top + offset.y },
        ],
        part,
      );
      expect(own.different / (part.width * part.height)).toBeLessThan(0.08);
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
