// Pictures: canvas pixels against independently known values.

import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { get, open } from "zarr-wasm";
import { colorTable } from "../../build/viewer/base/color-tables.js";
import { outsideColors } from "../../build/viewer/base/outside-colors.js";
import { gray, grayTable } from "../shared/pixels.js";
import { examplesFolder } from "../shared/places.js";
import {
  cubeValue,
  labelValue,
  largeShape,
  largeValue,
  shiftValue,
  waveValue,
} from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";

test.use({ viewport: { width: 1280, height: 860 }, webgl: true });

test.beforeEach(({ problems }) => {
  problems.expect(/404/); // missing documents and chunks
});

interface Sample {
  name: string;
  store: string;
  shape: number[];
}

const samples = JSON.parse(readFileSync(path.join(examplesFolder, "samples.json"), "utf8")) as Sample[];

/** A sample read in Node. */
const sample = (store: string) =>
  open(pathToFileURL(path.join(examplesFolder, store)), { kind: "array", onWarning: () => {} });

/** Counts the pixels that differ from the grays of a float32 array between two values. */
function wrongPixels(
  data: Float32Array,
  length: number,
  pixels: { width: number; height: number; data: Buffer },
  [top, left]: readonly [number, number],
  [low, high]: readonly [number, number],
): number {
  let wrong = 0;
  for (let row = 0; row < pixels.height; row++)
    for (let column = 0; column < pixels.width; column++) {
      const shade = gray(data[(top + row) * length + left + column]!, low, high);
      const at = 4 * (row * pixels.width + column);
      if (Buffer.from([shade, shade, shade, 255]).compare(pixels.data, at, at + 4) !== 0) wrong++;
    }
  return wrong;
}

test("a real array over HTTP: every pixel matches its bytes, at three zooms", async ({ viewer }) => {
  const { data } = await get(await sample("field.zarr"));
  const values = data as Float32Array;
  await viewer.show("source=/examples/field.zarr");
  for (const [camera, top, left, rows, columns] of [
    ["512,512,1", 250, 130, 524, 764],
    ["256,300,4", 190, 210, 130, 180],
    ["700,777,24", 690, 762, 20, 30],
  ] as const) {
    await viewer.change(`source=/examples/field.zarr&map=gray&range=256:320&at=${camera}`);
    const pixels = await viewer.pixels([top, top + rows], [left, left + columns]);
    expect(wrongPixels(values, 1024, pixels, [top, left], [256, 320])).toBe(0);
  }
});

test("the start page offers the server's samples, each of which is one click away", async ({
  viewer,
  page,
}) => {
  await page.goto(`${viewer.site}/viewer/`);
  const links = page.locator("#gallery").getByRole("link");
  await page.getByText("Test data", { exact: true }).click();
  // The gallery's samples, then all others; samples in both lists appear once.
  await expect(links.filter({ hasText: /^hyper$/ })).toHaveCount(1);
  const sources = await links.evaluateAll((all) =>
    all.map((link) => new URL((link as HTMLAnchorElement).href).searchParams.get("source")),
  );
  expect(new Set(sources).size).toBe(sources.length);
  expect(sources).toEqual(expect.arrayContaining(samples.map(({ store }) => `/examples/${store}`)));
  await links.getByText("image", { exact: true }).click();
  await viewer.reaches("ready");
  await expect(page.getByRole("heading", { level: 2 })).toHaveText("image.zarr");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Public data" })).toBeVisible();
});

test("every sample is shown", async ({ viewer, page }) => {
  await viewer.show("source=/stores/bytes");
  for (const { store } of samples) {
    await viewer.change(`source=/examples/${store}`);
    const array = await sample(store);
    await expect(page.getByLabel("Facts about the array")).toContainText(array.shape.join(" × "));
    const { width, height, data } = await viewer.pixels();
    expect([height, width]).toEqual(array.shape.slice(-2));
    expect(new Set(data).size, store).toBeGreaterThan(4);
  }
});

test("big-endian numbers, truth values, and labels of 64-bit integers", async ({ viewer }) => {
  await viewer.show("source=/stores/cube&select=3,:,:&map=gray&range=206:334");
  await viewer.showsGray(grayTable(5, 6, [206, 334], (y, x) => cubeValue([3, y, x])));
  await viewer.change("source=/stores/mask");
  await viewer.showsGray(grayTable(8, 8, [0, 1], (row, column) => Number(row > column)));
  await viewer.pointAt(2, 1);
  await expect(viewer.readout).toHaveText(/^\[2, 1\]\s*true$/);
  // Labels have distinct colours.
  await viewer.change("source=/stores/labels&map=labels");
  const { data } = await viewer.pixels();
  const colours = new Map<bigint, Set<number>>();
  for (let i = 0; i < 36; i++) {
    const label = labelValue([Math.floor(i / 6), i % 6]);
    colours.set(label, (colours.get(label) ?? new Set()).add(data.readUInt32LE(4 * i)));
  }
  expect([...colours.values()].every((set) => set.size === 1)).toBe(true);
  expect(new Set([...colours.values()].flatMap((set) => [...set])).size).toBe(colours.size);
  await viewer.pointAt(5, 5);
  await expect(viewer.readout).toContainText("9007199254740993");
});

test("the automatic range is the minimum and maximum", async ({ viewer, page }) => {
  await viewer.show("source=/stores/cube&select=0,:,:&map=gray&scope=slice");
  await expect(page.getByLabel("Lowest value")).toHaveValue(String(cubeValue([0, 0, 0])));
  await expect(page.getByLabel("Highest value")).toHaveValue(String(cubeValue([0, 4, 5])));
  await viewer.showsGray(grayTable(5, 6, [-50, -5], (y, x) => cubeValue([0, y, x])));
});

test("NaN is transparent; infinity and values beyond the range look like its ends, or are marked", async ({
  viewer,
  page,
}) => {
  const ends = page.locator(".zw-legend-scale .zw-legend-end");
  const at = async (row: number, column: number) => {
    const { data } = await viewer.pixels([row, row + 1], [column, column + 1]);
    return [...data];
  };
  const endsHave = async (colors: readonly (readonly number[])[]) => {
    for (const [i, color] of colors.entries()) {
      await expect(ends.nth(i)).toBeVisible();
      await expect(ends.nth(i).locator("span")).toHaveCSS("background-color", `rgb(${color.join(", ")})`);
    }
  };
  // They look like the ends of the range, and triangles beside the bar say so.
  await viewer.show("source=/stores/holes&map=gray&range=1:4");
  const [black, white] = [
    [0, 0, 0],
    [255, 255, 255],
  ] as const;
  expect(await at(0, 1)).toEqual([0, 0, 0, 0]); // NaN: the background
  expect(await at(0, 2)).toEqual([...white, 255]); // +∞
  expect(await at(0, 3)).toEqual([...black, 255]);
  expect(await at(5, 1)).toEqual([...white, 255]);
  await endsHave([black, white]);
  await viewer.show("source=/stores/holes&map=gray&range=1:4&outside=mark");
  const { below, above } = outsideColors(colorTable("gray"))!;
  expect(await at(0, 1)).toEqual([0, 0, 0, 0]); // NaN: the background
  expect(await at(0, 2)).toEqual([...above, 255]); // +∞
  expect(await at(0, 3)).toEqual([...below, 255]);
  expect(await at(5, 1)).toEqual([...above, 255]);
  expect(await at(2, 0)).toEqual([85, 85, 85, 255]);
  expect(await at(4, 0)).toEqual([255, 255, 255, 255]); // 4 is still in the range
  await expect(page.locator(".zw-legend-note").last()).toHaveText(
    "13 elements are not numbers (chequered) · 1 element is infinite",
  );
  await endsHave([below, above]);
  // Without such values the legend has no triangles.
  await viewer.show("source=/stores/bytes&map=gray&range=0:255");
  await expect(page.locator(".zw-legend-bar").first()).toBeVisible();
  await expect(ends.nth(0)).toBeHidden();
  await expect(ends.nth(1)).toBeHidden();
});

test("a chunk that is not stored looks like its fill value, and has a pattern if wanted", async ({
  viewer,
  page,
}) => {
  await viewer.show("source=/stores/holes&map=gray");
  const colours = async () => {
    const { width, data } = await viewer.canvas();
    const box = (await viewer.box.boundingBox())!;
    const ratio = width / box.width;
    const [from, to] = [await viewer.positionOf(3, 4), await viewer.positionOf(5, 7)];
    const seen = new Set<number>();
    for (let y = Math.ceil(from.y * ratio); y < to.y * ratio; y++)
      for (let x = Math.ceil(from.x * ratio); x < to.x * ratio; x++)
        seen.add(data.readUInt32LE(4 * (y * width + x)));
    return seen;
  };
  await viewer.pointAt(4, 5);
  await expect(viewer.readout).toHaveText(/^\[4, 5\]\s*NaN \(fill value: the chunk is not stored\)$/);
  const entry = page.getByText("Chunk is not stored", { exact: true });
  expect([...(await colours())]).toEqual([0]); // its fill value is NaN
  await expect(entry).toBeHidden();
  await page.getByLabel("Mark chunks that are not stored").check();
  await expect(entry).toBeVisible();
  await expect(page).toHaveURL(/missing=mark/);
  await expect.poll(async () => (await colours()).size).toBeGreaterThan(1);
});

test("a large slice is drawn whole, every value where it belongs", async ({ viewer }) => {
  await viewer.show("source=/stores/large&map=gray&range=0:256");
  const [rows, columns] = largeShape;
  const { width, height } = await viewer.pixels();
  expect([height, width]).toEqual([rows, columns]);
  await viewer.show("source=/stores/large&map=gray&range=0:256&at=2100,1050,1");
  const corner = { row: 1900, column: 700 };
  const expected = grayTable(400, 700, [0, 256], (row, column) =>
    largeValue([corner.row + row, corner.column + column]),
  );
  await viewer.showsGray(expected, corner);
  await viewer.pointAt(2000, 1033);
  await expect(viewer.readout).toHaveText(new RegExp(`^\\[2000, 1033\\]\\s*${largeValue([2000, 1033])}$`));
});

test("only the middle of an expensive slice is read, until the user requests all of it", async ({
  viewer,
  page,
}) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await viewer.show("source=/stores/huge");
  const chunks = requests.filter((url) => /\/\d+\.\d+$/.test(url));
  expect(chunks.length).toBeGreaterThan(0);
  expect(chunks.length).toBeLessThanOrEqual(32); // 256 MiB of 8-MB chunks
  await expect(page.getByRole("list", { name: "Notes" })).toContainText("a slice of 160,000 chunks (1.2 TiB");
  await expect(page.getByRole("button", { name: "Read the whole slice" })).toBeVisible();
});

test("a part of a complex number", async ({ viewer }) => {
  const row = (part: 0 | 1) => grayTable(1, 64, [-1, 1], (_, column) => waveValue([0, column])[part]);
  await viewer.show("source=/stores/waves&select=0:1,:&part=imaginary&map=gray&range=-1:1");
  await viewer.showsGray(row(1), { row: 0, column: 0 });
  await viewer.choose("Part", "Real part");
  await viewer.choose("Colour map", "gray");
  await viewer.choose("Value range", "Manual");
  await viewer.enter("Lowest value", -1);
  await viewer.enter("Highest value", 1);
  await viewer.showsGray(row(0), { row: 0, column: 0 });
});

test("a field of structured elements, and all fields under the pointer", async ({ viewer }) => {
  await viewer.show("source=/stores/records&field=shift&map=gray&range=0:64&outside=clamp");
  await viewer.showsGray(grayTable(4, 6, [0, 64], (row, column) => shiftValue([row, column])));
  await viewer.choose("Field", "gain");
  await viewer.choose("Colour map", "gray");
  await viewer.choose("Value range", "Manual");
  await viewer.enter("Lowest value", 0);
  await viewer.enter("Highest value", 8);
  await viewer.showsGray(grayTable(4, 6, [0, 8], (row, column) => row + column / 4));
  await viewer.pointAt(2, 1);
  await expect(viewer.readout).toHaveText(/^\[2, 1\]\s*name: "abc", gain: 2.25, shift: 8$/);
});

test("colours and limits belong to the current array, not to the previous one", async ({ viewer, page }) => {
  await viewer.show("source=/stores/bytes&map=gray");
  const alone = await viewer.pixels();
  const limits = async () => [
    await page.getByLabel("Lowest value", { exact: true }).inputValue(),
    await page.getByLabel("Highest value", { exact: true }).inputValue(),
  ];
  // The values of `bytes` range from 0 to 178.
  await expect.poll(limits).toEqual(["0", "178"]);
  await viewer.show("source=/stores/large&map=gray");
  await viewer.open("source=/stores/bytes&map=gray");
  await expect(viewer.box).toHaveAttribute("data-extent", "5,7");
  await viewer.reaches("ready");
  await expect.poll(limits).toEqual(["0", "178"]);
  await expect.poll(async () => (await viewer.pixels()).data.equals(alone.data)).toBe(true);
});

test("half floats: the range excludes infinite values, which can have their own colours", async ({
  viewer,
  page,
}) => {
  await viewer.show("source=/stores/halves&map=gray&outside=mark");
  await expect(page.getByLabel("Lowest value", { exact: true })).toHaveValue("0");
  await expect(page.getByLabel("Highest value", { exact: true })).toHaveValue("3");
  const at = async (row: number, column: number) => [
    ...(await viewer.pixels([row, row + 1], [column, column + 1])).data,
  ];
  expect(await at(0, 3)).toEqual([...outsideColors(colorTable("gray"))!.above, 255]);
  expect((await at(1, 0))[3]).toBe(0);
  expect(await at(0, 2)).toEqual([255, 255, 255, 255]);
  expect(await at(1, 2)).toEqual([0, 0, 0, 255]);
});
