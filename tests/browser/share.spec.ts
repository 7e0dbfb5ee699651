// What is shown, taken elsewhere: link, picture, programs; what reading it costs.
import { readFileSync } from "node:fs";
import { cubeValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

const clipboard = (page: import("@playwright/test").Page) =>
  page.evaluate(() => navigator.clipboard.readText());

test("the link shows the same view", async ({ viewer, page }) => {
  await viewer.show("source=/stores/cube&select=2,:,:&map=magma");
  await viewer.box.press("+");
  await expect.poll(async () => (await viewer.seen()).rows).toBeLessThan(8);
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect(page.getByText("The link is in the clipboard.")).toBeVisible();
  const link = await clipboard(page);
  expect(link).toContain("/viewer/?source=/stores/cube&select=2,:,:&map=magma&at=");
  const seen = await viewer.seen();
  await page.goto("about:blank");
  await page.goto(link);
  await viewer.reaches("ready");
  expect(await viewer.seen()).toEqual(seen);
});

test("programs name what is in view", async ({ viewer, page, site }) => {
  await viewer.show("source=/stores/cube&select=2,1:3,:");
  await page.getByRole("button", { name: "Copy as JavaScript" }).click();
  await expect.poll(() => clipboard(page)).toContain(`open("${site}/stores/cube", { kind: "array" })`);
  expect(await clipboard(page)).toMatch(/get\(array, \[2, slice\(\d+, \d+\), slice\(0, 6\)\]\)/);
  await page.getByRole("button", { name: "Copy as Python" }).click();
  await expect(page.getByRole("group", { name: "Share" })).toContainText("zarr-python reads Zarr v1 no more");
});

test("without a clipboard the text is there to be copied", async ({ viewer, page }) => {
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
  // Read back where the document's policy does not reach: pixels of the picture, and where it differs from paper.
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

test("what reading costs, by shapes and as measured", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices&select=4,:,:");
  const panel = page.getByRole("group", { name: "Reading" });
  await expect(panel).toContainText("Shown of it");
  await panel.getByRole("button", { name: "Measure reading" }).click();
  await expect(panel.getByRole("status")).toContainText(/\d+ requests? brought .+ for .+ 1; .+ for decoding/);
  await viewer.show("source=/stores/cube&select=2,:,:");
  expect(cubeValue([0, 0, 0])).toBe(-50);
  await expect(panel).toContainText("Chunks suit this view");
});
