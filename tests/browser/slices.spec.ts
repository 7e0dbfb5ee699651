// Navigation through slices: sliders, keys, playback; the profile under the pointer, and orthogonal planes.
import type { Locator, Page } from "@playwright/test";
import { gray } from "../shared/pixels.js";
import { volumeValue } from "../shared/viewer-images.js";
import { sliceValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { canvasPixel, serveSlices, settles } from "./viewer-page.js";

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

/** Box, position and pixels of a pane. */
class Pane {
  readonly box: Locator;
  readonly label: Locator;

  constructor(readonly frame: Locator) {
    this.box = frame.locator("> .zw-box");
    this.label = frame.locator(".zw-pane-label");
  }

  /** Rows and columns at the edges of the box. */
  async view(): Promise<[down: number[], across: number[]]> {
    const text = (await this.box.getAttribute("data-view"))!;
    return text.split(",").map((part) => part.split(":").map(Number)) as [number[], number[]];
  }

  /** Position of an element's centre in the box. */
  async placeOf(row: number, column: number): Promise<{ x: number; y: number }> {
    const [down, across] = await this.view();
    const { width, height } = (await this.box.boundingBox())!;
    const share = (at: number, [from, to]: number[]) => (at + 0.5 - from!) / (to! - from!);
    return { x: share(column, across) * width, y: share(row, down) * height };
  }

  /** Gray of an element at its centre. */
  async grayAt(row: number, column: number): Promise<number> {
    const canvas = this.box.locator("canvas").first();
    return (await canvasPixel(canvas, await this.placeOf(row, column)))[0]!;
  }

  /** CSS pixels per element, down and across. */
  async scales(): Promise<[down: number, across: number]> {
    const [down, across] = await this.view();
    const { width, height } = (await this.box.boundingBox())!;
    return [height / Math.abs(down[1]! - down[0]!), width / (across[1]! - across[0]!)];
  }
}

/** The picture and the planes beside and below it. */
const panesOf = (page: Page) => ({
  xy: new Pane(page.locator(".zw-view > .zw-frame:first-child")),
  xz: new Pane(page.locator(".zw-view > .zw-pane-xz")),
  yz: new Pane(page.locator(".zw-view > .zw-pane-yz")),
});

test("three planes at right angles in one grid, through one element", async ({ viewer, page }) => {
  await viewer.show("source=/stores/depths&map=gray&range=0:300&outside=clamp&select=4,:,:");
  await page.getByRole("radiogroup", { name: "View" }).getByText("Panes").click();
  const { xy, xz, yz } = panesOf(page);
  await expect(xz.label).toHaveText(/^y /);
  await expect(yz.label).toHaveText(/^x /);
  await xy.box.click({ position: await viewer.positionOf(5, 20) });
  await expect(page).toHaveURL(/index=,5,20/);
  await expect(page).toHaveURL(/planes=xy,xz,yz/);
  await expect.poll(() => xz.grayAt(2, 11)).toBe(gray(volumeValue([2, 5, 11]), 0, 300));
  await expect.poll(() => yz.grayAt(13, 8)).toBe(gray(volumeValue([8, 13, 20]), 0, 300));
  // A click in a pane moves the others.
  await yz.box.click({ position: await yz.placeOf(12, 1) });
  await expect(page).toHaveURL(/select=1,:,:/);
  await expect(page).toHaveURL(/index=,12,20/);
  await expect.poll(() => xz.grayAt(2, 11)).toBe(gray(volumeValue([2, 12, 11]), 0, 300));
  await page.getByRole("radiogroup", { name: "View" }).getByText("Plane", { exact: true }).click();
  await expect(page.locator(".zw-view > .zw-frame")).toHaveCount(1);
  await expect(page.locator(".zw-cross")).toHaveCount(0);
});

test("the crosshair is dragged", async ({ viewer, page }) => {
  await viewer.show("source=/stores/depths&select=3,:,:&index=,5,20&planes=xy,xz,yz");
  const { xy, xz } = panesOf(page);
  const drag = async (pane: Pane, from: readonly [number, number], to: readonly [number, number]) => {
    const { x, y } = (await pane.box.boundingBox())!;
    const [start, end] = [await pane.placeOf(...from), await pane.placeOf(...to)];
    await page.mouse.move(x + start.x, y + start.y);
    await page.mouse.down();
    await page.mouse.move(x + end.x, y + end.y, { steps: 3 });
    await page.mouse.up();
  };
  const before = await xy.view();
  await drag(xy, [5, 20], [11, 7]);
  await expect(page).toHaveURL(/index=,11,7/);
  const line = xz.frame.locator(".zw-cross-down");
  const left = () => line.evaluate((one: HTMLElement) => Number.parseFloat(one.style.left));
  await expect.poll(left).toBeCloseTo((await xz.placeOf(0, 7)).x, 0);
  // A line moves along one axis only.
  await drag(xz, [8, 7], [2, 15]);
  await expect(page).toHaveURL(/index=,11,15/);
  await expect(page).toHaveURL(/select=3,:,:/);
  expect(await xy.view()).toEqual(before);
});

test("panes share one zoom, and lengths along all axes are to scale", async ({ viewer, page }) => {
  // Voxels of 2 × 0.5 × 0.5 µm.
  await viewer.show("source=/stores/depths&select=4,:,:&planes=xy,xz,yz");
  await settles(page);
  const { xy, xz, yz } = panesOf(page);
  /** Each pane is drawn in its own frame. */
  const reachScale = (of: (x: number) => number) =>
    expect(async () => {
      const [[y, x], [z, x2], [y2, z2]] = [await xy.scales(), await xz.scales(), await yz.scales()];
      const expected = [of(x), x, x, 4 * x, 4 * x, x];
      for (const [i, scale] of [x, y, x2, z, z2, y2].entries()) expect(scale).toBeCloseTo(expected[i]!, 1);
    }).toPass();
  await reachScale((x) => x);
  const [, first] = await xy.scales();
  await xz.box.focus();
  await page.keyboard.press("+");
  await reachScale(() => 2 * first);
  await expect(page).toHaveURL(/at=/);
  // Moving along z moves the other pane with a z axis, and is part of the link.
  const { x, y } = (await xz.box.boundingBox())!;
  const at = async () => (await yz.view())[1][0]!;
  const moved = await at();
  await page.mouse.move(x + 20, y + 20);
  await page.mouse.down();
  await page.mouse.move(x + 20, y + 60, { steps: 4 });
  await page.mouse.up();
  await expect.poll(at).toBeCloseTo(moved - 40 / (8 * first), 1);
  const columns = (await xy.view())[1];
  expect((await xz.view())[1]).toEqual(columns);
  const [from, to] = (await yz.view())[1];
  const linked = () => Number(/at=[^,]+,[^,]+,[^,]+,([^,&]+)/.exec(page.url())?.[1]);
  await expect.poll(linked).toBeCloseTo((from! + to!) / 2, 1);
  const url = page.url();
  const there = await at();
  await page.goto("about:blank");
  await page.goto(url);
  await viewer.reaches("ready");
  await expect.poll(at).toBeCloseTo(there, 2);
});

test("keys of panes step and play slices, and choose the shown element", async ({ viewer, page }) => {
  await viewer.show("source=/stores/depths&select=4,:,:&planes=xy,xz,yz");
  const { yz } = panesOf(page);
  await yz.box.focus();
  await page.keyboard.press(".");
  await expect(page).toHaveURL(/select=5,:,:/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/select=0,:,:/);
});

test("the volume is a pane of the grid", async ({ viewer, page }) => {
  await viewer.show("source=/stores/depths&select=4,:,:&planes=xy,xz,yz,volume");
  const volume = page.locator(".zw-view > .zw-frame-volume");
  await expect(volume).toBeVisible();
  const [xz, yz, own] = [
    await page.locator(".zw-pane-xz").boundingBox(),
    await page.locator(".zw-pane-yz").boundingBox(),
    await volume.boundingBox(),
  ];
  expect(own!.x).toBeCloseTo(yz!.x, 0);
  expect(own!.y).toBeCloseTo(xz!.y, 0);
});

test("a scale bar, and panes that are stacked in narrow windows", async ({ viewer, page }) => {
  await viewer.show("source=/stores/depths");
  const bar = page.locator(".zw-scale-bar").first();
  await expect(bar).toHaveText(/^[125] µm$/);
  const micrometres = Number.parseFloat((await bar.textContent())!);
  const pixels = (await viewer.box.boundingBox())!.width / (await viewer.seen()).columns;
  expect((await bar.locator("i").boundingBox())!.width).toBeCloseTo((micrometres / 0.5) * pixels, 0);
  await page.setViewportSize({ width: 390, height: 844 });
  await viewer.change("source=/stores/depths&select=4,:,:&planes=xy,xz,yz");
  const frames = page.locator(".zw-view > .zw-frame");
  await expect(frames).toHaveCount(3);
  const boxes = await frames.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  const [first, second, third] = boxes as [DOMRect, DOMRect, DOMRect];
  expect(second.top).toBeGreaterThanOrEqual(first.bottom - 1);
  expect(third.top).toBeGreaterThanOrEqual(second.bottom - 1);
  for (const { width } of boxes) expect(width).toBeGreaterThan(370);
});

test("slices that pass are drafts; at rest, the picture is the same as after opening it", async ({
  viewer,
  page,
}) => {
  const side = 1024;
  const pattern = Uint8Array.from({ length: side * side }, (_, i) => ((i * 2654435761) >>> 7) % 16);
  const names = { dimension_names: ["z", "y", "x"] };
  await serveSlices(page, [24, side, side], names, (z) => pattern.map((value) => value + 10 * z));
  const address = (z: number) => `source=/sampled&select=${z},:,:&map=gray&range=0:256`;
  const picture = () =>
    viewer.box.locator(".zw-canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  await viewer.show(address(20));
  const opened = await picture();
  await viewer.show(address(0));
  const slider = page.getByLabel("z", { exact: true });
  const drafts = await slider.evaluate(async (input: HTMLInputElement) => {
    const { putImageData } = CanvasRenderingContext2D.prototype;
    let count = 0;
    CanvasRenderingContext2D.prototype.putImageData = function (
      this: CanvasRenderingContext2D,
      ...given: Parameters<typeof putImageData>
    ) {
      if (this.canvas.classList.contains("zw-canvas")) count++;
      putImageData.apply(this, given);
    } as typeof putImageData;
    const show = async (z: number) => {
      input.value = String(z);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    for (let z = 1; z <= 20 || (count === 0 && z < 500); z++) await show(z % 24);
    await show(20);
    return count;
  });
  expect(drafts).toBeGreaterThan(0);
  await viewer.reaches("ready");
  await expect(page.getByLabel("Index along z", { exact: true })).toHaveValue("20");
  expect(await picture()).toBe(opened);
});

test("axes of one element without a coordinate have no slider", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await viewer.show("source=/layers/spatial.zarr&path=images/picture");
  await settles(page);
  await expect(page.getByLabel("Colour map")).toBeVisible();
  await expect(page.getByLabel("Index along c")).toBeHidden();
  await expect(page.getByRole("slider", { name: "c", exact: true })).toHaveCount(0);
});
