// Layers over the picture: images of other scales, points and shapes, labels.
import { readFileSync } from "node:fs";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { isWhole } from "../node/support/amounts.js";
import { segments, square, turnedRows, turnedValue } from "../shared/viewer-layers.js";
import { expect, test } from "./site.js";
import {
  canvasPixel,
  canvasPixelAt,
  elementIsReady,
  openElements,
  settles,
  type ViewerPage,
  viewerWithWebGL,
} from "./viewer-page.js";

const layersParameter = (layers: readonly Record<string, unknown>[]) =>
  `layers=${encodeURIComponent(JSON.stringify(layers))}`;

type Rgb = readonly [red: number, green: number, blue: number];

/** The first column, in device pixels, of a row with a colour, and the end of the last one. */
async function columnsWith(
  viewer: ViewerPage,
  y: number,
  isWanted: (color: Rgb) => boolean,
): Promise<[number, number]> {
  const { width, data } = await viewer.canvas();
  const found = Array.from({ length: width }, (_, x) => x).filter((x) => {
    const at = 4 * (y * width + x);
    return isWanted([data[at]!, data[at + 1]!, data[at + 2]!]);
  });
  return [found[0]!, found.at(-1)! + 1];
}

test.describe("with WebGL", () => {
  test.use({ webgl: true });

  test("images of different scales and units coincide", async ({ viewer }) => {
    const layers = [{ src: "/layers/coarse.zarr", color: "#ff0000", opacity: 0.5, range: "0:200" }];
    const query = `source=/layers/fine.zarr&map=gray&range=0:256&${layersParameter(layers)}`;
    await viewer.show(query);
    for (const camera of ["", "&at=20,22,9.37", "&at=17.3,31.9,2.71"]) {
      await viewer.change(query + camera);
      // Half of gray 128, and half of red 255.
      const pixel = async () => [...(await viewer.pixels([20, 21], [20, 21])).data];
      await expect.poll(pixel).toEqual([192, 64, 64, 255]);
      const { width, height } = await viewer.canvas();
      const { top, left, rows, columns } = await viewer.seen();
      const y = Math.floor(((20.5 - top) / rows) * height);
      // The ground around the picture is lighter.
      const fine = await columnsWith(viewer, y, ([, green]) => green >= 32 && green <= 200);
      const coarse = await columnsWith(viewer, y, ([red, green]) => red - green >= 60);
      for (const [i, at] of [square.from, square.to].entries()) {
        const expected = Math.min(width, Math.max(0, ((at - left) / columns) * width));
        expect(Math.abs(coarse[i]! - expected)).toBeLessThanOrEqual(0.5);
        expect(Math.abs(fine[i]! - expected)).toBeLessThanOrEqual(0.5);
      }
    }
  });
});

test("an additive layer adds; a hidden one does not; both are in the link", async ({ viewer, page }) => {
  const query = "source=/layers/fine.zarr&map=gray&range=0:256";
  const layer = { src: "/layers/coarse.zarr", color: "#ff0000", range: "0:200", blend: "add" };
  await viewer.show(`${query}&${layersParameter([layer])}`);
  const pixel = async () => [...(await viewer.pixels([20, 21], [20, 21])).data];
  await expect.poll(pixel).toEqual([255, 128, 128, 255]);
  await viewer.pointAt(20, 20);
  await expect(viewer.readout).toContainText("128 · coarse.zarr: 200");
  const row = page.getByRole("group", { name: "Layer coarse.zarr" });
  await row.getByRole("checkbox").uncheck();
  await expect.poll(pixel).toEqual([128, 128, 128, 255]);
  await expect
    .poll(() => new URL(page.url()).searchParams.get("layers"))
    .toBe(
      JSON.stringify(
        [{ ...layer, color: "ff0000", src: layer.src, visible: "no" }].map(
          ({ src, visible, blend, range, color }) => ({ src, visible, blend, range, color }),
        ),
      ),
    );
  await page.reload();
  await viewer.reaches("ready");
  await expect(row.getByRole("checkbox")).not.toBeChecked();
  expect(await pixel()).toEqual([128, 128, 128, 255]);
  await row.getByRole("button", { name: "Remove coarse.zarr" }).click();
  await expect(row).toHaveCount(0);
  await expect.poll(() => new URL(page.url()).searchParams.get("layers")).toBeNull();
});

test("a layer may leave the picture, and be moved and enlarged", async ({ viewer }) => {
  const change = (layer: Record<string, unknown>) =>
    viewer.change(
      `source=/layers/fine.zarr&map=gray&range=0:256&at=64,64,3&${layersParameter([{ color: "#ff0000", range: "0:200", ...layer }])}`,
    );
  const red = async (row: number, column: number) =>
    (await viewer.pixels([row, row + 1], [column, column + 1])).data[0] === 255;
  await viewer.show("source=/layers/fine.zarr");
  // 24 µm are the centre of element 48: it covers 48 to 112.
  await change({ src: "/layers/beyond.zarr" });
  await expect.poll(() => red(100, 100)).toBe(true);
  expect([await red(48, 48), await red(47, 48), await red(111, 111), await red(112, 111)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  await change({ src: "/layers/beyond.zarr", translate: "-24,-14" });
  await expect.poll(() => red(30, 30)).toBe(true);
  expect([await red(0, 20), await red(0, 19), await red(63, 83), await red(64, 83)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  await change({ src: "/layers/beyond.zarr", scale: 0.5 });
  await expect.poll(() => red(30, 30)).toBe(true);
  expect([await red(24, 24), await red(23, 24), await red(55, 55), await red(56, 55)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test("children of the element are layers", async ({ page, site, problems }) => {
  await openElements(
    page,
    site,
    `<zarr-viewer id="one" src="/layers/fine.zarr" colormap="gray" range="0:256">
      <zarr-layer src="/layers/coarse.zarr" color="#00ff00" range="0:200"></zarr-layer>
    </zarr-viewer>`,
  );
  const one = page.locator("#one");
  await elementIsReady(page, "one");
  const layers = () =>
    one.evaluate((viewer) => (viewer as ZarrViewerElement).view!.settings.layers as readonly object[]);
  expect(await layers()).toMatchObject([{ source: "/layers/coarse.zarr", color: "00ff00" }]);
  const pixel = () => canvasPixelAt(one.locator(".zw-canvas"), 3 / 8);
  await expect.poll(pixel).toEqual([0, 255, 0, 255]);
  await one.evaluate((viewer) => viewer.querySelector("zarr-layer")!.setAttribute("opacity", "0"));
  await expect.poll(pixel).toEqual([128, 128, 128, 255]);
  problems.expect(/layers=.* cannot be used/);
  await one.evaluate((viewer) => viewer.querySelector("zarr-layer")!.setAttribute("opacity", "2"));
  await expect.poll(() => problems.all.length).toBe(1);
  await expect.poll(pixel).toEqual([0, 255, 0, 255]);
  await one.evaluate((viewer) => viewer.querySelector("zarr-layer")!.remove());
  await expect.poll(pixel).toEqual([128, 128, 128, 255]);
  expect(await layers()).toEqual([]);
});

test("a layer that cannot be shown is named, and the picture stays", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await viewer.show(
    `source=/layers/fine.zarr&${layersParameter([{ src: "/layers/none.zarr" }, { src: "/layers/broken.geojson" }])}`,
  );
  await expect(page.getByText(/The layer none\.zarr cannot be shown: /)).toBeVisible();
  await expect(
    page.getByText("The layer broken.geojson cannot be shown: its features are not a list."),
  ).toBeVisible();
  await viewer.reaches("ready");
});

type TurnedRow = (typeof turnedRows)[number];

/** The element of the turned image at a position of the picture; undefined beside it. */
function turnedElement(row: number, column: number): [row: number, column: number] | undefined {
  const [[a, b, e], [c, d, f]] = turnedRows as [TurnedRow, TurnedRow];
  const [y, x, size] = [row - e, column - f, a * d - b * c];
  const own = [Math.floor((d * y - b * x) / size), Math.floor((a * x - c * y) / size)] as const;
  return own[0] >= 0 && own[0] < 48 && own[1] >= 0 && own[1] < 64 ? [...own] : undefined;
}

test("an image that its metadata turn and shear lies within half a pixel, with and without WebGL", async ({
  viewer,
  page,
  site,
}) => {
  const other = await viewerWithWebGL(page, site);
  const turned = { src: "/layers/spatial.zarr", path: "images/turned", color: "#ff0000", range: "0:255" };
  const address = (camera: string) =>
    `${spatial.replace(/&at=.*/, "")}${camera}&${layersParameter([turned])}`;
  for (const one of [viewer, other]) await one.show(address(""));
  const cameras = ["", "&at=30,25,9.37", "&at=20,40,2.71", "&at=32,32,0.6"];
  for (const camera of isWhole ? cameras : cameras.slice(1, 3)) {
    const pictures: Buffer[] = [];
    for (const one of [viewer, other]) {
      await one.change(address(camera));
      await expect.poll(async () => (await one.pixels([34, 35], [20, 21])).data[1]).toBe(0);
      const { width, height, data } = await one.canvas();
      pictures.push(data);
      const { top, left, rows, columns } = await one.seen();
      const at = (x: number, y: number) =>
        turnedElement(top + (y / height) * rows, left + (x / width) * columns);
      const value = (x: number, y: number) => {
        const element = at(x, y);
        return element && turnedValue(...element);
      };
      let [checked, wrong] = [0, 0];
      for (let y = 0; y < height; y += 3)
        for (let x = 0; x < width; x += 2) {
          const around = [0, 0.5, 1].flatMap((j) => [0, 0.5, 1].map((i) => value(x + i, y + j)));
          const [first] = around;
          if (around.some((one_) => one_ !== first)) continue;
          checked++;
          const [red, green] = [data[4 * (y * width + x)]!, data[4 * (y * width + x) + 1]!];
          if (first === undefined ? green === 0 : green !== 0 || Math.abs(red - first) > 1) wrong++;
        }
      expect(checked).toBeGreaterThan(1000);
      expect(wrong).toBe(0);
    }
    const [first, second] = pictures as [Buffer, Buffer];
    expect(first.length).toBe(second.length);
    let differing = 0;
    for (let i = 0; i < first.length; i += 4) if (Math.abs(first[i]! - second[i]!) > 2) differing++;
    expect(differing).toBeLessThan(first.length / 4 / 100);
  }
  await viewer.change(`${spatial}&${layersParameter([turned])}`);
  for (const [row, column] of [
    [34, 20],
    [20, 30],
  ] as const) {
    const element = turnedElement(row + 0.5, column + 0.5)!;
    await viewer.pointAt(row, column);
    await expect(viewer.readout).toContainText(`turned: Channel 0 ${turnedValue(...element)}`);
  }
});

test("damaged chunks of a turned image are hatched, with and without WebGL", async ({
  viewer,
  page,
  site,
  problems,
}) => {
  problems.expect(/500/);
  const other = await viewerWithWebGL(page, site);
  const turned = { src: "/layers/spatial.zarr", path: "images/turned", color: "#ff0000", range: "0:255" };
  for (const one of [viewer, other]) {
    await one.page.route("**/turned/0/0.0.0", (route) => route.fulfill({ status: 500 }));
    await one.show(`${spatial}&${layersParameter([turned])}`);
    await expect(one.page.getByRole("list", { name: "Notes" })).toContainText("500");
    await settles(one.page);
    const { width, height, data } = await one.canvas();
    const { top, left, rows, columns } = await one.seen();
    const isDamaged = (x: number, y: number) => {
      const at = turnedElement(top + (y / height) * rows, left + (x / width) * columns);
      return at !== undefined && at[0] < 16 && at[1] < 24;
    };
    const colors = new Set<number>();
    let [checked, wrong] = [0, 0];
    for (let y = 1; y < height - 1; y++)
      for (let x = 1; x < width - 1; x++) {
        const is = isDamaged(x + 0.5, y + 0.5);
        if (isDamaged(x - 1, y - 1) !== is || isDamaged(x + 2, y + 2) !== is) continue;
        if (isDamaged(x - 1, y + 2) !== is || isDamaged(x + 2, y - 1) !== is) continue;
        const color = data.readUIntBE(4 * (y * width + x), 3);
        checked++;
        if (is) colors.add(color);
        if (is !== (color === 0xffd6cc || color === 0xb22020)) wrong++;
      }
    expect(checked).toBeGreaterThan(1000);
    expect([colors, wrong]).toEqual([new Set([0xffd6cc, 0xb22020]), 0]);
  }
});

test("over a picture that its metadata turn, the other image lies as it does under it", async ({
  viewer,
}) => {
  const layer = { src: "/layers/spatial.zarr", path: "images/picture", color: "#00ff00", range: "0:20" };
  await viewer.show(
    `source=/layers/spatial.zarr&path=images/turned&map=gray&at=24,32,8&${layersParameter([layer])}`,
  );
  const isGreen = async (row: number, column: number) => {
    const [red, green] = (await viewer.pixels([row, row + 1], [column, column + 1])).data;
    return red === 0 && green === 255;
  };
  // The picture covers 0 to 64: y = 0.8 row − 0.45 column + 14, x = 0.6 row + 0.9 column − 6.
  await expect.poll(() => isGreen(10, 20)).toBe(true);
  expect([await isGreen(2, 3), await isGreen(0, 34), await isGreen(4, 4), await isGreen(20, 30)]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test("the picture below a layer can be faint, with and without WebGL", async ({ viewer, page, site }) => {
  const other = await viewerWithWebGL(page, site);
  const layers = layersParameter([
    { src: "/layers/coarse.zarr", color: "#ff0000", opacity: 0.5, range: "0:200" },
  ]);
  for (const one of [viewer, other]) {
    await one.show("source=/layers/fine.zarr&map=gray&range=0:256&image-opacity=0.5");
    // Half of gray 128 and of white paper.
    const pixel = async () => [...(await one.pixels([20, 21], [20, 21])).data];
    const isNear = async (expected: readonly number[]) =>
      (await pixel()).every((value, i) => Math.abs(value - expected[i]!) <= 2); // mixed twice
    await expect.poll(() => isNear([192, 192, 192, 255])).toBe(true);
    await one.change(`source=/layers/fine.zarr&map=gray&range=0:256&image-opacity=0.5&${layers}`);
    await expect.poll(() => isNear([224, 96, 96, 255])).toBe(true);
  }
  await viewer.slide("Opacity of the picture", 100);
  await expect(page).not.toHaveURL(/image-opacity/);
});

/** Red, green, blue, opacity of the points and shapes at the centre of an element. */
const overlayPixel = async (viewer: ViewerPage, row: number, column: number): Promise<number[]> =>
  canvasPixel(viewer.page.locator(".zw-map-lines[data-layers]"), await viewer.positionOf(row, column));

test("points, lines and areas of GeoJSON lie at their coordinates, and have their properties", async ({
  viewer,
  page,
}) => {
  const layers = [{ src: "/layers/cells.geojson", color: "", size: 8 }];
  await viewer.show(`source=/layers/fine.zarr&map=gray&range=0:256&at=16,16,16&${layersParameter(layers)}`);
  await expect(page.locator(".zw-map-lines[data-layers='1']")).toBeAttached();
  // 12, 6 µm are the centre of the element in row 12, column 24.
  expect((await overlayPixel(viewer, 12, 24)).slice(0, 4)).toEqual([0, 255, 0, 255]);
  expect((await overlayPixel(viewer, 12, 25))[3]).toBe(0);
  // Inside the area, in its hole, outside.
  expect((await overlayPixel(viewer, 5, 5))[3]).toBeGreaterThan(40);
  expect((await overlayPixel(viewer, 7, 7))[3]).toBe(0);
  expect((await overlayPixel(viewer, 2, 2))[3]).toBe(0);
  expect((await overlayPixel(viewer, 28, 10))[3]).toBe(255);
  await viewer.pointAt(12, 24);
  await expect(viewer.readout).toContainText("cells.geojson: class: stroma, area: 9.5");
  await viewer.pointAt(5, 5);
  await expect(viewer.readout).toContainText("cells.geojson: id: left, class: epithelial, area: 64");
  await viewer.pointAt(7, 7);
  await expect(viewer.readout).not.toContainText("cells.geojson");
});

const spatial = "source=/layers/spatial.zarr&path=images/picture&map=gray&range=0:256&at=32,32,10";

test("symbols of any size are opaque, and a file name may have a percent sign", async ({ viewer, page }) => {
  const point = { type: "Point", coordinates: [8, 8] };
  await page.route("**/100%.geojson", (route) => route.fulfill({ body: JSON.stringify(point) }));
  await page.route("**/100%25.geojson", (route) => route.fulfill({ body: JSON.stringify(point) }));
  const layers = [{ src: "/layers/100%.geojson", color: "#00ff00", size: 90 }];
  await viewer.show(`source=/layers/fine.zarr&map=gray&at=16,16,16&${layersParameter(layers)}`);
  await expect(page.locator(".zw-map-lines[data-layers='1']")).toBeAttached();
  await expect.poll(() => overlayPixel(viewer, 16, 18)).toEqual([0, 255, 0, 255]);
});

test("points of SpatialData are transformed, coloured by a column, and described", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  const layer = { src: "/layers/spatial.zarr", path: "points/transcripts", by: "gene", size: 9 };
  await viewer.show(`${spatial}&${layersParameter([layer])}`);
  await expect(page.locator(".zw-map-lines[data-layers='1']")).toBeAttached();
  // x' = 2y + 4, y' = 2x + 8: 4.25, 6.25 is 16.5, 16.5; the centre of an element.
  const [first, second, third] = await Promise.all([
    overlayPixel(viewer, 16, 16),
    overlayPixel(viewer, 32, 16),
    overlayPixel(viewer, 48, 44),
  ]);
  expect([first[3], second[3], third[3]]).toEqual([255, 255, 255]);
  expect(third).toEqual(first);
  expect(second).not.toEqual(first);
  expect((await overlayPixel(viewer, 16, 18))[3]).toBe(0);
  await viewer.pointAt(32, 16);
  await expect(viewer.readout).toContainText("transcripts: x: 12.25, y: 6.25, gene: Gapdh");
});

test("polygons and circles of SpatialData, also of its first version", async ({ viewer, page }) => {
  const at = (name: string) => ({ src: "/layers/spatial.zarr", path: `shapes/${name}`, color: "#ff0000" });
  await viewer.show(`${spatial}&${layersParameter([at("cells")])}`);
  await expect(page.locator(".zw-map-lines[data-layers='1']")).toBeAttached();
  // 5 to 10 become 20 to 30 across and 10 to 20 down.
  const isPainted = async (row: number, column: number) => (await overlayPixel(viewer, row, column))[3]! > 0;
  expect([await isPainted(15, 25), await isPainted(15, 18), await isPainted(22, 25)]).toEqual([
    true,
    false,
    false,
  ]);
  await viewer.pointAt(15, 25);
  await expect(viewer.readout).toContainText("cells: cell: a");
  await viewer.change(`${spatial}&${layersParameter([at("spots")])}`);
  await expect(page.locator(".zw-map-lines[data-layers='1']")).toBeAttached();
  // A circle around 30, 40 of radius 6, and one around 50, 40 of radius 3.
  expect([
    await isPainted(44, 30),
    await isPainted(47, 30),
    await isPainted(41, 50),
    await isPainted(44, 50),
  ]).toEqual([true, false, true, false]);
  await viewer.pointAt(40, 52);
  await expect(viewer.readout).toContainText("spots: radius: 1.5");
  await viewer.change(`${spatial}&${layersParameter([at("old")])}`);
  await expect(page.locator(".zw-map-lines[data-layers='1']")).toBeAttached();
  expect([
    await isPainted(11, 11),
    await isPainted(14, 14),
    await isPainted(35, 35),
    await isPainted(25, 25),
  ]).toEqual([true, false, true, false]);
});

test("shapes have the columns of their table, and share its selection", async ({
  viewer,
  page,
  site,
  problems,
}) => {
  problems.expect(/404/);
  const layer = { src: "/layers/shapes.zarr", path: "shapes/outlines", by: "kind" };
  await viewer.show(`${spatial}&${layersParameter([layer])}`);
  await expect(page.locator(".zw-map-lines[data-layers='1']")).toBeAttached();
  const inside = () => Promise.all([15, 35, 55].map(async (place) => overlayPixel(viewer, place, place)));
  const [b, a, none] = await inside();
  // Gray without a row.
  expect(none!.slice(0, 3).every((part) => Math.abs(part - none![0]!) <= 4)).toBe(true);
  expect(b!.slice(0, 3)).not.toEqual(a!.slice(0, 3));
  await viewer.pointAt(15, 15);
  await expect(viewer.readout).toContainText(
    "outlines: cell_id: b, _index: r2, id: b, region: outlines, kind: stroma",
  );
  await viewer.pointAt(51, 55);
  await expect(viewer.readout).toContainText("outlines: cell_id: c");
  await expect(viewer.readout).not.toContainText("kind");
  // A click selects: the other shapes become faint.
  await viewer.box.click({ position: await viewer.positionOf(35, 35) });
  await expect.poll(async () => (await inside())[0]![3]).toBeLessThan(b![3]! / 2);
  expect((await inside())[1]![3]).toBe(a![3]);
  await viewer.box.click({ position: await viewer.positionOf(45, 20) });
  await expect.poll(async () => (await inside())[0]![3]).toBe(b![3]);
  // Linked with the scatter plot of the table, whose rows have no whole numbers as identifiers.
  await openElements(
    page,
    site,
    `<zarr-viewer id="shapes" src="/layers/spatial.zarr" path="images/picture" link="a">
       <zarr-layer src="${layer.src}" path="${layer.path}"></zarr-layer></zarr-viewer>
     <zarr-viewer id="plot" src="/layers/shapes.zarr" path="tables/table/obsm/X_umap" link="a"></zarr-viewer>`,
  );
  const shapes = page.locator("#shapes");
  await expect(shapes.locator(".zw-map-lines[data-layers='1']")).toBeAttached();
  await elementIsReady(page, "plot");
  const box = shapes.locator(".zw-box").first();
  const { width, height } = (await box.boundingBox())!;
  // The picture fills the height of its box.
  const side = Math.min(width, height);
  await box.click({
    position: { x: width / 2 + side * (15 / 64 - 0.5), y: height / 2 + side * (15 / 64 - 0.5) },
  });
  await expect
    .poll(() =>
      page.evaluate(
        () => (document.querySelector("#plot") as ZarrViewerElement).view!.settings.labels.selected,
      ),
    )
    .toEqual([2]);
});

test("the panel colours a layer by a column, which the legend and figures explain", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  const layer = { src: "/layers/shapes.zarr", path: "shapes/outlines" };
  await viewer.show(`${spatial}&${layersParameter([layer])}`);
  const row = page.getByRole("group", { name: "Layer outlines" });
  const column = row.getByLabel("Colour by");
  await expect(column.locator("option")).toHaveText([
    ...["None", "cell_id", "_index", "id", "region", "kind", "size"],
  ]);
  await expect(row.getByLabel("Colour", { exact: true })).toBeVisible();
  await expect(row.getByLabel("Blending")).toBeHidden();
  await column.selectOption("kind");
  const items = (name: string) => page.getByRole("list", { name }).getByRole("listitem");
  await expect(items("outlines: kind")).toHaveText(["stroma1", "tumour1", "no value1"]);
  await expect(row.getByLabel("Colour", { exact: true })).toBeHidden();
  await expect(row.getByLabel("Colour map")).toBeHidden();
  await column.selectOption("size");
  await expect(items("outlines: size")).toHaveText(["13", "no value1"]);
  await row.getByLabel("Colour map").selectOption("gray");
  await row.getByLabel("Lowest value of the column").fill("0");
  await page.getByRole("button", { name: "Zoom in" }).click(); // a limit that has been entered stays
  await page.getByRole("button", { name: "Whole slice" }).click();
  await row.getByLabel("Highest value of the column").fill("2");
  await row.getByLabel("Highest value of the column").press("Enter");
  await expect(items("outlines: size")).toHaveText(["0≥ 2", "no value1"]);
  await expect
    .poll(() => JSON.parse(new URL(page.url()).searchParams.get("layers")!) as unknown)
    .toEqual([{ ...layer, colormap: "gray", range: "0:2", by: "size" }]);
  await page.getByRole("button", { name: "Figure…" }).click();
  const dialog = page.getByRole("dialog", { name: "Figure" });
  await dialog.getByLabel("Format").selectOption("svg");
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  const svg = readFileSync(await (await downloading).path(), "utf8");
  for (const text of ["outlines: size", "≥ 2", "no value"]) expect(svg).toContain(`>${text}<`);
  // A triangle at the upper end of the bar.
  expect(svg).toMatch(/<polygon points="[^"]+" fill="rgb\(255,255,255\)"\/>/);
  await page.keyboard.press("Escape");
  await row.getByRole("checkbox").first().uncheck();
  await expect(items("outlines: size")).toHaveCount(0);
});

test("the legend names layers of one colour, and images with their ranges", async ({ viewer, page }) => {
  const layers = [
    { src: "/layers/coarse.zarr", color: "#ff0000", range: "0:200" },
    { src: "/layers/cells.geojson", color: "#00ff00" },
  ];
  await viewer.show(`source=/layers/fine.zarr&${layersParameter(layers)}`);
  const legend = page.getByRole("group", { name: "Colours of layers" });
  await expect(legend.locator(".zw-legend-column")).toHaveText(["coarse.zarr0200", "cells.geojson"]);
  await expect(legend.locator(".zw-legend-color .zw-legend-cap")).toHaveCSS(
    "background-color",
    "rgb(0, 255, 0)",
  );
  const row = page.getByRole("group", { name: "Layer cells.geojson" });
  await row.getByRole("checkbox").first().uncheck();
  await expect(legend.locator(".zw-legend-column")).toHaveText(["coarse.zarr0200"]);
});

test("observations of AnnData lie at their positions, with the columns of obs", async ({ viewer, page }) => {
  const layer = { src: "/layers/spatial.zarr", path: "tables/table", by: "kind", size: 9 };
  await viewer.show(`${spatial}&${layersParameter([layer])}`);
  await expect(page.locator(".zw-map-lines[data-layers='1']")).toBeAttached();
  const pixels = await Promise.all([
    overlayPixel(viewer, 10, 10),
    overlayPixel(viewer, 10, 30),
    overlayPixel(viewer, 50, 50),
  ]);
  expect(pixels.map(([, , , alpha]) => alpha)).toEqual([255, 255, 255]);
  expect(pixels[2]).toEqual([128, 128, 128, 255]);
  expect(pixels[0]).not.toEqual(pixels[1]);
  await viewer.pointAt(10, 10);
  await expect(viewer.readout).toContainText("table: _index: c1, kind: stroma, depth: 1.5");
});

const labelled = "source=/layers/segments.zarr&map=labels";

/** Whether the middle and the corner of each label differ from the background. */
async function drawnParts(viewer: ViewerPage): Promise<boolean[][]> {
  const { data, width } = await viewer.pixels([0, 32], [0, 32]);
  const at = (row: number, column: number) => data.readUInt32LE(4 * (row * width + column));
  return segments.map(([, row, column]) =>
    [at(row + 4, column + 4), at(row, column)].map((one) => one !== at(0, 0)),
  );
}

test("labels are drawn as outlines, hidden and selected, also those without a table entry", async ({
  viewer,
}) => {
  await viewer.show(`${labelled}`);
  expect(await drawnParts(viewer)).toEqual(Array(4).fill([true, true]));
  const plain = (await viewer.pixels([0, 32], [0, 32])).data;
  await viewer.change(`${labelled}&outlines=yes`);
  expect(await drawnParts(viewer)).toEqual(Array(4).fill([false, true]));
  await viewer.change(`${labelled}&hide=3,80000`);
  expect(await drawnParts(viewer)).toEqual([
    [false, false],
    [true, true],
    [true, true],
    [false, false],
  ]);
  await viewer.change(`${labelled}&pick=70001`);
  const picked = (await viewer.pixels([0, 32], [0, 32])).data;
  const isSame = segments.map(([, row, column]) => {
    const at = 4 * (32 * (row + 4) + column + 4);
    return picked.readUInt32LE(at) === plain.readUInt32LE(at);
  });
  expect(isSame).toEqual([false, true, false, false]);
});

test("a click selects a label, a second one no longer; the background none", async ({ viewer, page }) => {
  await viewer.show(labelled);
  const click = async (row: number, column: number) =>
    viewer.box.click({ position: await viewer.positionOf(row, column) });
  await click(8, 8);
  await expect(page).toHaveURL(/pick=3(&|$)/);
  await click(8, 20);
  await expect(page).toHaveURL(/pick=3,70001(&|$)/);
  await expect(page.getByLabel("Selected labels")).toHaveValue("3, 70001");
  await click(8, 8);
  await expect(page).toHaveURL(/pick=70001(&|$)/);
  await click(1, 1);
  await expect(page).not.toHaveURL(/pick=/);
  await page.getByLabel("Outlines only").check();
  await expect.poll(() => drawnParts(viewer)).toEqual(Array(4).fill([false, true]));
  await viewer.enter("Hidden labels", "9");
  await expect(page).toHaveURL(/outlines=yes&hide=9/);
});
