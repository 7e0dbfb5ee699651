// Pictures: canvas pixels against values that the tests know by themselves.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { get, open } from "zarr-wasm";
import { gray, grayTable } from "../shared/pixels.js";
import { examplesFolder } from "../shared/places.js";
import {
  byteValue,
  cubeValue,
  holePixel,
  labelValue,
  largeShape,
  largeValue,
  shiftValue,
  waveValue,
} from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";

interface Sample {
  name: string;
  store: string;
  shape: number[];
}

const samples = JSON.parse(readFileSync(path.join(examplesFolder, "samples.json"), "utf8")) as Sample[];

/** A sample read in Node. */
const sample = (store: string) =>
  open(pathToFileURL(path.join(examplesFolder, store)), { kind: "array", onWarning: () => {} });

test("a real array over HTTP: every pixel is what its bytes say", async ({ viewer }) => {
  await viewer.show("source=/examples/field.zarr&map=gray&range=256:320");
  const { data } = await get(await sample("field.zarr"));
  const pixels = await viewer.pixels();
  expect([pixels.width, pixels.height]).toEqual([1024, 1024]);
  const wrong = Array.from(data as Float32Array, (value, i) => {
    const shade = gray(value, 256, 320);
    return Buffer.from([shade, shade, shade, 255]).compare(pixels.data, 4 * i, 4 * i + 4);
  }).filter((difference) => difference !== 0).length;
  expect(wrong).toBe(0);
});

test("the page offers the server's samples, and shows the first one", async ({ viewer, page }) => {
  await page.goto(`${viewer.site}/viewer/`);
  await viewer.reaches("ready");
  const links = page.getByRole("navigation", { name: "Samples" }).getByRole("link");
  await expect(links).toHaveText(samples.map(({ name }) => name));
  await expect(page.locator("a[aria-current]")).toHaveText(samples[0]!.name);
});

test("every sample is shown", async ({ viewer, page, problems }) => {
  problems.expect(/404/); // chunks that are missing on purpose
  for (const { store } of samples) {
    await viewer.show(`source=/examples/${store}`);
    const array = await sample(store);
    await expect(page.locator(".zw-facts")).toContainText(array.shape.join(" × "));
    const { width, height, data } = await viewer.pixels();
    expect([height, width]).toEqual(array.shape.slice(-2));
    expect(new Set(data).size, store).toBeGreaterThan(4);
  }
});

test("a slice of a volume in big-endian order", async ({ viewer }) => {
  await viewer.show("source=/stores/cube&select=3,:,:&map=gray&range=206:334");
  const expected = grayTable(5, 6, [206, 334], (y, x) => cubeValue([3, y, x]));
  await viewer.showsGray(expected);
});

test("whole numbers get the gray of their value", async ({ viewer }) => {
  await viewer.show("source=/stores/bytes&map=gray&range=0:256");
  await viewer.showsGray(grayTable(5, 7, [0, 256], (row, column) => byteValue([row, column])));
});

test("the automatic range goes from the least to the greatest value", async ({ viewer, page }) => {
  await viewer.show("source=/stores/cube&select=0,:,:&map=gray");
  await expect(page.getByLabel("Lowest value")).toHaveValue(String(cubeValue([0, 0, 0])));
  await expect(page.getByLabel("Highest value")).toHaveValue(String(cubeValue([0, 4, 5])));
  await viewer.showsGray(grayTable(5, 6, [-50, -5], (y, x) => cubeValue([0, y, x])));
});

test("missing chunks and NaN are transparent, infinity is at the end", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await viewer.show("source=/stores/holes&map=gray&range=0:8");
  await viewer.showsGray(grayTable(6, 8, [0, 8], (row, column) => holePixel([row, column])));
  await expect(page.locator(".zw-legend-note")).toHaveText(
    "13 elements are not numbers (chequered) · 1 element is infinite",
  );
  await viewer.pointAt(4, 5, [6, 8]);
  await expect(viewer.readout).toHaveText(/^\[4, 5\]\s*NaN$/);
});

test("labels of 64-bit integers get colours of their own", async ({ viewer }) => {
  await viewer.show("source=/stores/labels&map=labels");
  const { data } = await viewer.pixels();
  const colours = new Map<bigint, Set<number>>();
  for (let i = 0; i < 36; i++) {
    const label = labelValue([Math.floor(i / 6), i % 6]);
    colours.set(label, (colours.get(label) ?? new Set()).add(data.readUInt32LE(4 * i)));
  }
  expect([...colours.values()].every((set) => set.size === 1)).toBe(true);
  expect(new Set([...colours.values()].flatMap((set) => [...set])).size).toBe(colours.size);
  await viewer.pointAt(5, 5, [6, 6]);
  await expect(viewer.readout).toContainText("9007199254740993");
});

test("a large slice is drawn with a step, which is said", async ({ viewer, page }) => {
  await viewer.show("source=/stores/large&map=gray&range=0:256");
  const [rows, columns] = [largeShape[0] / 3, largeShape[1] / 2];
  const { width, height, data } = await viewer.pixels();
  expect([height, width]).toEqual([rows, columns]);
  for (let i = 0; i < rows * columns; i += 997) {
    const [row, column] = [Math.floor(i / columns), i % columns];
    expect(data[4 * i]).toBe(largeValue([3 * row, 2 * column]));
  }
  await expect(page.getByRole("list", { name: "Notes" })).toContainText(
    "only every 3rd index of axis 0 and every 2nd index of axis 1 is drawn",
  );
  await viewer.pointAt(700, 1000, [rows, columns]);
  await expect(viewer.readout).toHaveText(/^\[\d+, \d+\]\s*\d+$/);
  const [, y, x, value] = /\[(\d+), (\d+)\]\s*(\d+)/.exec((await viewer.readout.textContent())!)!;
  expect([Number(y) % 3, Number(x) % 2]).toEqual([0, 0]);
  expect(Number(value)).toBe(largeValue([Number(y), Number(x)]));
});

test("of a slice that costs too much the middle is read, until all of it is asked for", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await viewer.show("source=/stores/huge");
  const chunks = requests.filter((url) => /\/\d+\.\d+$/.test(url));
  expect(chunks.length).toBeGreaterThan(0);
  expect(chunks.length).toBeLessThanOrEqual(32); // 256 MiB of chunks of 8 MB
  await expect(page.getByRole("list", { name: "Notes" })).toContainText("a slice of 160,000 chunks (1.2 TiB");
  await expect(page.getByRole("button", { name: "Read the whole slice" })).toBeVisible();
});

test("a part of a complex number", async ({ viewer }) => {
  const row = (part: 0 | 1) => grayTable(1, 64, [-1, 1], (_, column) => waveValue([0, column])[part]);
  await viewer.show("source=/stores/waves&select=0:1,:&part=imaginary&map=gray&range=-1:1");
  await viewer.showsGray(row(1));
  await viewer.choose("Part", "Real part");
  await viewer.choose("Colour map", "Gray");
  await viewer.choose("Value range", "Manual");
  await viewer.enter("Lowest value", -1);
  await viewer.enter("Highest value", 1);
  await viewer.showsGray(row(0));
});

test("a field of structured elements, and all fields under the pointer", async ({ viewer }) => {
  await viewer.show("source=/stores/records&field=shift&map=gray&range=0:64");
  await viewer.showsGray(grayTable(4, 6, [0, 64], (row, column) => shiftValue([row, column])));
  await viewer.choose("Field", "gain");
  await viewer.choose("Colour map", "Gray");
  await viewer.choose("Value range", "Manual");
  await viewer.enter("Lowest value", 0);
  await viewer.enter("Highest value", 8);
  await viewer.showsGray(grayTable(4, 6, [0, 8], (row, column) => row + column / 4));
  await viewer.pointAt(2, 1, [4, 6]);
  await expect(viewer.readout).toHaveText(/^\[2, 1\]\s*name: "abc", gain: 2.25, shift: 8$/);
});

test("truth values", async ({ viewer }) => {
  await viewer.show("source=/stores/mask");
  await viewer.showsGray(grayTable(8, 8, [0, 1], (row, column) => Number(row > column)));
  await viewer.pointAt(2, 1, [8, 8]);
  await expect(viewer.readout).toHaveText(/^\[2, 1\]\s*true$/);
});
