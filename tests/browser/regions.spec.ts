// Regions, their statistics and series.
import { sliceValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import type { ViewerPage } from "./viewer-page.js";

const slices = "source=/stores/slices&select=4,:,:&map=gray&range=0:256";

async function drag(viewer: ViewerPage, from: readonly [number, number], to: readonly [number, number]) {
  const box = (await viewer.box.boundingBox())!;
  const { mouse } = viewer.page;
  const at = async ([row, column]: readonly [number, number]) => {
    const { x, y } = await viewer.positionOf(row, column);
    await mouse.move(box.x + x, box.y + y, { steps: 4 });
  };
  await at(from);
  await mouse.down();
  await at(to);
  await mouse.up();
}

/** Mean, minimum and maximum of a rectangle of a slice, with its last row and column. */
function statisticsOf(slice: number, [top, left, bottom, right]: readonly [number, number, number, number]) {
  const values: number[] = [];
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++) values.push(sliceValue([slice, row, column]));
  return {
    mean: values.reduce((a, b) => a + b, 0) / values.length,
    min: Math.min(...values),
    max: Math.max(...values),
  };
}

const brief = (value: number) => String(Number(value.toPrecision(5)));

test("a region is drawn by each tool, is in the link, and has statistics", async ({ viewer, page }) => {
  await viewer.show(slices);
  const panel = page.getByRole("group", { name: "Regions" });
  await panel.getByRole("radio", { name: "Rectangle" }).check();
  await drag(viewer, [10, 20], [20, 40]);
  await expect(page).toHaveURL(/regions=Region[^&]*rectangle/);
  // The centres of the corners are in or out by rounding: the link has the exact corners.
  const [, corners] = /rectangle@1,2:([\d.,]+)/.exec(decodeURIComponent(page.url()))!;
  const [top, left, bottom, right] = corners!.split(",").map((at) => Number(at)) as [
    number,
    number,
    number,
    number,
  ];
  const inside = [
    Math.ceil(top - 0.5),
    Math.ceil(left - 0.5),
    Math.ceil(bottom - 0.5) - 1,
    Math.ceil(right - 0.5) - 1,
  ];
  const { mean, min, max } = statisticsOf(4, inside as [number, number, number, number]);
  await expect(panel).toContainText(`mean ${brief(mean)}`);
  await expect(panel).toContainText(`${brief(min)} to ${brief(max)}`);
  for (const [tool, count] of [
    ["Ellipse", 2],
    ["Line", 3],
    ["Polygon", 4],
  ] as const) {
    await panel.getByRole("radio", { name: tool }).check();
    if (tool === "Polygon") {
      for (const [row, column] of [
        [40, 10],
        [40, 30],
        [55, 20],
        [40, 10],
      ] as const)
        await viewer.box.click({ position: await viewer.positionOf(row, column) });
    } else await drag(viewer, [30, 30], [50, 50]);
    await expect(panel.locator(".zw-region")).toHaveCount(count);
  }
  await panel.getByRole("radio", { name: "Point" }).check();
  await viewer.box.click({ position: await viewer.positionOf(5, 6) });
  await expect(panel.locator(".zw-region").last()).toContainText(`mean ${brief(sliceValue([4, 5, 6]))} `);
  await viewer.show(new URL(page.url()).search.slice(1));
  await expect(panel.locator(".zw-region")).toHaveCount(5);
  await panel.getByRole("button", { name: "Remove all" }).click();
  await expect(page).not.toHaveURL(/regions=/);
});

test("series of regions follow an axis; the marker changes the slice", async ({ viewer, page }) => {
  const regions = encodeURIComponent("A=rectangle@1,2:10,20,20,40;B=point@1,2:5.5,6.5");
  await viewer.show(`${slices}&regions=${regions}`);
  const panel = page.getByRole("group", { name: "Regions" });
  await expect(panel.locator(".zw-series-line")).toHaveCount(2);
  const slider = panel.getByRole("slider");
  await expect(slider).toHaveValue("4");
  await slider.press("ArrowRight");
  await expect(page).toHaveURL(/select=5,/);
  const download = page.waitForEvent("download");
  await panel.getByRole("button", { name: "Save as CSV" }).click();
  const stream = await (await download).createReadStream();
  const text = Buffer.concat(await stream.toArray()).toString();
  const rows = text
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(",").slice(1).map(Number));
  expect(rows).toHaveLength(9);
  for (const [slice, row] of rows.entries()) {
    const { mean, min, max } = statisticsOf(slice, [10, 20, 19, 39]);
    expect(row[0]).toBeCloseTo(mean, 9);
    expect(row.slice(1)).toEqual([min, max, ...Array(3).fill(sliceValue([slice, 5, 6]))]);
  }
});

const cells = "source=/layers/tables.zarr&path=labels/cells";

test("selected labels become regions, which the link keeps", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await viewer.show(`${cells}&pick=4,9`);
  const panel = page.getByRole("group", { name: "Regions" });
  await panel.getByRole("button", { name: "Add selected labels" }).click();
  await expect(panel.locator(".zw-region")).toHaveCount(2);
  await expect(panel.getByRole("textbox", { name: "Name of label 4" })).toBeVisible();
  await expect(panel.locator(".zw-region").first()).toContainText("mean 4 · std 0 · 4 to 4 · n 64");
  // The same labels are not added again.
  await panel.getByRole("button", { name: "Add selected labels" }).click();
  await expect(page).toHaveURL(/regions=label 4=labels@0,1:\/4;label 9=labels@0,1:\/9|regions=label%204/);
  await page.reload();
  await expect(panel.locator(".zw-region").last()).toContainText("mean 9 · std 0");
  await expect(panel.locator(".zw-region")).toHaveCount(2);
});

test("GeoJSON is pasted or dropped onto the panel, which counts unusable shapes", async ({
  viewer,
  page,
}) => {
  await viewer.show(slices);
  const panel = page.getByRole("group", { name: "Regions" });
  const give = (kind: "paste" | "drop", text: string) =>
    panel
      .locator(".zw-group")
      .first()
      .evaluate(
        (element, [event, content]) => {
          const data = new DataTransfer();
          if (event === "drop") data.items.add(new File([content!], "a.geojson"));
          else data.setData("text/plain", content!);
          const options = { bubbles: true, cancelable: true };
          element.dispatchEvent(
            event === "drop"
              ? new DragEvent("drop", { ...options, dataTransfer: data })
              : new ClipboardEvent("paste", { ...options, clipboardData: data }),
          );
        },
        [kind, text] as const,
      );
  const ring = [
    [10, 10],
    [20, 10],
    [20, 20],
    [10, 10],
  ];
  const features = [
    { type: "Feature", properties: { name: "<b>A</b>" }, geometry: { type: "Polygon", coordinates: [ring] } },
    { type: "Feature", properties: {}, geometry: { type: "LineString", coordinates: ring } },
  ];
  await give("paste", JSON.stringify({ type: "FeatureCollection", features }));
  await expect(panel.locator(".zw-region")).toHaveCount(1);
  await expect(panel.getByRole("textbox", { name: "Name of <b>A</b>" })).toBeVisible();
  await expect(panel.locator(".zw-share-said")).toContainText("1 shape cannot be a region");
  await give("drop", JSON.stringify({ type: "Point", coordinates: [3, 4] }));
  await expect(panel.locator(".zw-region")).toHaveCount(2);
  await expect(panel.locator(".zw-share-said")).toHaveText("");
  // The source stays open.
  await expect(page).toHaveURL(/source=\/stores\/slices/);
  await give("drop", "{");
  await expect(panel.locator(".zw-share-said")).toContainText("The GeoJSON cannot be read");
  await give("paste", "[3]");
  await expect(panel.locator(".zw-share-said")).toContainText("1 shape cannot be a region");
  // Other text is pasted as text.
  await give("paste", "a name");
  await expect(panel.locator(".zw-region")).toHaveCount(2);
});
