// Local folders and archives, dropped on the page or chosen; their content is checked by pixels.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { ZipWriter } from "zarr-wasm";
import { grayTable } from "../shared/pixels.js";
import { groupsFolder, root } from "../shared/places.js";
import { imageValue, packedName } from "../shared/viewer-groups.js";
import { expect, test } from "./site.js";
import type { ViewerPage } from "./viewer-page.js";

const folder = path.join(groupsFolder, "pyramid.zarr");
// Each worker has its own: browsers refuse to read a dropped file that has been written again.
const worker = process.env["TEST_WORKER_INDEX"] ?? "0";
const archive = path.join(root, "build/tmp/browser-drops", worker, "pyramid.zarr.zip");

/** All files in a folder, by their relative paths. */
const filesOf = (at: string): [string, Buffer][] =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => [path.relative(at, file).replaceAll(path.sep, "/"), readFileSync(file)]);

test.beforeAll(async () => {
  const pieces: Uint8Array[] = [];
  const writer = new ZipWriter((piece) => void pieces.push(piece));
  for (const [name, bytes] of filesOf(folder)) await writer.set(name, bytes);
  await writer.close();
  mkdirSync(path.dirname(archive), { recursive: true });
  writeFileSync(archive, Buffer.concat(pieces));
});

/** Drops local files or folders, as a user does. */
async function drop(page: Page, ...files: string[]): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  const event = (type: "dragEnter" | "dragOver" | "drop") =>
    client.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  await event("dragEnter");
  await event("dragOver");
  await expect(page.getByText("Drop a folder, a zip archive or a file to see it")).toBeVisible();
  await event("drop");
}

/** Shows the second variable, with north up: the array's first row is at the top. */
async function showsPyramid(viewer: ViewerPage, name: string): Promise<void> {
  const { page } = viewer;
  await viewer.reaches("ready");
  await expect(page).toHaveURL(new RegExp(`source=local:${name}`));
  await page.getByRole("region", { name: "Variables" }).getByRole("button", { name: "snow" }).click();
  await expect(page).toHaveURL(/variable=snow/);
  await viewer.choose("Colour map", "gray");
  await viewer.enter("Lowest value", 0);
  await viewer.enter("Highest value", 256);
  const expected = grayTable(32, 32, [0, 256], (row, column) => imageValue(2)(row, column));
  await viewer.showsGray(expected, { row: 0, column: 0 });
}

const start = async (viewer: ViewerPage) => {
  await viewer.page.goto(`${viewer.site}/viewer/`);
  await expect(viewer.page.getByRole("button", { name: "Folder…" })).toBeVisible();
};

test.beforeEach(({ problems }) => {
  problems.expect(/404/); // gallery stores, which npm start creates
});

test("a dropped folder", async ({ viewer, page }) => {
  await start(viewer);
  await drop(page, folder);
  await showsPyramid(viewer, "pyramid.zarr");
});

test("a dropped folder in a browser with entries instead of handles", async ({ viewer, page }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(DataTransferItem.prototype, "getAsFileSystemHandle");
  });
  await start(viewer);
  await drop(page, folder);
  await showsPyramid(viewer, "pyramid.zarr");
});

test("a dropped OME-Zarr archive (.ozx) shows the image in it", async ({ viewer, page }) => {
  await start(viewer);
  await drop(page, path.join(groupsFolder, packedName));
  await viewer.reaches("ready");
  await expect(page).toHaveURL(new RegExp(`source=local:${packedName}`));
  await viewer.choose("Colour map", "gray");
  await viewer.enter("Lowest value", 0);
  await viewer.enter("Highest value", 256);
  await viewer.showsGray(grayTable(32, 32, [0, 256], imageValue(0)));
  await viewer.pointAt(3, 5);
  await expect(viewer.readout).toContainText("y 1.5 µm · x 2.5 µm");
});

test("a dropped archive, then a folder dropped on the picture", async ({ viewer, page }) => {
  await start(viewer);
  await drop(page, archive);
  await showsPyramid(viewer, "pyramid.zarr.zip");
  await drop(page, path.join(groupsFolder, "plate.zarr"));
  await expect(page.getByRole("button", { name: "Well A1" })).toBeVisible();
  await expect(page.locator(".zw-well canvas")).toHaveCount(2);
  // Back to the previous drop.
  await page.goBack();
  await expect(page).toHaveURL(/variable=snow/);
  await viewer.reaches("ready");
});

test("a dropped file made by a page", async ({ viewer, page }) => {
  await start(viewer);
  await page.evaluate((text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], "made.zip"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }, readFileSync(archive).toString("base64"));
  await showsPyramid(viewer, "made.zip");
});

test("a failed drop is explained in a sentence", async ({ viewer, page }) => {
  await start(viewer);
  await drop(page, path.join(root, "LICENSE"));
  await expect(page.getByText("LICENSE has an unknown format")).toBeVisible();
  await drop(page, path.join(folder, "zarr.json"));
  await expect(
    page.getByText("zarr.json is a part of a Zarr node: drop the folder that it is in."),
  ).toBeVisible();
});

test("a file of another format", async ({ viewer, page }) => {
  await start(viewer);
  await drop(page, path.join(root, "tests/golden/files/netcdf3/scipy-2.nc"));
  await expect(page.getByText("scipy-2.nc").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Fit" })).toBeVisible();
});

test("several files: the first is shown, the others are named", async ({ viewer, page }) => {
  await start(viewer);
  const files = ["scipy-2.nc", "text.nc"].map((name) => path.join(root, "tests/golden/files/netcdf3", name));
  await drop(page, ...files);
  await expect(page.getByText("Showing scipy-2.nc. Open text.nc alone to see it.")).toBeVisible();
});

test("a chosen folder", async ({ viewer, page }) => {
  // The origin private file system has the same kind of handles as the dialog.
  await page.addInitScript(() => {
    Object.assign(globalThis, {
      showDirectoryPicker: async () =>
        (await navigator.storage.getDirectory()).getDirectoryHandle("chosen.zarr"),
    });
  });
  await start(viewer);
  const files = filesOf(folder).map(([name, bytes]) => [name, bytes.toString("base64")] as const);
  await page.evaluate(async (list) => {
    const top = await (await navigator.storage.getDirectory()).getDirectoryHandle("chosen.zarr", {
      create: true,
    });
    for (const [name, text] of list) {
      const parts = name.split("/");
      let at = top;
      for (const part of parts.slice(0, -1)) at = await at.getDirectoryHandle(part, { create: true });
      const writable = await (await at.getFileHandle(parts.at(-1)!, { create: true })).createWritable();
      await writable.write(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
      await writable.close();
    }
  }, files);
  await page.getByRole("button", { name: "Folder…" }).click();
  await showsPyramid(viewer, "chosen.zarr");
});

test("a chosen folder in a browser without handles", async ({ viewer, page }) => {
  await page.addInitScript(() => {
    Object.assign(globalThis, { showDirectoryPicker: undefined });
  });
  await start(viewer);
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Folder…" }).click();
  await (await choosing).setFiles(folder);
  await showsPyramid(viewer, "pyramid.zarr");
});

test("closing the dialog does not change the page", async ({ viewer, page }) => {
  await page.addInitScript(() => {
    Object.assign(globalThis, {
      showDirectoryPicker: async () => {
        throw new DOMException("closed", "AbortError");
      },
    });
  });
  await start(viewer);
  await page.getByRole("button", { name: "Folder…" }).click();
  await expect(page.getByRole("heading", { name: "Public data" })).toBeVisible();
  await expect(page).not.toHaveURL(/source=/);
});

test("a chosen archive", async ({ viewer, page }) => {
  await start(viewer);
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "File…" }).click();
  await (await choosing).setFiles(archive);
  await showsPyramid(viewer, "pyramid.zarr.zip");
});
