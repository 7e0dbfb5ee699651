// Errors: readable, naming what failed, and never the end.
import { readFileSync } from "node:fs";
import path from "node:path";
import { examplesFolder } from "../shared/places.js";
import { expect, test } from "./site.js";
import type { ViewerPage } from "./viewer-page.js";

/** After every error a good source works. */
async function recovers(viewer: ViewerPage): Promise<void> {
  await viewer.page.getByLabel("Address of a Zarr array").fill("/stores/bytes");
  await viewer.page.getByLabel("Address of a Zarr array").press("Enter");
  await viewer.reaches("ready");
  await expect(viewer.error).toHaveCount(0);
  expect((await viewer.pixels()).width).toBe(7);
}

test("nothing at the address", async ({ viewer, problems }) => {
  problems.expect(/404/);
  await viewer.goto("source=/stores/nowhere");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("There is no Zarr array here");
  await expect(viewer.error).toContainText("the folder that holds its metadata");
  await recovers(viewer);
});

test("a web page instead of metadata", async ({ viewer, page }) => {
  const body = "<!doctype html><title>Welcome</title>";
  await page.route("**/somewhere/*", (route) => route.fulfill({ contentType: "text/html", body }));
  await viewer.goto("source=/somewhere");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("The array’s metadata is not valid");
  await expect(viewer.error).toContainText("zarr.json is not valid JSON");
  await recovers(viewer);
});

test("metadata that lacks keys, and a codec that nobody knows", async ({ viewer }) => {
  await viewer.goto("source=/stores/malformed");
  await viewer.reaches("error");
  await expect(viewer.error).toContainText('lacks "chunks"');
  await viewer.goto("source=/stores/unknown-codec");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("The array needs a codec that is not known");
  await expect(viewer.error).toContainText("sprintz");
  await recovers(viewer);
});

test("an address that is none", async ({ viewer }) => {
  await viewer.goto("source=http://");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("The source cannot be used");
  await recovers(viewer);
});

test("a server that cannot be reached, or does not allow it", async ({ viewer, page, problems }) => {
  problems.expect(/ERR_FAILED/);
  await page.route("**/stores/cube/*", (route) => route.abort());
  await viewer.goto("source=/stores/cube");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("The source could not be read");
  await expect(viewer.error).toContainText("Access-Control-Allow-Origin");
  await page.unroute("**/stores/cube/*");
  await viewer.error.getByRole("button", { name: "Try again" }).click();
  await viewer.reaches("ready");
});

test("a server that refuses", async ({ viewer, page, problems }) => {
  problems.expect(/403/);
  await page.route("**/stores/cube/*", (route) => route.fulfill({ status: 403 }));
  await viewer.goto("source=/stores/cube");
  await viewer.reaches("error");
  await expect(viewer.error).toContainText("The server refuses access");
});

test("a chunk answered with 500: it is named, others can be viewed", async ({ viewer, page, problems }) => {
  problems.expect(/500/);
  await page.route("**/stores/slices/4.1.0", (route) => route.fulfill({ status: 500 }));
  await viewer.goto("source=/stores/slices&select=4,:,:");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("Chunk 4.1.0 could not be read");
  await expect(viewer.error).toContainText("answered 500");
  await expect(viewer.error).toContainText("It may pass: try again");
  // The array's facts and controls are still there.
  await expect(page.locator(".zw-facts")).toContainText("9 × 64 × 64");
  await viewer.slide("axis 0", 5);
  await viewer.reaches("ready");
  await expect(viewer.error).toHaveCount(0);
  await viewer.slide("axis 0", 4);
  await viewer.reaches("error");
  await page.unroute("**/stores/slices/4.1.0");
  await viewer.error.getByRole("button", { name: "Try again" }).click();
  await viewer.reaches("ready");
});

test("a damaged chunk: it is named, and the codec that noticed", async ({ viewer, page }) => {
  const body = readFileSync(path.join(examplesFolder, "field.zarr/0.1")).subarray(0, 1000);
  await page.route("**/examples/field.zarr/0.1", (route) => route.fulfill({ body }));
  await viewer.goto("source=/examples/field.zarr");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("Chunk 0.1 is damaged");
  await expect(viewer.error).toContainText("blosc");
  await recovers(viewer);
});

test("a chunk of the wrong length", async ({ viewer, page }) => {
  await page.route("**/stores/bytes/1.2", (route) => route.fulfill({ body: Buffer.alloc(5) }));
  await viewer.goto("source=/stores/bytes");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("Chunk 1.2 is damaged");
});

test("a decoder that cannot be loaded", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await page.route("**/wasm/*.wasm", (route) => route.fulfill({ status: 404 }));
  await viewer.goto("source=/examples/field.zarr");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("The WebAssembly decoder could not be started");
  await expect(viewer.error).toContainText("wasm-unsafe-eval");
});
