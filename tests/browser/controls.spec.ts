// Controls, pointer and address: the user's choices are drawn.

import { grayTable } from "../shared/pixels.js";
import { byteValue, cubeValue, largeValue, sliceValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { holdBack, ViewerPage } from "./viewer-page.js";

const range = [-64, 448] as const;
const cube = `source=/stores/cube&map=gray&range=${range.join(":")}`;

test("choosing axes and indices", async ({ viewer }) => {
  await viewer.show(`${cube}&select=1,:,:`);
  await viewer.showsGray(grayTable(5, 6, range, (y, x) => cubeValue([1, y, x])));
  await viewer.choose("Rows", "axis 0");
  await viewer.enter("Index along axis 1", 4);
  await viewer.showsGray(grayTable(4, 6, range, (z, x) => cubeValue([z, 4, x])));
  await viewer.choose("Columns", "axis 1");
  await viewer.slide("axis 2", 5);
  await viewer.showsGray(grayTable(4, 5, range, (z, y) => cubeValue([z, y, 5])));
  await viewer.page.getByRole("button", { name: "Swap rows and columns" }).click();
  await viewer.showsGray(grayTable(5, 4, range, (y, z) => cubeValue([z, y, 5])));
  await viewer.choose("Rows", "axis 0");
  await viewer.showsGray(grayTable(4, 5, range, (z, y) => cubeValue([z, y, 5])));
});

test("value and index under the pointer are shown, also when transposed", async ({ viewer }) => {
  await viewer.show(`${cube}&select=2,:,:`);
  await viewer.pointAt(3, 5);
  await expect(viewer.readout).toHaveText(/^\[2, 3, 5\]\s*185 K$/);
  await viewer.show(`${cube}&axes=2,0&select=:,1,:`);
  await viewer.pointAt(4, 3);
  await expect(viewer.readout).toHaveText(/^\[3, 1, 4\]\s*264 K$/);
  await viewer.page.mouse.move(2, 2);
  await expect(viewer.readout).toContainText("Point at the picture");
});

test("choosing a colour map", async ({ viewer }) => {
  await viewer.show(`source=/stores/cube&select=0,:,:&map=gray&scope=slice`);
  const corners = async () => {
    const { data } = await viewer.pixels();
    return [data.subarray(0, 4).toString("hex"), data.subarray(-4).toString("hex")];
  };
  expect(await corners()).toEqual(["000000ff", "ffffffff"]);
  for (const [name, low, high] of [
    ["viridis", "440154ff", "fde725ff"],
    ["magma", "000004ff", "fcfdbfff"],
    ["turbo", "30123bff", "7a0403ff"],
  ] as const) {
    await viewer.choose("Colour map", name);
    await expect.poll(corners).toEqual([low, high]);
  }
});

test("choosing a value range", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices&select=0,:,:&map=gray&scope=slice&outside=clamp");
  await viewer.choose("Value range", "Manual");
  await viewer.enter("Lowest value", 0);
  await viewer.enter("Highest value", 64);
  const rows = (low: number, high: number) => grayTable(64, 64, [low, high], (y, x) => sliceValue([0, y, x]));
  await viewer.showsGray(rows(0, 64));
  await viewer.enter("Lowest value", 32);
  await viewer.showsGray(rows(32, 64));
  await viewer.choose("Value range", "1st to 99th percentile");
  await expect(page.getByLabel("Lowest value")).toHaveValue("8");
  await expect(page.getByLabel("Highest value")).toHaveValue("118");
});

test("zooming into a rectangle, by numbers, by buttons, and back", async ({ viewer, page }) => {
  const rows = (top: number, left: number, height: number, width: number) =>
    grayTable(height, width, [0, 256], (row, column) => byteValue([top + row, left + column]));
  await viewer.show("source=/stores/bytes&map=gray&range=0:256");
  const box = (await viewer.box.locator(".zw-canvas").boundingBox())!;
  const [from, to] = [await viewer.positionOf(1, 2), await viewer.positionOf(2, 3)];
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + from.x, box.y + from.y);
  await page.mouse.down();
  await page.mouse.move(box.x + to.x, box.y + to.y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect(page).toHaveURL(/select=1:3,2:4/);
  await viewer.showsGray(rows(1, 2, 2, 2), { row: 1, column: 2 });
  // Two rows of whole pixels fill the frame.
  const height = Math.round(box.height);
  await expect.poll(async () => (await viewer.seen()).rows).toBeCloseTo(height / Math.floor(height / 2), 3);
  await viewer.pointAt(2, 3);
  await expect(viewer.readout).toHaveText(new RegExp(`^\\[2, 3\\]\\s*${byteValue([2, 3])}$`));
  await page.getByRole("button", { name: "Whole slice" }).click();
  await viewer.showsGray(rows(0, 0, 5, 7));
  expect(page.url()).not.toContain("select=");
});

test("the numbers show the visible part, and change it", async ({ viewer, page }) => {
  await viewer.show("source=/stores/large&select=1000:1400,:");
  await expect(page.getByLabel("First index shown along axis 1")).toHaveValue("0");
  await viewer.enter("First index shown along axis 1", 1000);
  await viewer.enter("Last index shown along axis 1", 1099);
  await expect(page).toHaveURL(/select=1000:1400,1000:1100/);
  const seen = await viewer.seen();
  expect(seen.top).toBeLessThanOrEqual(1000);
  expect(seen.top + seen.rows).toBeGreaterThanOrEqual(1400);
  // Elements begin at whole pixels: the centre is off by at most half a pixel.
  const perElement = (await viewer.box.boundingBox())!.width / seen.columns;
  expect(Math.abs(seen.left + seen.columns / 2 - 1050) * perElement).toBeLessThanOrEqual(0.5 + 1e-6);
});

test("dragging moves the picture, the wheel and a double click zoom about the pointer", async ({
  viewer,
  page,
}) => {
  await viewer.show("source=/stores/large&map=gray&range=0:256&at=2000,1000,2");
  const before = await viewer.seen();
  const box = (await viewer.box.boundingBox())!;
  await page.mouse.move(box.x + 400, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 240, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => (await viewer.seen()).left - before.left).toBeCloseTo(50, 1);
  expect((await viewer.seen()).top - before.top).toBeCloseTo(30, 1);
  await expect(page).toHaveURL(/at=2030,1050,2/);
  const element = async () => {
    const { top, left, rows, columns } = await viewer.seen();
    return [top + (rows * 240) / box.height, left + (columns * 300) / box.width];
  };
  const under = await element();
  await page.mouse.wheel(0, -300);
  await expect.poll(async () => (await viewer.seen()).rows).toBeLessThan(before.rows / 1.5);
  for (const [i, at] of (await element()).entries()) expect(Math.abs(at - under[i]!)).toBeLessThan(0.3);
  const rows = (await viewer.seen()).rows;
  await page.mouse.dblclick(box.x + 300, box.y + 240);
  await expect.poll(async () => (await viewer.seen()).rows).toBeCloseTo(rows / 2, 1);
  for (const [i, at] of (await element()).entries()) expect(Math.abs(at - under[i]!)).toBeLessThan(0.3);
  await viewer.reaches("ready");
  const [row, column] = under.map(Math.floor);
  await viewer.showsGray([[largeValue([row!, column!])]], { row: row!, column: column! });
});

test("two fingers pinch and move", async ({ viewer }) => {
  await viewer.show("source=/stores/large&at=2000,1000,2");
  const before = await viewer.seen();
  await viewer.box.evaluate((box) => {
    const { left, top } = box.getBoundingClientRect();
    const say = (type: string, pointerId: number, x: number, y: number) =>
      box.dispatchEvent(
        new PointerEvent(type, {
          pointerId,
          pointerType: "touch",
          clientX: left + x,
          clientY: top + y,
          bubbles: true,
        }),
      );
    box.setPointerCapture = () => {};
    say("pointerdown", 1, 300, 200);
    say("pointerdown", 2, 400, 200);
    for (let i = 1; i <= 10; i++) {
      say("pointermove", 1, 300 - 5 * i, 200);
      say("pointermove", 2, 400 + 5 * i, 200);
    }
    say("pointerup", 1, 250, 200);
    say("pointerup", 2, 450, 200);
  });
  await expect.poll(async () => (await viewer.seen()).columns).toBeCloseTo(before.columns / 2, 3);
  // The point between the fingers stays in place.
  const box = (await viewer.box.boundingBox())!;
  const at = ({ left, columns }: { left: number; columns: number }) => left + (columns * 350) / box.width;
  expect(at(await viewer.seen())).toBeCloseTo(at(before), 3);
});

test("the view is in the address: it can be shared, and the history returns to it", async ({
  viewer,
  page,
  context,
}) => {
  await viewer.show(`${cube}&select=1,:,:`);
  await viewer.choose("Rows", "axis 0");
  await viewer.enter("Index along axis 1", 3);
  const slice = grayTable(4, 6, range, (z, x) => cubeValue([z, 3, x]));
  await viewer.showsGray(slice);
  const hex = async (shown: ViewerPage) => (await shown.pixels()).data.toString("hex");
  const gray = await hex(viewer);
  await viewer.choose("Colour map", "turbo");
  await expect.poll(() => hex(viewer)).not.toBe(gray);
  const view = "axes=0,2&select=:,3,:&map=turbo&range=-64:448";
  await page.waitForURL((url) => url.search.includes(view));
  const shared = page.url();
  const pixels = await hex(viewer);

  await page.goBack();
  await expect(page.getByLabel("Colour map")).toHaveValue("gray");
  await viewer.showsGray(slice);
  await page.goBack();
  await page.goBack();
  await viewer.showsGray(grayTable(5, 6, range, (y, x) => cubeValue([1, y, x])));
  await page.goForward();
  await expect(page.getByLabel("Rows", { exact: true })).toHaveValue("0");

  const other = await context.newPage();
  await other.goto(shared);
  await expect(other.locator(".zw-viewer")).toHaveAttribute("data-state", "ready");
  await expect(other.getByLabel("Index along axis 1")).toHaveValue("3");
  const otherViewer = new ViewerPage(other, viewer.site);
  await expect.poll(() => hex(otherViewer)).toBe(pixels);
});

test("opening another array and returning", async ({ viewer, page }) => {
  await viewer.show("source=/stores/bytes&map=magma");
  await page.getByLabel("Address of a Zarr array").fill("/stores/mask");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await expect(page.getByRole("heading", { level: 2, name: "mask" })).toBeVisible();
  await viewer.reaches("ready");
  expect(new URL(page.url()).search).toBe("?source=/stores/mask");
  await page.goBack();
  await expect(page.getByRole("heading", { level: 2, name: "bytes" })).toBeVisible();
  await expect(page.getByLabel("Colour map")).toHaveValue("magma");
});

test("settings that do not fit the array are replaced", async ({ viewer, page, problems }) => {
  problems.expect(/cannot be used/);
  await viewer.show("source=/stores/cube&axes=0,7&select=99,x,5:2&map=rainbow&range=low:high&field=q");
  await viewer.reaches("ready");
  await expect(page.getByLabel("Index along axis 0")).toHaveValue("3");
  await expect(page.getByLabel("Colour map")).toHaveValue("viridis");
});

test("a Zarr v1 array of ambiguous order can be read in both orders", async ({ viewer, page }) => {
  await viewer.show("source=/examples/writer-order.zarr&map=gray");
  const before = (await viewer.pixels()).data.toString("hex");
  await page.getByRole("button", { name: "Read in C order" }).click();
  await expect(page.getByLabel("Read chunks in C order")).toBeChecked();
  await viewer.reaches("ready");
  expect((await viewer.pixels()).data.toString("hex")).not.toBe(before);
  expect(page.url()).toContain("order=writer");
  await page.goBack();
  await expect(page.getByLabel("Read chunks in C order")).not.toBeChecked();
  await viewer.reaches("ready");
  expect((await viewer.pixels()).data.toString("hex")).toBe(before);
});

test("the picture keeps its size when the panels arrive after it", async ({ viewer, page }) => {
  const { release } = await holdBack(page, /side-panels/);
  await viewer.show("source=/stores/large&at=2000,1000,2");
  const before = await viewer.box.boundingBox();
  release();
  await expect(page.getByLabel("Colour map", { exact: true })).toBeVisible();
  expect(await viewer.box.boundingBox()).toEqual(before);
});
