// Elements at their coordinates: irregular axes, maps that wrap around, curvilinear grids.

import { Healpix } from "../../web/src/conventions/cells/healpix.js";
import { meshGrid } from "../../web/src/conventions/cells/mesh.js";
import { dualMesh, icosphere } from "../shared/cell-grids.js";
import { gray } from "../shared/pixels.js";
import { cellValue } from "../shared/viewer-groups.js";
import {
  depths,
  oceanValue,
  sectionValue,
  turnedPlace,
  turnedShape,
  turnedValue,
} from "../shared/viewer-images.js";
import { expect, test } from "./site.js";
import { canvasPixel, settles, type ViewerPage, viewerWithWebGL } from "./viewer-page.js";

test.use({ viewport: { width: 1280, height: 860 } });

/** The picture's pixel at a position of its box. */
const colourAt = (viewer: ViewerPage, at: { readonly x: number; readonly y: number }) =>
  canvasPixel(viewer.box.locator(".zw-canvas"), at);

const look = "map=gray&outside=clamp";

test("levels are drawn at their depths, and the readout, rulers and cursor agree", async ({
  viewer,
  page,
}) => {
  await viewer.show(`source=/stores/section&path=salt&${look}&range=0:160`);
  // World rows are 1/8 of the whole depth, from the surface to 1,250 m.
  const worldRow = (depth: number) => (depth / 1250) * 8 - 0.5;
  for (const [level, depth] of depths.entries()) {
    if (depth < 60) continue; // less than a pixel high
    const at = await viewer.positionOf(worldRow(depth), 4);
    expect((await colourAt(viewer, at))[0]).toBe(gray(sectionValue([level, 4]), 0, 160));
    await viewer.box.hover({ position: at });
    await expect(viewer.readout).toContainText(`[${level}, 4]`);
    await expect(viewer.readout).toContainText(`depth ${depth} m`);
  }
  // The cursor is as high as the cell: from 750 to 1,250 m.
  const cursor = (await page.locator(".zw-cursor").boundingBox())!;
  const picture = (await viewer.box.boundingBox())!;
  const row = await viewer.positionOf(worldRow(750), 4);
  expect(cursor.y - picture.y).toBeCloseTo(row.y, -0.5);
  const ticks = page.locator(".zw-view .zw-ruler-down .zw-tick");
  await expect(ticks.first()).toBeVisible();
  const text = await ticks.allTextContents();
  expect(text.some((tick) => tick.includes("500"))).toBe(true);
  await viewer.choose("Elements", "As equal cells");
  await expect(page).toHaveURL(/places=index/);
  await expect
    .poll(async () => (await colourAt(viewer, await viewer.positionOf(0, 4)))[0])
    .toBe(gray(sectionValue([0, 4]), 0, 160));
});

test("a map from 0 to 360° is centred on a longitude, and wraps around when dragged", async ({
  viewer,
  page,
}) => {
  await viewer.show(`source=/stores/ocean&path=sst&${look}&range=0:210&meridian=0`);
  const expectColumn = async (position: number, column: number) => {
    const colour = async () => {
      const { x, y } = await viewer.positionOf(9, position);
      return (await colourAt(viewer, { x: x + 2, y: y + 2 }))[0];
    };
    await expect.poll(colour).toBe(gray(oceanValue([9, column]), 0, 210));
    await viewer.box.hover({ position: await viewer.positionOf(9, position) });
    await expect(viewer.readout).toContainText(`[9, ${column}]`);
  };
  // Columns 18 to 35 are west of the middle.
  await expectColumn(-5, 31);
  await expectColumn(-18, 18);
  await expectColumn(3, 3);
  await expectColumn(17, 17);
  await page.getByLabel("Longitude at the middle").fill("90");
  await page.getByLabel("Longitude at the middle").press("Enter");
  await expect(page).toHaveURL(/meridian=90/);
  await expectColumn(-9, 27);
  const [from, to] = [await viewer.positionOf(9, 9), await viewer.positionOf(9, 15)];
  const box = (await viewer.box.boundingBox())!;
  await page.mouse.move(box.x + from.x, box.y + from.y);
  await page.mouse.down();
  await page.mouse.move(box.x + to.x, box.y + to.y, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/at=/);
  const { left, columns } = await viewer.seen();
  expect(left + columns / 2).toBeCloseTo(3, 0);
  await expectColumn(-13, 23);
  await page.reload();
  await viewer.reaches("ready");
  await expectColumn(-13, 23);
});

test("a curvilinear grid is drawn as a map; pointing, readout and coasts agree", async ({ viewer, page }) => {
  await viewer.show(`source=/stores/turned&path=speed&${look}&range=0:240`);
  await expect(page.locator(".zw-map-lines")).toHaveAttribute("data-lines", "graticule,coasts");
  const box = viewer.box;
  /** Position of a place in the box, from the ticks of the rulers. */
  const [width, height] = await box.evaluate((element) => [element.clientWidth, element.clientHeight]);
  const scales = await page.evaluate(() => {
    const root = document.querySelector("zarr-viewer")?.shadowRoot ?? document;
    const read = (name: string, side: "left" | "top") =>
      [...root.querySelectorAll<HTMLElement>(`.zw-view .zw-ruler-${name} .zw-tick`)].map((tick) => {
        const [, number, letter] = /^([\d.]+)°\s*([NSEW]?)/.exec(tick.textContent!)!;
        return [
          Number(number) * (letter === "S" || letter === "W" ? -1 : 1),
          Number.parseFloat(tick.style[side]),
        ];
      });
    return { across: read("across", "left"), down: read("down", "top") };
  });
  const place = (ticks: number[][], at: number) => {
    const [[a, x], [b, y]] = [ticks[0]!, ticks.at(-1)!] as [[number, number], [number, number]];
    return (x + ((at - a) / (b - a)) * (y - x)) / 100;
  };
  for (const [j, i] of [
    [0, 0],
    [11, 19],
    [0, 19],
    [5, 10],
  ] as const) {
    const [longitude, latitude] = turnedPlace([j, i]);
    const at = { x: place(scales.across, longitude) * width!, y: place(scales.down, latitude) * height! };
    await box.hover({ position: at });
    await expect(viewer.readout).toContainText(`[${j}, ${i}]`);
    await expect(viewer.readout).toContainText(`${Number(latitude.toPrecision(4)).toString().slice(0, 4)}`);
    const [value] = await colourAt(viewer, { x: at.x + 3, y: at.y + 3 });
    expect(value).toBe(gray(turnedValue([j, i]), 0, 240));
  }
  // A corner of the map is outside the turned grid.
  await box.hover({
    position: { x: place(scales.across, turnedPlace([11, 0])[0]) * width!, y: height! - 30 },
  });
  await expect(viewer.readout).not.toContainText("[");
  await viewer.choose("Elements", "As equal cells");
  await expect.poll(async () => (await viewer.seen()).rows).toBeGreaterThanOrEqual(turnedShape[0]);
  expect((await viewer.seen()).columns).toBeGreaterThanOrEqual(turnedShape[1]);
  await viewer.pointAt(11, 0);
  await expect(viewer.readout).toContainText("[11, 0]");
});

test("damaged chunks of a curvilinear grid are hatched, with and without WebGL", async ({
  viewer,
  page,
  site,
  problems,
}) => {
  problems.expect(/500/);
  const other = await viewerWithWebGL(page, site);
  const query = `source=/stores/turned&path=speed&${look}&range=0:240&lines=none`;
  const [rows, columns] = turnedShape;
  const isDamaged = new Map(
    Array.from({ length: rows * columns }, (_, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      return [gray(turnedValue([row, column]), 0, 240), row < rows / 2 && column < columns / 2];
    }),
  );
  for (const one of [viewer, other]) {
    await one.show(query);
    await settles(one.page);
    const whole = await one.canvas();
    await one.page.route("**/turned/speed/c/0/0", (route) => route.fulfill({ status: 500 }));
    await one.show(query);
    await expect(one.page.getByRole("list", { name: "Notes" })).toContainText("500");
    // The notes take room from the picture.
    await one.page.locator(".zw-notes").evaluate((notes) => notes.remove());
    await expect.poll(async () => (await one.canvas()).height).toBe(whole.height);
    await settles(one.page);
    const { data } = await one.canvas();
    const colors = new Set<number>();
    let wrong = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [before, after] = [whole.data.readUInt32BE(at), data.readUInt32BE(at)];
      if ((before & 255) === 255 && isDamaged.get(before >>> 24)) colors.add(after);
      else if (before !== after) wrong++;
    }
    expect([colors, wrong]).toEqual([new Set([0xffd6ccff, 0xb22020ff]), 0]);
  }
});

test("interpolated values lie on lines between those of the elements", async ({ viewer, page }) => {
  const source = `source=/stores/ocean&path=sst&${look}&range=0:210&lines=none`;
  await viewer.show(source);
  await page.getByLabel("Interpolate between elements").check();
  await expect(page).toHaveURL(/interpolation=linear/);
  const between = async () => {
    const [a, b] = [await viewer.positionOf(9, 17), await viewer.positionOf(9, 18)];
    return [0, 0.25, 0.5, 0.75, 1].map((part) => ({ x: a.x + part * (b.x - a.x), y: a.y }));
  };
  const colours = async () =>
    Promise.all((await between()).map(async (at) => (await colourAt(viewer, at))[0]!));
  const [first, last] = [gray(oceanValue([9, 17]), 0, 210), gray(oceanValue([9, 18]), 0, 210)];
  const grayAt = (part: number) => first + part * (last - first);
  await expect
    .poll(async () => (await colours()).every((colour, i) => Math.abs(colour - grayAt(i / 4)) <= 1))
    .toBe(true);
});

/** Every pixel on a grid over a whole map in degrees has the colour of its cell. */
async function showsCells(
  viewer: ViewerPage,
  cellAt: (longitude: number, latitude: number) => number,
  time = 0,
) {
  const { top, left, rows: high, columns: wide } = await viewer.seen();
  const { width, height } = (await viewer.box.locator(".zw-canvas").boundingBox())!;
  // The map is as wide as the box.
  const step = 360 / wide;
  for (let y = 60.5; y < height; y += 97)
    for (let x = 5.5; x < width; x += 89) {
      const longitude = -180 + (left + (x / width) * wide) * step;
      const latitude = 90 - (top + (y / height) * high) * step;
      if (Math.abs(latitude) >= 90) continue;
      const cell = cellAt(longitude, latitude);
      const [red] = await colourAt(viewer, { x: x - 0.5, y: y - 0.5 });
      expect(red, `${longitude}, ${latitude}`).toBe(gray(cellValue(time, cell), 0, 250));
    }
}

test("cells of HEALPix are drawn at their places, and named", async ({ viewer, page }) => {
  await viewer.show(`source=/groups/healpix.zarr&path=height&${look}&range=0:250&select=1,:,:`);
  const cells = new Healpix(8, "nested");
  await showsCells(viewer, (longitude, latitude) => cells.at(longitude, latitude), 1);
  const { width, height } = (await viewer.box.boundingBox())!;
  await viewer.box.hover({ position: { x: width / 2 + 0.5, y: height / 2 + 0.5 } });
  await expect(viewer.readout).toContainText(/\[1, 282\]\s0°\s5\.625°\sE/);
  await page.mouse.down();
  await page.mouse.move(500, 400, { steps: 4 });
  await page.mouse.up();
  await settles(viewer.page);
});

test("polygons of an unstructured grid are drawn at their places", async ({ viewer }) => {
  await viewer.show(`source=/groups/polygons.zarr&path=height&${look}&range=0:250`);
  const mesh = dualMesh(icosphere(2));
  const grid = (await meshGrid({ ...mesh, count: mesh.nodes.length / mesh.corners }))!;
  await showsCells(viewer, grid.cellAt.bind(grid));
});
