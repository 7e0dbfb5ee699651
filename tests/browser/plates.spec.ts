// Plates: wells with all of their fields in common ranges; only wells in view are read.
import type { Page } from "@playwright/test";
import { fieldValue, type PlateFixture, plateObject } from "../shared/plates.js";
import { violations } from "./axe-rules.js";
import { expect, test } from "./site.js";
import { canvasPixel } from "./viewer-page.js";

/** Serves a plate. @returns the requested keys, and the greatest number of requests in flight */
async function serve(page: Page, plate: PlateFixture, isDamaged: (key: string) => boolean = () => false) {
  const seen = { keys: [] as string[], inFlight: 0, most: 0 };
  await page.route("**/made.zarr/**", async (route) => {
    const key = new URL(route.request().url()).pathname.split("/made.zarr/")[1]!;
    seen.keys.push(key);
    seen.most = Math.max(seen.most, ++seen.inFlight);
    const body = isDamaged(key) ? undefined : plateObject(plate, key);
    await route.fulfill(body ? { body: Buffer.from(body) } : { status: 404 });
    seen.inFlight--;
  });
  return seen;
}

const well = (page: Page, name: string) => page.getByRole("button", { name: `Well ${name}`, exact: true });
const rests = (page: Page, wells: number | RegExp) =>
  expect(page.locator(".zw-plate > [role=status]")).toContainText(
    typeof wells === "number" ? `${wells} wells in view.` : wells,
  );

/** The colour at the middle of a field in a grid of 3 × 3. */
async function colorOf(page: Page, name: string, field: number) {
  const canvas = well(page, name).locator("canvas");
  const { width, height } = (await canvas.boundingBox())!;
  const [row, column] = [Math.floor(field / 3), field % 3];
  return canvasPixel(canvas, { x: ((column + 0.5) / 3) * width, y: ((row + 0.5) / 3) * height });
}

test.use({ unfolded: false, viewport: { width: 1000, height: 760 } });
test.beforeEach(({ problems }) => {
  problems.expect(/404/);
});

test("wells show all fields in common ranges; unreadable ones are marked", async ({ viewer, page }) => {
  const plate = { rows: 3, columns: 4, fields: 9, empty: ["B/3"] };
  const isDamaged = (key: string) => key.startsWith("C/4/") || key.startsWith("A/2/3/");
  const { keys } = await serve(page, plate, isDamaged);
  await viewer.show("source=/made.zarr");
  await rests(page, 12);
  await rests(page, /2 of them could not be read in full/);
  await expect(well(page, "B3")).toHaveAttribute("data-read", "empty");
  await expect(well(page, "B3")).toHaveAccessibleDescription("Well B3, no images");
  await expect(well(page, "C4")).toHaveAttribute("data-read", "failed");
  await expect(well(page, "A2")).toHaveAttribute("data-read", "partial");
  await expect(well(page, "A2")).toHaveAccessibleDescription(/read in part: /);
  expect(await colorOf(page, "A2", 3)).not.toEqual([0, 0, 0, 255]);
  // Without green, blue shows the values of the first channel.
  await page.getByRole("checkbox", { name: "Show channel 2, actin" }).uncheck();
  await expect(page).toHaveURL(/channels=/);
  const read = keys.length;
  const all = Array.from({ length: 12 }, (_, i) => i).flatMap((i) => {
    const [row, column] = [Math.floor(i / 4), i % 4];
    if ((row === 1 && column === 2) || (row === 2 && column === 3)) return [];
    return Array.from({ length: 9 }, (_, field) =>
      row === 0 && column === 1 && field === 3 ? [] : [fieldValue(row, column, field)],
    ).flat();
  });
  const [low, high] = [Math.min(...all), Math.max(...all)];
  for (const [name, row, column, field] of [
    ["A1", 0, 0, 0],
    ["A1", 0, 0, 8],
    ["B2", 1, 1, 4],
    ["C3", 2, 2, 6],
  ] as const) {
    const expected = (255 * (fieldValue(row, column, field) - low)) / (high - low);
    await expect.poll(async () => (await colorOf(page, name, field))[1]).toBe(0);
    const [red, , blue] = await colorOf(page, name, field);
    expect(red).toBe(0);
    expect(Math.abs(blue! - expected), `${name} ${field}`).toBeLessThan(3);
  }
  // Limits and colours do not read again.
  const upper = page.getByRole("slider", { name: "Upper limit of channel 1, nuclei" });
  await upper.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("PageDown");
  await expect(page).toHaveURL(/channels=0%3A0000ff%3A\d|channels=0:0000ff:\d/);
  await expect(page.locator(".zw-legend")).toContainText("nuclei");
  expect(keys).toHaveLength(read);
  expect(await violations(page)).toEqual([]);
  // The link shows the same.
  await page.reload();
  await rests(page, 12);
  await expect(page.getByRole("checkbox", { name: "Show channel 2, actin" })).not.toBeChecked();
});

test("a click opens the field at the pointer, Enter the well, in the colours of the plate", async ({
  viewer,
  page,
}) => {
  await serve(page, { rows: 2, columns: 2, fields: 9 });
  await viewer.show("source=/made.zarr");
  await rests(page, 4);
  await page.getByRole("checkbox", { name: "Show channel 1, nuclei" }).uncheck();
  const box = (await well(page, "B1").boundingBox())!;
  await page.mouse.click(box.x + (box.width * 5) / 6, box.y + box.height / 2);
  await expect(page).toHaveURL(/path=B\/1\/5/);
  await viewer.reaches("ready");
  await expect(page.getByRole("checkbox", { name: "Show channel 1, nuclei" })).not.toBeChecked();
  await page.goBack();
  await rests(page, 4);
  await well(page, "A1").focus();
  await page.keyboard.press("ArrowRight");
  await expect(well(page, "A2")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/path=A\/2(&|$)/);
});

for (const [rows, columns] of [
  [16, 24],
  [32, 48],
] as const)
  test(`of ${rows * columns} wells of 9 fields, only those in view are read, coarsely`, async ({
    viewer,
    page,
  }) => {
    await page.setViewportSize({ width: 360, height: 460 });
    const seen = await serve(page, { rows, columns, fields: 9 });
    await viewer.show("source=/made.zarr&plate=size:88");
    await rests(page, /wells in view/);
    const chunks = seen.keys.filter((key) => key.includes("/c/"));
    const wells = new Set(seen.keys.map((key) => key.split("/").slice(0, 2).join("/")));
    expect(wells.size).toBeLessThan(40);
    expect(chunks.length).toBeLessThanOrEqual(wells.size * 18);
    expect(new Set(chunks.map((key) => key.split("/")[3]))).toEqual(new Set(["1"]));
    expect(seen.most).toBeLessThanOrEqual(24);
    // Small wells show their first field.
    seen.keys.length = 0;
    await viewer.open("source=/made.zarr&plate=size:24");
    await rests(page, /Enlarge the wells to see all 9/);
    expect(new Set(seen.keys.filter((key) => key.includes("/c/")).map((key) => key.split("/")[2]))).toEqual(
      new Set(["0"]),
    );
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });

test("acquisitions are chosen, and fields lie at their places on the stage", async ({ viewer, page }) => {
  const { keys } = await serve(page, { rows: 1, columns: 2, fields: 3, acquisitions: 2, isPlaced: true });
  await viewer.show("source=/made.zarr");
  await rests(page, 2);
  expect(new Set(keys.flatMap((key) => /^A\/1\/(\d)\/\d\/c/.exec(key)?.[1] ?? []))).toEqual(
    new Set(["0", "1", "2"]),
  );
  // In one row, from right to left.
  const box = (await well(page, "A1").boundingBox())!;
  await page.getByLabel("Acquisition").selectOption("1");
  await expect(page).toHaveURL(/acquisition:1/);
  await expect.poll(() => keys.filter((key) => /^A\/[12]\/[345]\/\d\/c/.test(key)).length).toBe(12);
  await rests(page, 2);
  await page.mouse.click(box.x + box.width / 6, box.y + box.height / 2);
  await expect(page).toHaveURL(/path=A\/1\/5/);
});

test("a phone shows a plate without overflow, and at most 16 controls", async ({ viewer, page }) => {
  await serve(page, { rows: 2, columns: 3, fields: 2 });
  await viewer.show("source=/made.zarr");
  await rests(page, 6);
  const controls = page
    .locator(".zw-main, .zw-side")
    .locator("button:not(.zw-well), input, select, summary, [role=slider]");
  const visible = await controls.evaluateAll(
    (all) => all.filter((one) => (one as HTMLElement).checkVisibility()).length,
  );
  expect(visible).toBeGreaterThan(5);
  expect(visible).toBeLessThanOrEqual(16);
  await page.setViewportSize({ width: 320, height: 600 });
  await rests(page, /wells? in view/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(await violations(page)).toEqual([]);
});
