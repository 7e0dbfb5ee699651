// Arrays that are not images: lines, single values, text, empty ones.
import { lineFaults } from "../shared/pixels.js";
import { lineValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";

test("one dimension is a line plot with values to read", async ({ viewer, page }) => {
  await viewer.show("source=/stores/line");
  await expect(viewer.box).toHaveAttribute("aria-label", /^Plot of a line/);
  const values = Array.from({ length: 200 }, (_, i) => lineValue([i]));
  expect(lineFaults(await viewer.canvas(), values)).toEqual([]);
  await viewer.pointAt(0, 23);
  const value = String(lineValue([23]));
  await expect(viewer.readout).toHaveText(new RegExp(`^\\[23\\]\\s*${value}$`));
  await viewer.pointAt(0, 85);
  await expect(viewer.readout).toHaveText(/^\[85\]\s*NaN$/);
  await expect(page.getByLabel("Colour map")).toBeHidden();
});

test("datetimes are read as dates", async ({ viewer }) => {
  await viewer.show("source=/stores/days");
  await viewer.pointAt(0, 2);
  await expect(viewer.readout).toHaveText(/^\[2\]\s*2020-01-15$/);
  await viewer.pointAt(0, 3);
  await expect(viewer.readout).toHaveText(/^\[3\]\s*NaT$/);
  // Turns of the calendar, each in one line.
  const ticks = viewer.page.locator(".zw-ruler-down .zw-tick");
  const months = await ticks.allTextContents();
  expect(months.length).toBeGreaterThan(3);
  for (const month of months) expect(month).toMatch(/^20(19|20)-\d\d$/);
  const heights = await ticks.evaluateAll((all) => all.map(({ clientHeight }) => clientHeight));
  expect(Math.max(...heights)).toBeLessThan(20);
});

test("single values, strings and empty arrays are not pictures", async ({ viewer, page, problems }) => {
  problems.expect(/404/); // documents of other versions
  await viewer.show("source=/stores/single");
  await expect(page.locator(".zw-value")).toHaveText("−42");
  await viewer.change("source=/stores/names");
  const rows = page.getByRole("region", { name: "Values" }).getByRole("row");
  await expect(rows).toHaveCount(13);
  await expect(rows.nth(5).getByRole("cell")).toHaveText(['"r4c0"', '"r4c1"', '"r4c2"']);
  await viewer.change("source=/stores/group&path=deep/words");
  await expect(page.getByRole("cell", { name: '"none"' })).toHaveCount(2);
  await viewer.change("source=/stores/nothing");
  await expect(page.locator(".zw-empty")).toContainText("no elements");
});

test("the facts match the metadata", async ({ viewer, page }) => {
  await viewer.show("source=/stores/cube");
  const facts = page.getByLabel("Facts about the array").locator("dl > div");
  await expect(facts).not.toHaveCount(0);
  const table = Object.fromEntries(
    await facts.evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))),
  );
  expect(table).toEqual({
    Shape: "4 × 5 × 6",
    "Data type": "int16",
    Size: "240 bytes",
    "Chunk shape": "2 × 2 × 4",
    Chunks: "12, each 32 bytes",
    "Fill value": "none (reads as zeros)",
    Codecs: "bytes endian big",
    "Zarr format": "1",
  });
  await expect(page.getByLabel("Facts about the array").locator("pre")).toContainText(
    '"long_name": "temperature"',
  );
});

test("only the middle of an expensive line is read, until the user requests all of it", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/); // missing chunks
  const chunks: string[] = [];
  page.on("request", (request) => {
    if (/long\/c\//.test(request.url())) chunks.push(request.url());
  });
  const metadata = {
    zarr_format: 3,
    node_type: "array",
    shape: [1e12],
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [2 ** 22] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 7,
    codecs: [{ name: "bytes" }],
  };
  await page.route("**/long/zarr.json", (route) => route.fulfill({ json: metadata }));
  await viewer.show("source=/long");
  expect(chunks.length).toBeLessThanOrEqual(64);
  const { left, columns } = await viewer.seen();
  expect(columns).toBeLessThan(2 ** 28);
  expect(left + columns / 2).toBeCloseTo(5e11, -8);
  await expect(page.getByRole("list", { name: "Notes" })).toContainText("This is the middle of a slice");
});

test("obs is a table of its columns, with the names of categories", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await viewer.show("source=/layers/spatial.zarr&path=tables/table/obs");
  const table = page.getByRole("table", { name: "3 rows of 3 columns" });
  await expect(table.getByRole("columnheader")).toHaveText(["_index", "kind", "depth"]);
  const cells = table.getByRole("row").filter({ hasText: "c1" }).getByRole("cell");
  await expect(cells).toHaveText(["c1", "stroma", "1.5"]);
  const last = table.getByRole("row").filter({ hasText: "c3" }).getByRole("cell");
  await expect(last.first()).toHaveText("c3");
});
