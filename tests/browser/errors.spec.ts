// Errors are readable, name the cause, and leave the viewer usable.

import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { grayRows, grayTable } from "../shared/pixels.js";
import { examplesFolder } from "../shared/places.js";
import { byteValue, sliceValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { coloursOf, liveContexts, loseContexts, recordContexts, type ViewerPage } from "./viewer-page.js";

/** After every error a good source works. */
async function recovers(viewer: ViewerPage): Promise<void> {
  await viewer.page.getByLabel("Address of a Zarr array").fill("/stores/bytes");
  await viewer.page.getByLabel("Address of a Zarr array").press("Enter");
  await viewer.reaches("ready");
  await expect(viewer.error).toHaveCount(0);
  await expect.poll(async () => (await viewer.pixels()).width).toBe(7);
}

test("errors name their cause, and leave the viewer usable", async ({ viewer, page, problems }) => {
  problems.expect(/404|403|ERR_FAILED/);
  const body = "<!doctype html><title>Welcome</title>";
  await page.route("**/somewhere/*", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.route("**/refused/*", (route) => route.fulfill({ status: 403 }));
  await viewer.show("source=/stores/bytes");
  for (const [source, heading, ...texts] of [
    ["/stores/nowhere", "There is no Zarr array here", "the folder that holds the array’s metadata"],
    ["/somewhere", "The array’s metadata is not valid", "zarr.json is not valid JSON", "check the address"],
    ["/stores/malformed", "The array’s metadata is not valid", 'lacks "chunks"'],
    ["/stores/unknown-codec", "The array uses an unknown codec", "sprintz"],
    ["http://", "The source cannot be used"],
    ["/refused", "The source could not be read", "The server refuses access"],
  ] as const) {
    await viewer.open(`source=${source}`);
    await viewer.reaches("error");
    await expect(viewer.error.getByRole("heading")).toHaveText(heading);
    for (const text of texts) await expect(viewer.error).toContainText(text);
    if (source === "/somewhere") await expect(viewer.error).not.toContainText("was found");
    await recovers(viewer);
  }
  await page.route("**/stores/cube/*", (route) => route.abort());
  await viewer.open("source=/stores/cube");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("The source could not be read");
  await expect(viewer.error).toContainText("Access-Control-Allow-Origin");
  await page.unroute("**/stores/cube/*");
  await viewer.error.getByRole("button", { name: "Try again" }).click();
  await viewer.reaches("ready");
});

test("an error links to the nodes nearby", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await viewer.goto("source=/stores/group&path=nowhere");
  await viewer.reaches("error");
  const way = page.getByRole("navigation", { name: "Breadcrumb" });
  await way.getByRole("button", { name: "Browse" }).click();
  await viewer.reaches("ready");
  await expect(page.getByRole("button", { name: "image", exact: true })).toBeVisible();
  await page.goBack();
  await viewer.reaches("error");
  await way.getByRole("button", { name: "group", exact: true }).click();
  await viewer.reaches("ready");
  await expect(viewer.box).toBeVisible();
});

const hatching = new Set([0xffccd6ff, 0xff2020b2]);

test("a chunk that fails with 500 is hatched and named; the others are drawn", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/500/);
  await page.route("**/stores/slices/4.1.0", (route) => route.fulfill({ status: 500 }));
  await viewer.show("source=/stores/slices&select=4,:,:&map=gray&range=0:256");
  await expect(viewer.error).toHaveCount(0);
  const note = page.getByRole("list", { name: "Notes" }).getByRole("listitem");
  await expect(note).toContainText("Chunk 4.1.0 could not be read");
  await expect(note).toContainText("answered 500");
  await expect(note).toContainText("The error may be temporary: try again");
  expect(await coloursOf(viewer, 32, 0, 32)).toEqual(hatching);
  await viewer.showsGray(
    grayTable(32, 64, [0, 256], (y, x) => sliceValue([4, y, x])),
    { row: 0, column: 0 },
  );
  await viewer.pointAt(40, 7);
  await expect(viewer.readout).toContainText("[4, 40, 7]");
  await expect(viewer.readout).toContainText("Chunk 4.1.0 could not be read");
  await viewer.slide("axis 0", 5);
  await viewer.reaches("ready");
  await expect(note).toHaveCount(0);
  await viewer.slide("axis 0", 4);
  await expect(note).toHaveCount(1);
  await page.unroute("**/stores/slices/4.1.0");
  await note.getByRole("button", { name: "Try again" }).click();
  await viewer.showsGray(grayTable(64, 64, [0, 256], (y, x) => sliceValue([4, y, x])));
  await expect(note).toHaveCount(0);
});

test("a chunk of the wrong length among several that are read together", async ({ viewer, page }) => {
  await page.route("**/stores/bytes/1.2", (route) => route.fulfill({ body: Buffer.alloc(5) }));
  await viewer.show("source=/stores/bytes&map=gray&range=0:256");
  await expect(page.getByRole("list", { name: "Notes" })).toContainText("Chunk 1.2 is damaged");
  const rows = grayTable(5, 6, [0, 256], (row, column) => byteValue([row, column]));
  await viewer.showsGray(rows, { row: 0, column: 0 });
  await viewer.pointAt(2, 6);
  await expect(viewer.readout).toContainText("Chunk 1.2 is damaged");
});

/** Refuses new contexts after `loseContexts`, as browsers do after the GPU has failed. */
const refuseAfterLoss = (page: Page) =>
  page.addInitScript(() => {
    const known = new WeakSet<HTMLCanvasElement>();
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (
      this: HTMLCanvasElement,
      kind: string,
      ...rest: unknown[]
    ) {
      if (kind === "webgl2" && "areContextsLost" in globalThis && !known.has(this)) return null;
      known.add(this);
      return (getContext as (...all: unknown[]) => unknown).call(this, kind, ...rest);
    } as typeof getContext;
  });

test.describe("drawn by WebGL", () => {
  test.use({ webgl: true });

  test("a damaged chunk is hatched; the message names it and the codec that detected the damage", async ({
    viewer,
    page,
  }) => {
    const body = readFileSync(path.join(examplesFolder, "field.zarr/0.1")).subarray(0, 1000);
    await page.route("**/examples/field.zarr/0.1", (route) => route.fulfill({ body }));
    await viewer.show("source=/examples/field.zarr");
    const note = page.getByRole("list", { name: "Notes" }).getByRole("listitem");
    await expect(note).toContainText(/^Chunk 0\.1 is damaged: (?!chunk)/i);
    await expect(note).toContainText("blosc");
    expect(await coloursOf(viewer, 0, 256, 256)).toEqual(hatching);
    expect((await coloursOf(viewer, 0, 512, 256)).size).toBeGreaterThan(50);
    await viewer.pointAt(100, 300);
    await expect(viewer.readout).toContainText("Chunk 0.1 is damaged");
    await recovers(viewer);
  });

  for (const how of ["replaced", "restored"] as const)
    test(`a lost context is ${how}`, async ({ viewer, page }) => {
      await recordContexts(page);
      if (how === "restored") await refuseAfterLoss(page);
      await viewer.show("source=/stores/bytes&map=gray&range=0:256");
      const expected = grayTable(5, 7, [0, 256], (row, column) => byteValue([row, column]));
      await viewer.showsGray(expected);
      expect(await page.locator(".zw-canvas").getAttribute("data-renderer")).toBe("webgl");
      expect(await loseContexts(page, how === "restored")).toBe(0);
      await expect
        .poll(async () => JSON.stringify(grayRows(await viewer.pixels())))
        .toBe(JSON.stringify(expected));
      expect(await liveContexts(page)).toBe(1);
    });
});

test("a decoder whose file is not served is replaced by its copy", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await page.route(/\/wasm\/[^/]*\.wasm(\?|$)/, (route) => route.fulfill({ status: 404 }));
  await viewer.goto("source=/examples/field.zarr");
  await viewer.reaches("ready");
});

test("a decoder that cannot be loaded", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await page.route(/\/wasm\/(.*\.wasm|.*-embedded\.js)(\?|$)/, (route) => route.fulfill({ status: 404 }));
  await viewer.goto("source=/examples/field.zarr");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("The WebAssembly decoder could not be started");
  await expect(viewer.error).toContainText("wasm-unsafe-eval");
});
