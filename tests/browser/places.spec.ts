// Every kind of node opens as a picture, a grid or a tree, and can be left again.
import type { Page } from "@playwright/test";
import { grayTable } from "../shared/pixels.js";
import { folderArchiveName, imageValue, packed, packedName } from "../shared/viewer-groups.js";
import { groupValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { canvasPixel, type ViewerPage } from "./viewer-page.js";

const tree = (page: Page) => page.locator(".zw-tree");
const crumbs = (page: Page) => page.getByRole("navigation", { name: "Breadcrumb" });
const value = imageValue(0);

test.beforeEach(({ problems }) => {
  problems.expect(/404/); // probed documents that are missing
});

test("a multiscale image of any version, the finest level that the view needs", async ({ viewer }) => {
  await viewer.show("source=/stores/bytes");
  for (const name of ["image.zarr", "image-v2.zarr", "image-0.6.zarr", packedName, folderArchiveName]) {
    await viewer.change(`source=/groups/${name}&map=gray&range=0:256`);
    await viewer.showsGray(grayTable(32, 32, [0, 256], value));
    await viewer.pointAt(3, 5);
    await expect(viewer.readout).toContainText("y 1.5 µm · x 2.5 µm");
    await expect(viewer.error).toHaveCount(0);
  }
});

test("bioformats2raw opens its first image, the others are a click away; back leads back", async ({
  viewer,
  page,
}) => {
  await viewer.show("source=/groups/converted.zarr");
  const images = page.getByRole("region", { name: "Images" });
  await images.getByRole("button", { name: "1" }).click();
  await expect(page).toHaveURL(/path=1/);
  await viewer.reaches("ready");
  await expect(crumbs(page)).toContainText("converted.zarr");
  await page.goBack();
  await expect(page).not.toHaveURL(/path=1/);
  await viewer.reaches("ready");
  await expect(crumbs(page).getByText("0", { exact: true })).toBeVisible();
});

test("a plate is a grid of wells, a well shows its first field", async ({ viewer, page }) => {
  await viewer.show("source=/groups/plate.zarr");
  await expect(page.getByRole("button", { name: /^Well / })).toHaveCount(2);
  await page.getByRole("button", { name: "Well B2" }).click();
  await viewer.reaches("ready");
  await expect(page.getByRole("region", { name: "Fields of view" }).getByRole("button")).toHaveText([
    "0",
    "1",
  ]);
  await expect(viewer.box).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("button", { name: "Well A1" })).toBeVisible();
});

test("all wells of a plate show all fields, or the chosen one", async ({ viewer, page }) => {
  const read: string[] = [];
  page.on("request", (request) => {
    const [, field] = /plate\.zarr\/(\w\/\d\/\d)\/\d+\/\d/.exec(request.url()) ?? [];
    if (field) read.push(field);
  });
  await viewer.show("source=/groups/plate.zarr");
  await expect(page.locator(".zw-well canvas")).toHaveCount(2);
  await expect(page.getByText("2 wells in view.")).toBeVisible();
  expect(new Set(read)).toEqual(new Set(["A/1/0", "B/2/0", "A/1/1", "B/2/1"]));
  await page.getByLabel("Field of view").selectOption("2");
  // The link keeps the choice.
  await expect(page).toHaveURL(/plate=field:1(&|$)/);
  read.length = 0;
  await page.reload();
  await expect(page.getByLabel("Field of view")).toHaveValue("1");
  await expect(page.getByText("2 wells in view.")).toBeVisible();
  expect(new Set(read)).toEqual(new Set(["A/1/1", "B/2/1"]));
});

test("wells have small pictures of their coarsest level, once they are in view", async ({ viewer, page }) => {
  const read: string[] = [];
  page.on("request", (request) => {
    const [, chunk] = /plate\.zarr\/(.*\/\d+\/\d+\.\d+)$/.exec(request.url()) ?? [];
    if (chunk) read.push(chunk);
  });
  await page.setViewportSize({ width: 900, height: 120 });
  await viewer.show("source=/groups/plate.zarr&plate=field:0");
  const pictures = page.locator(".zw-well canvas");
  await expect(page.getByRole("button", { name: "Well A1" })).toBeAttached();
  await expect(pictures).toHaveCount(0);
  await page.setViewportSize({ width: 900, height: 800 });
  await expect(pictures).toHaveCount(2);
  await expect(page.getByText("2 wells in view.")).toBeVisible();
  // Levels of 32, 16 and 8 elements: none reaches the size of a well.
  expect(new Set(read.map((chunk) => chunk.slice(0, -3)))).toEqual(new Set(["A/1/0/0/", "B/2/0/0/"]));
  // Values from 0 to 255 cover the full range.
  const { width, height } = (await pictures.first().boundingBox())!;
  for (const [row, column] of [
    [0, 0],
    [2, 3],
    [20, 9],
  ] as const) {
    const at = { x: ((column + 0.5) / 32) * width, y: ((row + 0.5) / 32) * height };
    const [gray] = await canvasPixel(pictures.first(), at);
    expect(Math.abs(gray! - value(row, column))).toBeLessThan(3);
  }
});

test("another variable of a pyramid is a pyramid, too", async ({ viewer, page }) => {
  await viewer.show("source=/groups/pyramid.zarr");
  const read: string[] = [];
  page.on("request", (request) => read.push(request.url()));
  await page.getByRole("region", { name: "Variables" }).getByRole("button", { name: "snow" }).click();
  await expect(page).toHaveURL(/source=\/groups\/pyramid\.zarr&variable=snow$/);
  await viewer.reaches("ready");
  await expect(page.locator(".zw-title")).toHaveText("snow");
  // The coarsest level is read first; it is the first in this pyramid's list.
  const chunks = read.flatMap((url) => /pyramid\.zarr\/(\d\/snow)\/c\//.exec(url)?.[1] ?? []);
  expect(chunks[0]).toBe("0/snow");
  expect(chunks.at(-1)).toBe("2/snow");
  const current = page.getByRole("region", { name: "Variables" }).locator("[aria-current]");
  await expect(current).toContainText("snow");
  await page.reload();
  await viewer.reaches("ready");
  await expect(page.locator(".zw-title")).toHaveText("snow");
  await page.goBack();
  await expect(page.locator(".zw-title")).toHaveText("pyramid.zarr");
});

/** Red, green, blue of the elements at some positions. */
async function colours(viewer: ViewerPage, at: readonly (readonly [number, number])[]): Promise<number[][]> {
  return Promise.all(
    at.map(async ([row, column]) => [
      ...(await viewer.pixels([row, row + 1], [column, column + 1])).data.subarray(0, 4),
    ]),
  );
}

test("labels are drawn over their image, which shows through between them", async ({ viewer, page }) => {
  await viewer.show("source=/groups/labelled.zarr&map=gray&range=0:256");
  const plain = (row: number, column: number) => [...Array(3).fill(value(row, column)), 255];
  await expect(page.getByLabel("Over the image").locator("option:checked")).toHaveText("cells");
  await expect.poll(async () => new Set((await colours(viewer, [[2, 20]]))[0]!.slice(0, 3)).size).toBe(3);
  expect(await colours(viewer, [[2, 2]])).toEqual([plain(2, 2)]);
  const [upper, lower] = await colours(viewer, [
    [2, 20],
    [20, 20],
  ]);
  expect(upper).not.toEqual(lower);
  await viewer.choose("Over the image", "None");
  await expect.poll(() => colours(viewer, [[2, 20]])).toEqual([plain(2, 20)]);
});

test("datasets: decoded values, dates, missing ones, north up", async ({ viewer, page }) => {
  await viewer.show("source=/stores/bytes");
  for (const [name, isFromSouth] of [
    ["from-south", true],
    ["from-north", false],
  ] as const) {
    // 273.15 to 275.71 kelvin are stored as 0 to 256.
    await viewer.change(`source=/groups/${name}.zarr&map=gray&range=273.15:275.71&select=1,:,:`);
    await expect(page.locator(".zw-subtitle")).toContainText("sea surface temperature, K");
    await expect(page.locator(".zw-place")).toHaveText("time 2020-02-29");
    const expected = (row: number, column: number) => {
      const stored = packed(1, row, column);
      return stored === -32768 ? Number.NaN : stored;
    };
    // Half a step from the boundary between two grays.
    await viewer.enter("Lowest value", 273.145);
    await viewer.enter("Highest value", 275.705);
    const table = grayTable(4, 6, [-0.5, 255.5], expected);
    await viewer.showsGray(table, { row: 0, column: 0 });
    // If latitudes ascend, the first row is drawn below the last.
    const [first, last] = [await viewer.positionOf(0, 0), await viewer.positionOf(3, 0)];
    expect(first.y > last.y).toBe(isFromSouth);
    await viewer.pointAt(1, 2);
    await expect(viewer.readout).toContainText("missing (stored −32768)");
    await viewer.pointAt(1, 3);
    await expect(viewer.readout).toContainText(isFromSouth ? "lat 10° S" : "lat 10° N");
    await expect(viewer.readout).toContainText("lon 10° E");
    await expect(viewer.readout).toContainText("274.28 K (stored 113)");
    await page.getByLabel(/Raw values/).check();
    await viewer.pointAt(1, 2);
    await expect(viewer.readout).not.toContainText("missing");
    await viewer.pointAt(1, 3);
    await expect(viewer.readout).toContainText("113");
    await expect(page).toHaveURL(/raw=yes/);
  }
});

test("a group with consolidated metadata shows its first variable", async ({ viewer, page }) => {
  await viewer.show("source=/stores/group&map=gray&range=0:255");
  await viewer.showsGray(grayTable(4, 6, [0, 255], (y, x) => groupValue([y, x])));
  await viewer.show("source=/stores/group&as=contents");
  await expect(tree(page).getByRole("listitem").filter({ hasText: "image" })).toContainText(
    "y 4 × x 6 · uint8 · 24 bytes",
  );
  await page.getByRole("button", { name: "image", exact: true }).click();
  await viewer.reaches("ready");
  expect(page.url()).toContain("path=image");
});

test("a dataset's other variables are a click away", async ({ viewer, page }) => {
  await viewer.show("source=/groups/from-south.zarr");
  const variables = page.getByRole("region", { name: "Variables" });
  await expect(variables.locator("[aria-current]")).toContainText("sst");
  await variables.getByRole("button", { name: "wind" }).click();
  await viewer.reaches("ready");
  await expect(page.locator(".zw-subtitle")).toContainText("wind speed, m s⁻¹");
  await expect(variables.locator("[aria-current]")).toContainText("wind");
  await page.goBack();
  await expect(page.locator(".zw-title")).toHaveText("sst");
});

test("AnnData is a tree, also without listings", async ({ viewer, page }) => {
  await viewer.show("source=/groups/anndata.zarr");
  await expect(tree(page)).toContainText("AnnData");
  await expect(tree(page)).toContainText("names in common use were tried");
  await expect(tree(page).getByRole("listitem").filter({ hasText: "5 × 3" })).toContainText(
    "5 × 3 · float32 · 60 bytes",
  );
  await page.getByRole("button", { name: "Members of obs", exact: true }).click();
  await page.getByRole("button", { name: "size", exact: true }).click();
  await viewer.reaches("ready");
  await expect(page).toHaveURL(/path=obs\/size/);
  await crumbs(page).getByRole("button", { name: "anndata.zarr" }).click();
  await expect(tree(page)).toBeVisible();
  await page.goBack();
  await expect(viewer.box).toBeVisible();
});

test("plain groups are trees, with and without listings; empty and mislabelled ones are not errors", async ({
  viewer,
  page,
}) => {
  await viewer.show("source=/stores/bytes");
  for (const [folder, note] of [
    ["groups", "names in common use were tried"],
    ["listed", ""],
  ] as const) {
    await viewer.change(`source=/${folder}/plain.zarr`);
    await expect(tree(page).getByRole("listitem").filter({ hasText: "data" })).toContainText("4 × 4 · uint8");
    await expect(tree(page)).toContainText(note);
    await page.getByRole("button", { name: "data", exact: true }).click();
    await viewer.reaches("ready");
    await expect(viewer.box).toBeVisible();
    await expect(viewer.error).toHaveCount(0);
  }
  for (const name of ["empty", "broken", "levels-missing"]) {
    await viewer.change(`source=/groups/${name}.zarr`);
    await expect(tree(page)).toBeVisible();
    await expect(viewer.error).toHaveCount(0);
  }
  await expect(page.getByRole("list", { name: "Notes" })).toContainText("cannot be shown as such");
});

test("a pasted link to a document opens its node, with a note", async ({ viewer, page }) => {
  await page.goto(`${viewer.site}/viewer/`);
  await page.getByLabel("Address of a Zarr array").fill(`${viewer.site}/groups/image.zarr/zarr.json`);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await viewer.reaches("ready");
  await expect(page.getByRole("list", { name: "Notes" })).toContainText("describes the node");
  expect(page.url()).toContain("groups/image.zarr");
  expect(page.url()).not.toContain("zarr.json");
});

test("the first picture of an image needs seven requests at most", async ({ viewer, page }) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/groups/") && !pathname.includes("/0/c/")) asked.push(pathname);
  });
  // The finest level never arrives: the picture is made from coarser ones.
  await page.route("**/groups/image.zarr/0/c/**", () => {});
  await viewer.goto("source=/groups/image.zarr&map=gray&range=0:256");
  await expect(viewer.box).toHaveAttribute("data-view");
  await expect
    .poll(async () => (await viewer.pixels([0, 1], [0, 1])).data[3], { message: "something is drawn" })
    .toBe(255);
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(7);
});

test("folders and archives of the local machine are opened, also from the history", async ({
  viewer,
  page,
  site,
}) => {
  await page.goto(`${site}/viewer/`);
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.locator('input[type="file"][webkitdirectory]').evaluate((input: HTMLInputElement) => input.click()),
  ]);
  await chooser.setFiles("build/tmp/browser-groups/from-south.zarr");
  await viewer.reaches("ready");
  await expect(page.locator(".zw-title")).toHaveText("sst");
  await expect(page).toHaveURL(/source=local:from-south.zarr/);
  await page.getByRole("region", { name: "Variables" }).getByRole("button", { name: "wind" }).click();
  await expect(page.locator(".zw-title")).toHaveText("wind");
  await page.goBack();
  await expect(page.locator(".zw-title")).toHaveText("sst");
  await page.reload();
  await expect(page.getByText("drop it here again")).toBeVisible();
});
