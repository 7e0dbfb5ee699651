// Navigation through slices: sliders, keys, playback; the profile under the pointer, and orthogonal planes.
import { gray } from "../shared/pixels.js";
import { volumeValue } from "../shared/viewer-images.js";
import { sliceValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";

test("slices are played, and read before they are shown", async ({ viewer, page }) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    const match = /slices\/(\d+)\.0\.0$/.exec(request.url());
    if (match) asked.push(match[1]!);
  });
  await viewer.show("source=/stores/slices&select=0,:,:&map=gray&range=0:256&fps=10");
  expect(asked).toEqual(["0"]);
  await page.getByRole("button", { name: "Play along axis 0" }).click();
  await expect.poll(() => asked.length).toBe(9);
  const stop = page.getByRole("button", { name: "Stop playing along axis 0" });
  const index = page.getByLabel("Index along axis 0", { exact: true });
  await expect(index).toHaveValue("5");
  // Three slices ahead of the current one.
  expect(asked.slice(0, 9)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
  await stop.click();
  await expect(page.getByRole("button", { name: "Play along axis 0" })).toBeVisible();
  const at = Number(await index.inputValue());
  await viewer.reaches("ready");
  await expect.poll(async () => (await viewer.pixels([0, 1], [0, 1])).data[0]).toBe(sliceValue([at, 0, 0]));
  await page.waitForTimeout(400);
  await expect(index).toHaveValue(String(at));
  // The middle slice is the default.
  const middle = 4;
  await expect(page).toHaveURL(at === middle ? /slices&range=0:256&fps=10$/ : new RegExp(`select=${at},:,:`));
});

test("keys step through the slices and play them", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices&select=7,:,:&map=gray&range=0:256");
  const index = page.getByLabel("Index along axis 0", { exact: true });
  await viewer.box.focus();
  await page.keyboard.press(".");
  await expect(index).toHaveValue("8");
  await page.keyboard.press(".");
  await expect(index).toHaveValue("0");
  await page.keyboard.press(",");
  await page.keyboard.press(",");
  await expect(index).toHaveValue("7");
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Stop playing along axis 0" })).toBeVisible();
  await expect(index).not.toHaveValue("7");
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Play along axis 0" })).toBeVisible();
});

test("the line through the element under the pointer", async ({ viewer, page }) => {
  await viewer.show("source=/stores/depths");
  await viewer.choose("Line under the pointer along", "z");
  const profile = page.locator(".zw-beside-line");
  // The picture makes room for the profile.
  await expect(async () => {
    await viewer.pointAt(7, 11);
    await expect(profile.locator("h3")).toHaveText("Along z at [:, 7, 11]", { timeout: 1000 });
  }).toPass();
  await expect(page).toHaveURL(/profile=0/);
  const box = profile.locator(".zw-box");
  await expect(box).toHaveAttribute("aria-label", /^Plot of a line of 10 elements/);
  // The readout also follows the pointer over the profile.
  await box.scrollIntoViewIfNeeded();
  const { width, height } = (await box.boundingBox())!;
  await box.hover({ position: { x: (3.5 / 10) * width, y: height / 2 } });
  await expect(viewer.readout).toContainText("[3, 7, 11]");
  await expect(viewer.readout).toContainText(String(volumeValue([3, 7, 11])));
  await viewer.choose("Line under the pointer along", "None");
  await expect(profile).toHaveCount(0);
});

test("three planes at right angles, through a clicked element", async ({ viewer, page }) => {
  await viewer.show("source=/stores/depths&map=gray&range=0:300&outside=clamp&select=4,:,:");
  await viewer.choose("Planes at right angles, through", "z");
  const sides = page.locator(".zw-beside-image");
  await expect(sides.locator("h3")).toHaveText(["At y 9", "At x 14"]);
  await expect(page.locator(".zw-view .zw-cross:visible")).toHaveCount(2); // before anything else is drawn
  const main = page.locator(".zw-view .zw-box");
  await main.click({ position: await viewer.positionOf(5, 20) });
  await expect(sides.locator("h3")).toHaveText(["At y 5", "At x 20"]);
  await expect(page).toHaveURL(/depth=0/);
  /** Gray of an element of a side plane, at its centre. */
  const grayAt = (side: number, row: number, column: number) =>
    sides.nth(side).evaluate(
      (section, [row, column]) => {
        const canvas = section.querySelector("canvas.zw-canvas") as HTMLCanvasElement;
        const [down, across] = section
          .querySelector<HTMLElement>(".zw-box")!
          .dataset["view"]!.split(",")
          .map((text) => text.split(":").map(Number));
        const copy = Object.assign(document.createElement("canvas"), {
          width: canvas.width,
          height: canvas.height,
        });
        const context = copy.getContext("2d")!;
        context.drawImage(canvas, 0, 0);
        const share = (at: number, [from, to]: number[]) => (at + 0.5 - from!) / (to! - from!);
        return context.getImageData(
          share(column!, across!) * copy.width,
          share(row!, down!) * copy.height,
          1,
          1,
        ).data[0];
      },
      [row, column],
    );
  await expect.poll(() => grayAt(0, 2, 11)).toBe(gray(volumeValue([2, 5, 11]), 0, 300));
  await expect.poll(() => grayAt(1, 13, 8)).toBe(gray(volumeValue([8, 13, 20]), 0, 300));
  // A click on a side plane chooses the plane of the picture.
  const box = sides.nth(1).locator(".zw-box");
  await box.scrollIntoViewIfNeeded();
  const view = (await box.getAttribute("data-view"))!.split(",").map((text) => text.split(":").map(Number));
  const { width, height } = (await box.boundingBox())!;
  const place = (at: number, [from, to]: number[], size: number) =>
    ((at + 0.5 - from!) / (to! - from!)) * size;
  await box.click({ position: { x: place(1, view[1]!, width), y: place(12, view[0]!, height) } });
  await expect(page).toHaveURL(/select=1,:,:/);
  await expect(sides.locator("h3")).toHaveText(["At y 12", "At x 20"]);
});

test("a scale bar", async ({ viewer, page }) => {
  await viewer.show("source=/stores/depths");
  const bar = page.locator(".zw-scale-bar").first();
  await expect(bar).toHaveText(/^[125] µm$/);
  const micrometres = Number.parseFloat((await bar.textContent())!);
  const { columns } = await viewer.seen();
  const pixels = (await viewer.box.boundingBox())!.width / columns;
  expect((await bar.locator("i").boundingBox())!.width).toBeCloseTo((micrometres / 0.5) * pixels, 0);
});
