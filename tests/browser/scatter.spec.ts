// Embeddings of AnnData as scatter plots: colours, legend, hover, selection, keys, rows.
import { create, MapStore } from "zarr-wasm";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { annData, array, frame, group } from "../shared/anndata.js";
import { tableRows, tableSquares } from "../shared/viewer-tables.js";
import { expect, test } from "./site.js";
import { canvasPixel, elementIsReady, openElements, settles, type ViewerPage } from "./viewer-page.js";

const table = "source=/layers/tables.zarr&path=tables/table";
const umap = `${table}/obsm/X_umap`;

test.beforeEach(({ problems }) => {
  problems.expect(/404/); // missing documents and chunks
});

/** Position of a row in the box. */
async function placeOf(viewer: ViewerPage, [x, y]: readonly [number, number]) {
  // The extent has 4096 elements and 4 % around them.
  const element = (at: number) => ((at + 0.4) / 10) * 4096 - 0.5;
  return viewer.positionOf(element(y), element(x));
}

/** Red, green, blue, opacity of the points at a row. */
const colorOf = async (viewer: ViewerPage, row: number): Promise<number[]> =>
  canvasPixel(viewer.page.locator(".zw-map-lines[data-layers]"), await placeOf(viewer, tableRows[row]!.umap));

const isDrawn = (viewer: ViewerPage) =>
  expect(viewer.page.locator(".zw-map-lines[data-layers]")).toBeAttached();

async function showPoints(viewer: ViewerPage, query = umap): Promise<void> {
  await viewer.show(query);
  await isDrawn(viewer);
}

test("AnnData opens its first embedding by its first categories; its contents offer the others", async ({
  viewer,
  page,
}) => {
  await showPoints(viewer, table);
  await expect(viewer.box).toHaveAttribute("aria-label", /Down UMAP2\. Across UMAP1\./);
  await expect(page.getByRole("list", { name: "type" }).getByRole("listitem")).toHaveCount(4);
  await viewer.choose("Colour by", "None");
  await expect(page).toHaveURL(/by=none/);
  await expect(page.getByRole("list", { name: "type" })).toHaveCount(0);
  await page.getByRole("button", { name: "Browse" }).click();
  await expect(page).toHaveURL(/path=tables\/table&as=contents/);
  const offers = page.getByRole("region", { name: "Scatter plots" });
  await expect(offers.getByRole("button")).toHaveText([/X_umap/, /X_pca/]);
  await offers.getByRole("button", { name: "X_umap" }).click();
  await isDrawn(viewer);
  await expect(page).toHaveURL(/path=tables\/table\/obsm\/X_umap/);
  await expect(viewer.box).toHaveAttribute(
    "aria-label",
    /^Scatter plot of 5 points\. Down UMAP2\. Across UMAP1\./,
  );
  // The other one is a click away.
  await page.getByRole("region", { name: "Embeddings" }).getByRole("button", { name: "X_pca" }).click();
  await expect(viewer.box).toHaveAttribute("aria-label", /Down PC2\. Across PC1\./);
  await expect(page.getByLabel("Vertical axis").locator("option")).toHaveText(["PC1", "PC2", "PC3"]);
  await viewer.choose("Vertical axis", "PC3");
  await expect(viewer.box).toHaveAttribute("aria-label", /Down PC3\. Across PC1\./);
});

test("points have the colours of a column, which the legend explains and the link keeps", async ({
  viewer,
  page,
}) => {
  await showPoints(viewer);
  const plain = await colorOf(viewer, 0);
  expect(plain[3]).toBe(255);
  expect(await colorOf(viewer, 1)).toEqual(plain);
  await viewer.choose("Colour by", "type");
  await expect(page).toHaveURL(/by=type(&|$)/);
  const legend = page.getByRole("list", { name: "type" });
  await expect(legend.getByRole("listitem")).toHaveText(["immune1", "stroma1", "tumour2", "no value1"]);
  await expect.poll(async () => (await colorOf(viewer, 0)).join()).not.toBe(plain.join());
  const colors = await Promise.all([0, 1, 2, 3, 4].map((row) => colorOf(viewer, row)));
  expect(colors[1]).toEqual(colors[2]);
  expect(new Set(colors.map(String)).size).toBe(4);
  expect(colors[4]).toEqual([128, 128, 128, 255]);
  // Numbers: viridis from 10 to 50, and another range and map.
  await viewer.choose("Colour by", "area");
  await expect(page.getByRole("list", { name: "area" }).getByRole("listitem")).toHaveText([
    "1050",
    "no value1",
  ]);
  expect(await colorOf(viewer, 0)).toEqual([68, 1, 84, 255]);
  expect(await colorOf(viewer, 4)).toEqual([253, 231, 37, 255]);
  await viewer.choose("Colour map of the column", "gray");
  await viewer.enter("Lowest value of the column", 0);
  await viewer.enter("Highest value of the column", 20);
  await expect(page).toHaveURL(/by=area&by-map=gray&by-range=0:20/);
  await expect.poll(() => colorOf(viewer, 1)).toEqual([255, 255, 255, 255]);
  await page.reload();
  await viewer.reaches("ready");
  await isDrawn(viewer);
  expect(await colorOf(viewer, 1)).toEqual([255, 255, 255, 255]);
  expect(await colorOf(viewer, 0)).toEqual([128, 128, 128, 255]);
});

test("a point is described and selected by pointer, keys and rows", async ({ viewer, page }) => {
  await showPoints(viewer);
  const position = await placeOf(viewer, tableRows[1].umap);
  await viewer.box.hover({ position });
  await expect(viewer.readout).toContainText(
    "_index: cell-1, region: cells, cell: 9, type: tumour, area: 20",
  );
  // The coordinates of the point, not of the pointer.
  await expect(viewer.readout).toContainText(/^UMAP1 10 · UMAP2 0(?![\d.])/);
  await viewer.box.click({ position });
  // Rows of a table of labels are known by their labels.
  await expect(page).toHaveURL(/pick=9(&|$)/);
  const grid = page.getByRole("grid", { name: "5 rows of 5 columns" });
  await expect(grid.getByRole("button", { name: "cell-1" })).toHaveAttribute("aria-pressed", "true");
  await grid.getByRole("button", { name: "cell-2" }).click();
  await expect(page).toHaveURL(/pick=9,2(&|$)/);
  // The others are faint.
  await expect.poll(async () => (await colorOf(viewer, 0))[3]).toBeLessThan(60);
  expect((await colorOf(viewer, 2))[3]).toBe(255);
  await page.getByRole("button", { name: "Clear selection" }).click();
  await expect(page).not.toHaveURL(/pick=/);
  // From the middle, the keys go from point to point.
  await viewer.box.focus();
  await viewer.box.press("Escape");
  await viewer.box.press("ArrowRight");
  await expect(viewer.readout).toContainText("cell-4"); // in the middle
  await viewer.box.press("ArrowUp");
  await expect(viewer.readout).toContainText(/cell-[23]/);
  await viewer.box.press("Enter");
  await expect(page).toHaveURL(/pick=(2|70001)(&|$)/);
});

test("zooming and panning move the points", async ({ viewer }) => {
  await showPoints(viewer, `${umap}&at=4260,4260,0.5&by=type`);
  expect((await colorOf(viewer, 2))[3]).toBe(255);
  await viewer.box.focus();
  await viewer.box.press("+");
  await expect.poll(async () => (await colorOf(viewer, 2))[3]).toBe(255);
});

const labels = "source=/layers/tables.zarr&path=labels/cells";

const labelPixel = async (viewer: ViewerPage, [, row, column]: (typeof tableSquares)[number]) => [
  ...(await viewer.pixels([row + 4, row + 5], [column + 4, column + 5])).data,
];

test("labels of SpatialData have the colours, descriptions and rows of their table", async ({
  viewer,
  page,
}) => {
  await viewer.show(labels);
  await viewer.pointAt(6, 16);
  await expect(viewer.readout).toContainText(
    "9 (_index: cell-1, region: cells, cell: 9, type: tumour, area: 20)",
  );
  await viewer.choose("Colour by", "type");
  await expect(page.getByRole("list", { name: "type" }).getByRole("listitem")).toHaveText([
    "immune1",
    "stroma1",
    "tumour2",
    "no value1",
  ]);
  const gray = [128, 128, 128, 255];
  // A label without a value, one without a row, and one without an entry in the table of colours.
  await expect.poll(() => labelPixel(viewer, tableSquares[4]!)).toEqual(gray);
  const colors = await Promise.all(tableSquares.map((square) => labelPixel(viewer, square)));
  expect(colors[1]).toEqual(colors[2]);
  expect(colors[0]).not.toEqual(colors[1]);
  expect([colors[3], colors[5]]).toEqual([gray, gray]);
  await viewer.choose("Colour by", "area");
  await expect.poll(() => labelPixel(viewer, tableSquares[0]!)).toEqual([68, 1, 84, 255]);
  // A row selects its label, a label its row.
  await page.getByRole("group", { name: "Table" }).getByText("Rows", { exact: true }).click();
  const grid = page.getByRole("grid", { name: "5 rows of 5 columns" });
  await grid.getByRole("button", { name: "cell-1" }).click();
  await expect(page).toHaveURL(/pick=9(&|$)/);
  await expect.poll(() => labelPixel(viewer, tableSquares[0]!)).not.toEqual([68, 1, 84, 255]);
  await viewer.box.click({ position: await viewer.positionOf(6, 26) });
  await expect(grid.getByRole("button", { name: "cell-2" })).toHaveAttribute("aria-pressed", "true");
  await page.reload();
  await viewer.reaches("ready");
  await expect(page.getByRole("list", { name: "area" })).toBeVisible();
  expect(await labelPixel(viewer, tableSquares[4]!)).not.toEqual(gray);
});

test("labels over a picture have the colours of their table, as a layer", async ({ viewer, page }) => {
  const layer = { src: "/layers/tables.zarr", path: "labels/cells", kind: "labels", by: "area" };
  const layers = encodeURIComponent(JSON.stringify([layer]));
  await viewer.show(
    `source=/layers/tables.zarr&path=labels/cells/0&map=gray&range=-1:0&outside=mark&layers=${layers}`,
  );
  await expect.poll(() => labelPixel(viewer, tableSquares[0]!)).toEqual([68, 1, 84, 255]);
  await expect.poll(() => labelPixel(viewer, tableSquares[4]!)).toEqual([253, 231, 37, 255]);
  // The colour map belongs to the column.
  const row = page.getByRole("group", { name: "Layer cells" });
  await row.getByLabel("Colour map").selectOption("gray");
  await expect.poll(() => labelPixel(viewer, tableSquares[0]!)).toEqual([0, 0, 0, 255]);
  await expect.poll(() => labelPixel(viewer, tableSquares[4]!)).toEqual([255, 255, 255, 255]);
  await row.getByLabel("Outlines only").check();
  await expect.poll(() => labelPixel(viewer, tableSquares[4]!)).not.toEqual([255, 255, 255, 255]);
});

test("selecting points selects labels in linked viewers, and the reverse", async ({ page, site }) => {
  const elements = ["labels/cells", "tables/table/obsm/X_umap"].map(
    (path, i) =>
      `<zarr-viewer id="v${i}" src="/layers/tables.zarr" path="${path}" link="a" controls="minimal"></zarr-viewer>`,
  );
  await openElements(page, site, elements.join(""));
  for (const i of [0, 1]) await elementIsReady(page, `v${i}`);
  const selected = (i: number) =>
    page.evaluate(
      (id) => (document.querySelector(id) as ZarrViewerElement).view!.settings.labels.selected,
      `#v${i}`,
    );
  const settings = (i: number, change: object) =>
    page.evaluate(
      ([id, value]) => {
        (document.querySelector(id) as ZarrViewerElement).settings = value as object;
      },
      [`#v${i}`, change] as const,
    );
  await settings(1, { labels: { selected: [2, 5] } });
  await expect.poll(() => selected(0)).toEqual([2, 5]);
  await settings(0, { labels: { selected: [9] } });
  await expect.poll(() => selected(1)).toEqual([9]);
  // Positions of points are not positions of labels.
  await settings(1, { camera: { row: 100, column: 100, scale: 1 } });
  const camera = await page.evaluate(
    () => (document.querySelector("#v0") as ZarrViewerElement).view!.settings.camera,
  );
  expect(camera).toBeNull();
});

test("the table of labels without one is searched once", async ({ viewer, page }) => {
  await viewer.show("source=/groups/labelled.zarr&map=gray&range=0:256");
  await settles(page);
  const documents: string[] = [];
  page.on("request", (request) => {
    if (/zarr\.json$/.test(request.url())) documents.push(request.url());
  });
  for (const opacity of [30, 60]) {
    await viewer.slide("Opacity of labels", opacity);
    await settles(page);
  }
  expect(documents).toEqual([]);
});

const viridisEnds = { low: [68, 1, 84, 255], high: [253, 231, 37, 255] };

test("genes give colours: completed, in a layer, as logarithms, and two at once; the link keeps them", async ({
  viewer,
  page,
}) => {
  await showPoints(viewer);
  const gene = page.getByLabel("Gene", { exact: true });
  await gene.focus();
  const suggestions = page.locator(`datalist[id="${await gene.getAttribute("list")}"] option`);
  await expect(suggestions).toHaveCount(3);
  await gene.fill("cd3");
  await expect(suggestions).toHaveCount(1);
  await gene.fill("cd3e");
  await gene.press("Enter");
  await expect(page).toHaveURL(/by=gene:CD3E(&|$)/);
  await expect(page.getByRole("list", { name: "CD3E" }).getByRole("listitem")).toHaveText(["040"]);
  await expect.poll(() => colorOf(viewer, 0)).toEqual(viridisEnds.low);
  expect(await colorOf(viewer, 4)).toEqual(viridisEnds.high);
  await viewer.box.hover({ position: await placeOf(viewer, tableRows[1].umap) });
  await expect(viewer.readout).toContainText("CD3E: 10");
  // A name that does not exist changes nothing.
  await gene.fill("nothing");
  await gene.press("Enter");
  expect(await gene.evaluate((field: HTMLInputElement) => field.validationMessage)).toBe(
    "There is no gene nothing.",
  );
  await expect(page).toHaveURL(/by=gene:CD3E(&|$)/);
  await viewer.choose("Layer of the matrix", "counts");
  await page.getByLabel("Logarithm of 1 + value").check();
  await expect(page).toHaveURL(/by=gene:CD3E%3Flayer%3Dcounts%26transform%3Dlog1p/);
  await expect(page.getByRole("list", { name: "CD3E (counts), log1p" }).getByRole("listitem")).toHaveText([
    "03.714",
  ]);
  const second = page.getByLabel("Second gene", { exact: true });
  await second.fill("MS4A1");
  await second.press("Enter");
  await expect(page.getByRole("list", { name: "MS4A1 (counts), log1p" }).getByRole("listitem")).toHaveText([
    "01.609",
  ]);
  await expect.poll(() => colorOf(viewer, 0)).toEqual([0x38, 0xff, 0x38, 255]);
  expect(await colorOf(viewer, 4)).toEqual([0xff, 0x38, 0xff, 255]);
  await page.reload();
  await viewer.reaches("ready");
  await isDrawn(viewer);
  await expect.poll(() => colorOf(viewer, 4)).toEqual([0xff, 0x38, 0xff, 255]);
  await gene.fill("LYZ");
  await gene.press("Enter");
  await second.fill("");
  await second.press("Enter");
  await expect(page).toHaveURL(/by=gene:LYZ%3Flayer/);
  await expect.poll(() => colorOf(viewer, 1)).toEqual([128, 128, 128, 255]);
});

test("labels and layers have the colours of genes", async ({ viewer, page }) => {
  await viewer.show(`${labels}&by=gene:CD3E`);
  await expect.poll(() => labelPixel(viewer, tableSquares[0]!)).toEqual(viridisEnds.low);
  await expect.poll(() => labelPixel(viewer, tableSquares[4]!)).toEqual(viridisEnds.high);
  const layer = { src: "/layers/tables.zarr", path: "labels/cells", kind: "labels", by: "gene:MS4A1" };
  await viewer.show(
    `source=/layers/tables.zarr&path=labels/cells/0&map=gray&range=-1:0&outside=mark&layers=${encodeURIComponent(JSON.stringify([layer]))}`,
  );
  await expect.poll(() => labelPixel(viewer, tableSquares[0]!)).toEqual(viridisEnds.high);
  await expect.poll(() => labelPixel(viewer, tableSquares[4]!)).toEqual(viridisEnds.low);
  const row = page.getByRole("group", { name: "Layer cells" });
  await row.getByLabel("Gene", { exact: true }).fill("CD3E");
  await row.getByLabel("Gene", { exact: true }).press("Enter");
  await expect.poll(() => labelPixel(viewer, tableSquares[4]!)).toEqual(viridisEnds.high);
  await row.getByLabel("Second gene", { exact: true }).fill("MS4A1");
  await row.getByLabel("Second gene", { exact: true }).press("Enter");
  await expect.poll(() => labelPixel(viewer, tableSquares[4]!)).toEqual([0xff, 0x38, 0xff, 255]);
});

/** AnnData whose matrix by rows would take 80 MB; all of its elements are fill values. */
async function largeMatrix(): Promise<MapStore> {
  const [rows, count, chunk] = [4, 10_000_000, 500_000];
  const target = new MapStore(new Map());
  await annData(target, "");
  await frame(target, "obs", { _index: ["a", "b", "c", "d"] });
  await frame(target, "var", { _index: ["first", "50%,x?"] });
  await group(target, "obsm", { "encoding-type": "dict" });
  await array(target, "obsm/X_umap", [rows, 2], Float32Array.of(0, 0, 1, 0, 1, 1, 0, 1));
  await group(target, "X", { "encoding-type": "csr_matrix", shape: [rows, 2] });
  await array(target, "X/indptr", [rows + 1], BigInt64Array.of(0n, 1n, 2n, 3n, BigInt(count)));
  for (const [path, dtype] of [
    ["X/indices", "int32"],
    ["X/data", "float32"],
  ] as const)
    await create(target, { path, shape: [count], chunkShape: [chunk], dtype, fillValue: 1, zarrFormat: 3 });
  return target;
}

test("a scan of a matrix by rows is agreed to, shows its progress, and can be cancelled", async ({
  viewer,
  page,
}) => {
  const store = await largeMatrix();
  let isHeld = true;
  const held: (() => void)[] = [];
  await page.route("**/scan.zarr/**", async (route) => {
    const key = new URL(route.request().url()).pathname.split("/scan.zarr")[1]!;
    const isLate = /^\/X\/data\/c\/(\d+)$/.exec(key);
    if (isHeld && isLate && Number(isLate[1]) >= 8) await new Promise<void>((resolve) => held.push(resolve));
    const body = await store.get(key as "/");
    await route.fulfill(body ? { body: Buffer.from(body) } : { status: 404 }).catch(() => {}); // aborted
  });
  await viewer.show("source=/scan.zarr&path=obsm/X_umap");
  const gene = page.getByLabel("Gene", { exact: true });
  await gene.fill("50%,x?");
  await gene.press("Enter");
  await expect(page).toHaveURL(/by=gene:50%2525%252Cx%253F/);
  const notes = page.getByRole("list", { name: "Notes" });
  await expect(notes).toContainText("has not been read: its values are spread over up to");
  await notes.getByRole("button", { name: /^Read / }).click();
  await expect(notes).toContainText(/Reading 50%,x\?: 40 % of/);
  await notes.getByRole("button", { name: "Cancel" }).click();
  await expect(notes).toContainText("50%,x? has not been read.");
  isHeld = false;
  for (const resolve of held) resolve();
  await notes.getByRole("button", { name: "Try again" }).click();
  const legend = page.getByRole("list", { name: "50%,x?" });
  await expect(legend.getByRole("listitem")).toHaveText(["11e7"]);
  await expect(notes).toHaveCount(0);
});
