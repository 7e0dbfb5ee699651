// Tools over the picture: move, zoom into a rectangle, pick, measure; by pointer and by keyboard.
import type { Page } from "@playwright/test";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { sliceValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { canvasPixel, type ViewerPage } from "./viewer-page.js";

const slices = "source=/stores/slices&select=4,:,:&map=gray&range=0:256";

/** Drags from an element's centre to another's. */
async function drag(
  viewer: ViewerPage,
  page: Page,
  [from, to]: readonly (readonly [row: number, column: number])[],
  isReleased = true,
): Promise<void> {
  const box = (await viewer.box.boundingBox())!;
  const at = async ([row, column]: readonly [number, number]) => {
    const { x, y } = await viewer.positionOf(row, column);
    await page.mouse.move(box.x + x, box.y + y, { steps: 4 });
  };
  await at(from!);
  await page.mouse.down();
  await at(to!);
  if (isReleased) await page.mouse.up();
}

const click = async (viewer: ViewerPage, row: number, column: number) =>
  viewer.box.click({ position: await viewer.positionOf(row, column) });

test("a group of buttons and keys choose the tool, which the address holds", async ({ viewer, page }) => {
  await viewer.show(slices);
  const group = page.getByRole("radiogroup", { name: "Tool" });
  const tool = (name: string) => group.getByRole("radio", { name });
  await expect(tool("Move")).toBeChecked();
  await tool("Measure").check({ force: true });
  await expect(page).toHaveURL(/tool=measure/);
  await tool("Measure").press("ArrowLeft");
  await expect(tool("Pick")).toBeChecked();
  await viewer.box.focus();
  for (const [key, name, text] of [
    ["z", "Zoom", "zoom"],
    ["p", "Pick", "pick"],
    ["m", "Measure", "measure"],
    ["h", "Move", undefined],
  ] as const) {
    await page.keyboard.press(key);
    await expect(tool(name)).toBeChecked();
    if (text) await expect(page).toHaveURL(new RegExp(`tool=${text}`));
    else await expect(page).not.toHaveURL(/tool=/);
  }
  await viewer.show(`${slices}&tool=pick`);
  await expect(tool("Pick")).toBeChecked();
  await page.keyboard.press("Tab");
  await viewer.box.focus();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("Measure a distance");
});

test("the zoom tool takes a drag, two clicks, or Enter at two elements", async ({ viewer, page }) => {
  await viewer.show(`${slices}&tool=zoom`);
  const marked = page.locator(".zw-view .zw-mark");
  const isZoomed = () => expect(page).toHaveURL(/select=4,10:30,20:50/);
  const back = async () => {
    await page.keyboard.press("0");
    await expect(page).not.toHaveURL(/:30/);
    await expect.poll(async () => (await viewer.seen()).rows).toBeGreaterThanOrEqual(64);
  };
  await viewer.box.focus();
  await drag(viewer, page, [
    [10, 20],
    [29, 49],
  ]);
  await isZoomed();
  await back();
  await click(viewer, 10, 20);
  await viewer.pointAt(29, 49);
  await expect(marked).toBeVisible();
  await click(viewer, 29, 49);
  await isZoomed();
  await expect(marked).toBeHidden();
  await back();
  await viewer.pointAt(10, 20);
  await page.keyboard.press("Enter");
  await page.keyboard.press("PageDown");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  for (let i = 0; i < 2; i++) await page.keyboard.press("Shift+ArrowRight");
  for (let i = 0; i < 9; i++) await page.keyboard.press("ArrowRight");
  await expect(marked).toBeVisible();
  await page.keyboard.press("Enter");
  await isZoomed();
  await back();
  // Escape cancels a drag.
  await drag(
    viewer,
    page,
    [
      [10, 20],
      [29, 49],
    ],
    false,
  );
  await page.keyboard.press("Escape");
  await expect(marked).toBeHidden();
  await page.mouse.up();
  await expect(page).not.toHaveURL(/:30/);
  // Two clicks in the same place do not zoom into a single element.
  await click(viewer, 10, 20);
  await click(viewer, 10, 20);
  await expect(marked).toBeHidden();
  await expect(page).not.toHaveURL(/:11/);
});

test("the measured distance stays over the picture, also while it moves, until it is cleared", async ({
  viewer,
  page,
}) => {
  await viewer.show("source=/stores/depths&select=4,:,:&tool=measure");
  const label = page.locator(".zw-view .zw-measure");
  await expect(page.getByRole("radio", { name: "Measure" })).toBeChecked();
  // Loaded with the first picture that needs it.
  await expect(page.locator(".zw-view .zw-measure")).toHaveCount(1);
  await drag(viewer, page, [
    [2, 3],
    [8, 11],
  ]);
  await expect(label).toHaveText(/^5 µm · 10 px/);
  const line = page.locator(".zw-view .zw-measure-line");
  await expect(line).toBeVisible();
  const place = async () => (await label.boundingBox())!.x;
  const before = await place();
  await viewer.box.focus();
  await page.keyboard.press("h");
  await drag(viewer, page, [
    [2, 3],
    [2, 6],
  ]);
  await expect.poll(place).toBeGreaterThan(before + 20);
  await expect(label).toHaveText(/^5 µm · 10 px/);
  await page.keyboard.press("."); // another slice
  await expect(label).toBeVisible();
  // Other axes have other distances.
  await viewer.choose("Rows", "z");
  await expect(label).toBeHidden();
  // By keyboard.
  await page.keyboard.press("0");
  await viewer.box.focus();
  await page.keyboard.press("m");
  await viewer.pointAt(2, 3);
  await page.keyboard.press("Enter");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  await expect(label).toHaveText(/^6 µm · 3 px/);
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await expect(label).toHaveText(/^6 µm · 3 px/);
  await label.getByRole("button", { name: "Clear the measurement" }).click();
  await expect(label).toBeHidden();
  // Two clicks.
  await click(viewer, 1, 3);
  await viewer.pointAt(1, 6);
  await expect(label).toHaveText(/^1.5 µm · 3 px/);
  await click(viewer, 1, 5);
  await viewer.pointAt(3, 9);
  await expect(label).toHaveText(/^1 µm · 2 px/);
  await page.keyboard.press("Escape");
  await expect(label).toBeHidden();
});

test("distances on maps follow great circles", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await viewer.show("source=/stores/weather&path=t2m&select=2,:,:&tool=measure");
  await expect(page.locator(".zw-view .zw-measure")).toHaveCount(1);
  // 55° N, 155° W to 55° N, 25° W: over the north, by a third of the way round that parallel.
  await drag(viewer, page, [
    [14, 2],
    [14, 15],
  ]);
  await expect(page.locator(".zw-view .zw-measure")).toHaveText(/^69\d\d km/);
});

test("a measured line over the edge of a map goes on at the other edge", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  await viewer.show("source=/stores/weather&path=t2m&select=2,:,:&tool=measure");
  await expect(page.locator(".zw-view .zw-measure")).toHaveCount(1);
  // 55° N, 155° W to 55° N, 155° E.
  await drag(viewer, page, [
    [14, 2],
    [14, 33],
  ]);
  const label = page.locator(".zw-view .zw-measure");
  await expect(label).toHaveText(/^31\d\d km/);
  const line = page.locator(".zw-view .zw-measure-line");
  for (const column of [2, 33]) {
    const at = await viewer.positionOf(14, column);
    // The circle around an end.
    expect((await canvasPixel(line, { x: at.x + 4, y: at.y }))[3]).toBeGreaterThan(200);
  }
  const end = await viewer.positionOf(14, 33);
  const [box, text] = [(await viewer.box.boundingBox())!, (await label.boundingBox())!];
  expect(text.x - box.x).toBeGreaterThan(end.x - text.width);
});

test("a picked element is followed through the slices, and reported", async ({ page, site }) => {
  await page.goto(`${site}/pages/blank.html`);
  await page.evaluate(() => {
    document.body.innerHTML = `<zarr-viewer src="/stores/slices" select="4,:,:" controls="minimal"></zarr-viewer>`;
    const heard: unknown[] = [];
    Object.assign(globalThis, { heard });
    document
      .querySelector("zarr-viewer")!
      .addEventListener("pointer", (event) => heard.push((event as CustomEvent).detail));
  });
  await page.addScriptTag({ url: "/viewer/viewer.min.js", type: "module" });
  const viewer = page.locator("zarr-viewer");
  await expect(viewer.locator(".zw-viewer")).toHaveAttribute("data-state", "ready");
  await viewer.evaluate((one) => {
    (one as ZarrViewerElement).tool = "pick";
  });
  const box = viewer.locator(".zw-box");
  await expect(box).toHaveAttribute("data-tool", "pick");
  const view = (await box.getAttribute("data-view"))!.split(",").map((part) => part.split(":").map(Number));
  const { width, height } = (await box.locator(".zw-canvas").boundingBox())!;
  const share = (at: number, [from, to]: number[]) => (at + 0.5 - from!) / (to! - from!);
  const position = { x: share(20, view[1]!) * width, y: share(10, view[0]!) * height };
  await box.click({ position });
  const last = () => page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard.at(-1));
  await expect
    .poll(last)
    .toMatchObject({ index: [4, 10, 20], values: [sliceValue([4, 10, 20])], by: "pick" });
  const readout = viewer.locator(".zw-readout");
  await box.hover({ position: { x: 5, y: 5 } });
  await expect(readout).toContainText("[4, 10, 20]");
  await box.focus();
  await page.keyboard.press(".");
  await expect
    .poll(last)
    .toMatchObject({ index: [5, 10, 20], values: [sliceValue([5, 10, 20])], by: "pick" });
  await page.keyboard.press("Escape");
  await box.hover({ position: { x: position.x + 4, y: position.y } });
  await expect.poll(last).toMatchObject({ by: "pointer" });
});
