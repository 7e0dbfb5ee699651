// Pictures by WebGL2 and by a 2-D context: sharp, within the array, and alike.
import { colorTable } from "../../build/viewer/base/color-tables.js";
import { outsideColors } from "../../build/viewer/base/outside-colors.js";
import { grayRows, grayTable } from "../shared/pixels.js";
import { maskedValue, pictureValue } from "../shared/viewer-images.js";
import { byteValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { colourTable, settles, type ViewerPage, viewerWithWebGL } from "./viewer-page.js";

const gray = "map=gray&range=0:256";

/** The picture's gray values, pixel by pixel, once everything has been drawn. */
async function settled(viewer: ViewerPage): Promise<number[][]> {
  await settles(viewer.page);
  return grayRows(await viewer.canvas());
}

test("narrow, high elements stay sharp in their long direction", async ({ viewer }) => {
  for (const [axes, at] of [
    ["0,1", "8,32,0.7"],
    ["1,0", "32,8,2.8"],
  ] as const) {
    await viewer.show(`source=/stores/planks&${gray}&axes=${axes}&at=${at}`);
    // The background around the array is not gray.
    const grays = (await settled(viewer)).flat().filter((value) => value !== -1);
    expect(new Set(grays)).toEqual(new Set([40, 200]));
  }
});

for (const how of ["webgl", "canvas"] as const)
  test.describe(() => {
    test.use({ webgl: how === "webgl" });

    test(`colours, transparent pixels, edges, and values outside the range (${how})`, async ({
      viewer,
      page,
      problems,
    }) => {
      problems.expect(/404/);
      await viewer.show("source=/stores/picture");
      await expect(page.locator(".zw-canvas")).toHaveAttribute("data-renderer", how);
      const picture = (y: number, x: number) => [0, 1, 2].map((c) => pictureValue([y, x, c])).concat(255);
      await expect.poll(() => viewer.colours()).toEqual(colourTable(20, 30, picture));
      await viewer.pointAt(2, 3);
      await expect(viewer.readout).toContainText("Red 16 · Green 18 · Blue 230");
      await expect(page.locator(".zw-status")).toContainText("1 chunk,");

      await viewer.change("source=/stores/masked");
      const masked = (y: number, x: number) =>
        x < 10 ? [0, 0, 0, 0] : [0, 1, 2].map((c) => maskedValue([c, y, x])).concat(255);
      await expect.poll(() => viewer.colours()).toEqual(colourTable(20, 30, masked));

      // A coarse level draws nothing beyond the array's edge.
      await viewer.change(`source=/stores/overhang&${gray}&at=45,61,4`);
      const rows = await settled(viewer);
      const [y, x] = [rows.length / 2, rows[0]!.length / 2].map(Math.floor) as [number, number];
      expect([rows[y - 2]![x - 2], rows[y - 2]![x + 2], rows[y + 2]![x - 2]]).toEqual([100, -1, -1]);

      await viewer.change(`source=/stores/bytes&${gray}`);
      await viewer.showsGray(grayTable(5, 7, [0, 256], (row, column) => byteValue([row, column])));
      await viewer.change("source=/stores/holes&map=gray&range=1:4&outside=mark");
      const { below, above } = outsideColors(colorTable("gray"))!;
      const { width, data } = await viewer.pixels([0, 1], [0, 8]);
      expect(width).toBe(8);
      const at = (column: number) => [...data.subarray(4 * column, 4 * column + 4)];
      expect([at(1), at(2), at(3)]).toEqual([
        [0, 0, 0, 0],
        [...above, 255],
        [...below, 255],
      ]);
    });
  });

const labels = "source=/layers/segments.zarr&map=labels";
const cells = "source=/layers/tables.zarr&path=labels/cells";

test("interpolated pictures and labels look the same by WebGL and by a 2-D context", async ({
  viewer,
  page,
  site,
  problems,
}) => {
  problems.expect(/404/);
  const other = await viewerWithWebGL(page, site);
  for (const one of [viewer, other]) await one.show("source=/stores/bytes");
  for (const query of [
    ...["ocean&path=sst&lines=none", "slices&select=3,:,:&at=20,20,17", "depths&select=4,:,:"].map(
      (source) => `source=/stores/${source}&map=gray&outside=clamp&range=0:210&interpolation=linear`,
    ),
    ...["", "&outlines=yes", "&outlines=yes&hide=3,80000", "&pick=9,70001", "&pick=3&hide=70001"].map(
      (look) => labels + look,
    ),
    ...["&by=type", "&by=area&by-range=0:20&outlines=yes", "&by=area&pick=9,70001"].map(
      (look) => cells + look,
    ),
  ]) {
    const pictures = [];
    for (const one of [viewer, other]) {
      await one.change(query);
      if (query.includes("by=")) await expect(one.page.locator(".zw-legend-column")).toBeVisible();
      const isLabels = query.startsWith(labels) || query.startsWith(cells);
      pictures.push(isLabels ? await one.pixels([0, 32], [0, 32]) : await one.canvas());
    }
    const [a, b] = pictures;
    expect([a!.width, a!.height], query).toEqual([b!.width, b!.height]);
    const far = a!.data.findIndex((value, i) => Math.abs(value - b!.data[i]!) > 1);
    expect(far, query).toBe(-1);
  }
});

test("a view looks the same however it was reached", async ({ viewer, page }) => {
  const place = `source=/stores/comb&${gray}&at=32,2048`;
  await viewer.show(`${place},0.125`);
  const fresh = await settled(viewer);
  await viewer.show(`${place},1`);
  await settled(viewer);
  await viewer.box.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("-");
  await expect.poll(async () => (await viewer.seen()).columns / fresh[0]!.length).toBeCloseTo(8, 1);
  expect(await settled(viewer)).toEqual(fresh);
});
