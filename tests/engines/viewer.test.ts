/** The viewer in every engine: its main functions work, and the console stays empty. */
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { grayRows, grayTable, lineFaults } from "../shared/pixels.js";
import {
  byteValue,
  cubeValue,
  dayValue,
  groupValue,
  holePixel,
  largeValue,
  lineValue,
  shiftValue,
  waveValue,
} from "../shared/viewer-stores.js";
import type { Driver } from "./drivers/driver.js";
import { engines, keepPicture, start } from "./engines.js";
import { type Site, startSite } from "./site.js";
import { ViewerPage } from "./viewer-page.js";

const range = [-64, 448] as const;
const cube = `source=/stores/cube&map=gray&range=${range.join(":")}`;
const plane = (z: number) => grayTable(5, 6, range, (y, x) => cubeValue([z, y, x]));
const patient = { timeout: 60_000 };

describe.each(engines)("%s", (engine) => {
  let driver: Driver;
  beforeAll(async () => {
    driver = await start(engine);
  });
  afterAll(() => driver?.close());

  describe.each(["not isolated", "isolated"] as const)("%s", (isolation) => {
    let site: Site;
    let viewer: ViewerPage;
    beforeAll(async () => {
      site = await startSite(isolation === "isolated");
      viewer = new ViewerPage(driver, site);
    });
    afterAll(() => site?.close());

    describe("viewer", () => {
      afterEach(async () => {
        expect(await viewer.problems()).toEqual([]);
        expect(site.violations).toEqual([]);
      });

      /** A test that saves a screenshot on failure. */
      const test = (name: string, work: () => Promise<void>) =>
        it(name, async () => {
          onTestFailed(() => keepPicture(driver, `${engine} ${isolation} ${name}`));
          await work();
        });

      test("shows a sample", async () => {
        await viewer.show("source=/examples/image.zarr");
        const rows = grayRows(await viewer.canvas());
        expect(rows.length).toBeGreaterThan(100);
        const coloured = rows.flat().filter((gray) => gray === -1);
        expect(coloured.length).toBeGreaterThan(10_000);
        // It covers a visible part of the window.
        const size = await driver.evaluate<number[]>(
          `(({ width, height }) => [width, height])(document.querySelector(".zw-canvas").getBoundingClientRect())`,
        );
        expect(Math.min(...size)).toBeGreaterThan(200);
        expect((await driver.screenshot()).byteLength).toBeGreaterThan(10_000);
      });

      test("draws every element", async () => {
        await viewer.show("source=/stores/bytes&map=gray&range=0:256");
        expect(await viewer.grays()).toEqual(grayTable(5, 7, [0, 256], (y, x) => byteValue([y, x])));
      });

      test("steps along an axis, by number and by slider", async () => {
        await viewer.show(`${cube}&select=1,:,:`);
        expect(await viewer.grays()).toEqual(plane(1));
        await viewer.enter("Index along axis 0", "3");
        await expect.poll(() => viewer.grays(), patient).toEqual(plane(3));
        await viewer.press("axis 0", "ArrowLeft");
        await expect.poll(() => viewer.grays(), patient).toEqual(plane(2));
        await expect.poll(() => driver.evaluate("location.search"), patient).toContain("select=2");
      });

      test("chooses axes, and swaps them", async () => {
        await viewer.show(`${cube}&select=1,:,:`);
        const tab = (place: number) => driver.click(`.zw-tab:nth-child(${place})`);
        await viewer.control("Rows"); // the panels follow the picture
        await tab(3); // Axes
        await viewer.choose("Rows", "axis 0");
        const rows = grayTable(4, 6, range, (z, x) => cubeValue([z, 0, x]));
        await tab(1); // Image
        await viewer.enter("Index along axis 1", "0");
        await expect.poll(() => viewer.grays(), patient).toEqual(rows);
        await tab(3);
        await driver.click(await viewer.control("Swap rows and columns"));
        const columns = grayTable(6, 4, range, (x, z) => cubeValue([z, 0, x]));
        await expect.poll(() => viewer.grays(), patient).toEqual(columns);
      });

      test("chooses a colour map", async () => {
        await viewer.show(`${cube}&select=1,:,:`);
        await viewer.choose("Colour map", "viridis");
        await expect
          .poll(async () => (await viewer.grays()).flat().every((gray) => gray === -1), patient)
          .toBe(true);
      });

      test("reads values with the keyboard", async () => {
        await viewer.show(`${cube}&select=2,:,:`);
        await driver.press(".zw-box", "ArrowRight");
        await expect.poll(() => viewer.text(".zw-readout"), patient).toMatch(/^\[2, 2, 2\]\s*172 K$/);
        await driver.press(".zw-box", "Home");
        await expect.poll(() => viewer.text(".zw-readout"), patient).toMatch(/^\[2, 2, 0\]\s*170 K$/);
      });

      test("opens another array, and returns", async () => {
        await viewer.show("source=/stores/bytes&map=gray&range=0:256");
        await driver.enter("#source", "/stores/names");
        await expect.poll(() => viewer.texts("[role=cell]"), patient).toContain('"r1c2"');
        await driver.evaluate("history.back()");
        await expect.poll(async () => (await viewer.grays())[0]?.length, patient).toBe(7);
      });

      test("shows a group's first variable, and the group's members", async () => {
        await viewer.show("source=/stores/group&map=gray&range=0:255");
        expect(await viewer.text("[role=alert]")).toBe("");
        expect(await viewer.grays()).toEqual(grayTable(4, 6, [0, 255], (y, x) => groupValue([y, x])));
        await viewer.show("source=/stores/group&as=contents");
        expect(await viewer.text(".zw-tree")).toContain("image");
        await driver.click(".zw-tree [role=listitem]:nth-child(2) .zw-tree-name");
        await expect.poll(() => driver.evaluate("location.search"), patient).toContain("path=image");
      });

      test("shows errors, and stays usable", async () => {
        const words: Record<string, string> = {
          "/stores/nowhere": "There is no Zarr array here",
          "/stores/malformed": "The array’s metadata is not valid",
          "/stores/unknown-codec": "The array uses an unknown codec",
          "/status/403/store": "The source could not be read",
          "/page/store": "The array’s metadata is not valid",
        };
        for (const [source, heading] of Object.entries(words)) {
          await viewer.show(`source=${source}`, "error");
          expect(await viewer.text("[role=alert] h2, [role=alert] h3"), source).toBe(heading);
        }
        await driver.enter("#source", "/stores/bytes");
        await viewer.reaches("ready");
        expect(await viewer.text("[role=alert]")).toBe("");
      });

      test("draws lines, with gaps for missing numbers", async () => {
        await viewer.show("source=/stores/line");
        const indices = (length: number) => Array.from({ length }, (_, i) => [i]);
        expect(lineFaults(await viewer.canvas(), indices(200).map(lineValue))).toEqual([]);
        await viewer.show("source=/stores/days");
        expect(lineFaults(await viewer.canvas(), indices(40).map(dayValue))).toEqual([]);
      });

      test("draws complex numbers, fields and missing values", async () => {
        await viewer.show("source=/stores/waves&part=imaginary&map=gray&range=-48:48");
        const waves = grayTable(48, 64, [-48, 48], (row, column) => waveValue([row, column])[1]);
        expect(await viewer.grays()).toEqual(waves);
        await viewer.show("source=/stores/records&field=shift&map=gray&range=0:64&outside=clamp");
        expect(await viewer.grays()).toEqual(grayTable(4, 6, [0, 64], (y, x) => shiftValue([y, x])));
        await viewer.show("source=/stores/holes&map=gray&range=0:8&outside=mark");
        // Infinity has a special colour; the last chunk is missing and marked with dots.
        const infinite = -1;
        const shown = (y: number, x: number) => (y === 0 && x === 2 ? infinite : undefined);
        const expected = grayTable(3, 8, [0, 8], (y, x) => holePixel([y, x])).map((row, y) =>
          row.map((gray, x) => shown(y, x) ?? gray),
        );
        expect(await viewer.grays([0, 3], [0, 8])).toEqual(expected);
      });

      test("draws a part of a large slice, and moves to another", async () => {
        for (const [row, column] of [
          [2100, 1050],
          [300, 400],
        ] as const) {
          await viewer.show(`source=/stores/large&map=gray&range=0:256&at=${row},${column},1`);
          const [rows, columns] = [[row - 100, row + 100] as const, [column - 120, column + 120] as const];
          const expected = grayTable(200, 240, [0, 256], (y, x) => largeValue([rows[0] + y, columns[0] + x]));
          expect(await viewer.grays(rows, columns)).toEqual(expected);
        }
      });

      test("shows a single value", async () => {
        await viewer.show("source=/stores/single");
        expect(await viewer.text(".zw-value")).toBe("−42");
      });
    });
  });
});
