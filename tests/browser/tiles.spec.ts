// The tiled canvas: levels, order of arrival, memory.
import { amount } from "../node/support/amounts.js";
import { gray, grayTable } from "../shared/pixels.js";
import { largeValue, pyramidValue, spikeAt } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { holdBack, settles, type ViewerPage } from "./viewer-page.js";

/** Requested chunks of `pyramid`, in order: level and position. */
function watchPyramid({ page }: ViewerPage): string[] {
  const chunks: string[] = [];
  page.on("request", (request) => {
    const match = /\/stores\/pyramid\/(\d)\/c\/(\d+)\/(\d+)$/.exec(request.url());
    if (match) chunks.push(match.slice(1).join(" "));
  });
  return chunks;
}

const colours = "map=gray&range=0:256";

test("the level follows the zoom; the coarsest comes first", async ({ viewer }) => {
  const chunks = watchPyramid(viewer);
  for (const [scale, level] of [
    [2, 0],
    [0.5, 1],
    [0.25, 2],
  ] as const) {
    chunks.length = 0;
    await viewer.show(`source=/stores/pyramid&${colours}&at=512,512,${scale}`);
    // In elements of level 0, at the middle of an element of the level.
    const corner = { row: 448, column: 448 };
    const { width, data } = await viewer.pixels([448, 576], [448, 576]);
    for (let row = 0; row < 128; row += 8)
      for (let column = 0; column < 128; column += 8) {
        const at = [(corner.row + row) >> level, (corner.column + column) >> level];
        const shown = data[4 * ((row + (level > 0 ? 1 : 0)) * width + column + (level > 0 ? 1 : 0))];
        expect(shown).toBe(gray(pyramidValue(level, at), 0, 256));
      }
    expect(chunks[0]!.startsWith("2 ")).toBe(true);
    expect(new Set(chunks.map((chunk) => chunk[0]))).toEqual(new Set(["2", String(level)]));
    expect(new Set(chunks).size).toBe(chunks.length);
  }
});

test("the first picture takes few requests: finer levels are requested after it", async ({
  viewer,
  page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    const [, name] = /\/stores\/pyramid\/(.*)$/.exec(request.url()) ?? [];
    if (name !== undefined) asked.push(name);
  });
  const { release } = await holdBack(page, /\/stores\/pyramid\/2\/c\//);
  const shown = viewer.show(`source=/stores/pyramid&${colours}&at=512,512,0.5`);
  await expect.poll(() => asked.some((name) => name.startsWith("2/c/"))).toBe(true);
  await page.waitForTimeout(300);
  const first = [...asked];
  release();
  await shown;
  const chunks = first.filter((name) => name.includes("/c/"));
  expect(chunks.every((name) => name.startsWith("2/"))).toBe(true);
  // The group in all Zarr versions; the finest and the coarsest level.
  expect(first.length - chunks.length).toBeLessThanOrEqual(6);
  expect(asked.some((name) => name.startsWith("1/c/"))).toBe(true);
});

test("one-pixel elements are drawn at the view's positions, in boxes of odd and fractional sizes", async ({
  viewer,
}) => {
  const expected = grayTable(60, 70, [0, 256], (y, x) => largeValue([2070 + y, 1020 + x]));
  await viewer.show(`source=/stores/large&${colours}&at=2100,1050,1`);
  for (const [width, height] of [
    [401, 301],
    [400.6, 300.4],
    [402, 302],
  ] as const) {
    await viewer.box.evaluate((box, size) => Object.assign(box.style, size), {
      width: `${width}px`,
      maxHeight: `${height}px`,
    });
    await expect.poll(() => viewer.box.evaluate(({ clientHeight }) => clientHeight)).toBe(Math.round(height));
    await viewer.showsGray(expected, { row: 2070, column: 1020 });
    await viewer.pointAt(2080, 1030);
    await expect(viewer.readout).toContainText("[2080, 1030]");
  }
});

test("the memory of the cache is shown, and can be chosen", async ({ viewer, page }) => {
  // The panels arrive after the last frame.
  const { release } = await holdBack(page, /side-panels/);
  await viewer.show(`source=/stores/pyramid&${colours}`);
  release();
  const memory = page.getByRole("region", { name: "Memory" });
  await expect(memory).toContainText("in use");
  const choice = memory.getByLabel("Memory for cached data");
  await choice.selectOption({ label: "64 MiB" });
  await expect(choice).toHaveValue(String(64 * 2 ** 20));
  await viewer.reaches("ready");
});

test("zooming in asks for the finer level around the pointer only; a coarser one is shown until it arrives", async ({
  viewer,
  page,
}) => {
  await viewer.show(`source=/stores/pyramid&${colours}&at=512,512,0.25`);
  const failed = new Set<string>();
  page.on("requestfailed", (request) => failed.add(new URL(request.url()).pathname));
  // The intermediate level may be requested and aborted.
  const middle = await holdBack(page, /\/stores\/pyramid\/1\/c\//);
  const finest = await holdBack(page, /\/stores\/pyramid\/0\/c\//);
  const held = () => new Set(finest.held.filter((path) => !failed.has(path)));
  const box = (await viewer.box.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -200);
  await expect.poll(() => held().size).toBeGreaterThan(0);
  await viewer.reaches("reading");
  const { top, left, rows, columns } = await viewer.seen();
  const [row, column] = [Math.floor(top + rows / 2), Math.floor(left + columns / 2)];
  const shown = async () => (await viewer.pixels([row, row + 1], [column, column + 1])).data[0];
  expect(await shown()).toBe(gray(pyramidValue(2, [row >> 2, column >> 2]), 0, 256));
  const asked = held().size;
  middle.release();
  finest.release();
  await viewer.reaches("ready");
  await expect.poll(shown).toBe(gray(pyramidValue(0, [row, column]), 0, 256));
  const span = (from: number, count: number) => Math.floor((from + count) / 128) - Math.floor(from / 128) + 1;
  // Tiles in view, and around it: those in flight when they left the view.
  const most = (span(top, rows) + 2) * (span(left, columns) + 2);
  expect(Math.max(asked, held().size)).toBeLessThanOrEqual(most);
  expect(held().size).toBeLessThan(64);
});

test("values under the pointer come from the level that is shown, which is named", async ({ viewer }) => {
  await viewer.show(`source=/stores/pyramid&${colours}&at=512,512,0.25`);
  await viewer.pointAt(600, 400);
  await expect(viewer.readout).toHaveText(
    new RegExp(`^\\[600, 400\\] y 300 µm · x 200 µm\\s*${pyramidValue(2, [150, 100])} \\(level 2\\)$`),
  );
});

test("a spike of one sample among a million is seen at any zoom", async ({ viewer }) => {
  await viewer.show("source=/stores/spike");
  for (const scale of [0, 0.004, 0.1]) {
    await viewer.change(`source=/stores/spike${scale ? `&at=0,${spikeAt},${scale}` : ""}`);
    const { width, height, data } = await viewer.canvas();
    const { left, columns } = await viewer.seen();
    const x = Math.floor(((spikeAt + 0.5 - left) / columns) * width);
    const isDrawn = (column: number, row: number) => data[4 * (row * width + column) + 3]! > 0;
    const top = Math.round(height * (0.06 / 1.12)) + 3;
    const nearby = Array.from({ length: 5 }, (_, i) => x - 2 + i);
    expect(nearby.some((column) => isDrawn(column, top))).toBe(true);
    expect(nearby.some((column) => isDrawn(column, Math.round(height / 2)))).toBe(true);
    expect(isDrawn(Math.floor(width / 10), Math.round(height / 2))).toBe(false);
    expect(isDrawn(Math.floor(width / 10), Math.round(height * (1.06 / 1.12)))).toBe(true);
  }
});

const measuredPans = amount(30, 80);

test(`memory stays flat over ${20 + measuredPans} pans`, async ({ viewer, page }) => {
  await viewer.show(`source=/stores/large&${colours}&at=2000,1000,2`);
  const box = (await viewer.box.boundingBox())!;
  const pans = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const way = i % 2 === 0 ? 1 : -1;
      await page.mouse.move(box.x + 400, box.y + 300);
      await page.mouse.down();
      await page.mouse.move(box.x + 400 + 250 * way, box.y + 300 + 200 * way, { steps: 2 });
      await page.mouse.up();
    }
    await viewer.reaches("ready");
  };
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  const measure = async () => {
    await client.send("HeapProfiler.collectGarbage");
    const { metrics } = await client.send("Performance.getMetrics");
    const value = (name: string) => metrics.find((metric) => metric.name === name)!.value;
    return { heap: value("JSHeapUsedSize"), nodes: value("Nodes"), listeners: value("JSEventListeners") };
  };
  // The panels arrive after the picture.
  await expect(page.getByLabel("Colour map", { exact: true })).toBeVisible();
  await pans(20);
  await settles(page);
  const before = await measure();
  await pans(measuredPans);
  const after = await measure();
  expect(after.heap - before.heap).toBeLessThan(0.88 * 2 ** 20);
  expect(after.nodes - before.nodes).toBeLessThan(88);
  expect(after.listeners - before.listeners).toBeLessThan(22);
  await viewer.showsGray(
    grayTable(1, 1, [0, 256], () => largeValue([2000, 1000])),
    { row: 2000, column: 1000 },
  );
});
