// Maps: dates on sliders, north up, coastlines and meridians, coordinates at the pointer.
import { gray } from "../shared/pixels.js";
import { mapValue } from "../shared/viewer-images.js";
import { expect, test } from "./site.js";

const weather = "source=/stores/weather&path=t2m&map=gray&range=0:600&outside=clamp&select=2,:,:";

test("north is up, degrees have the same length in both directions, and sliders show dates", async ({
  viewer,
  page,
}) => {
  await viewer.show(weather);
  const slider = page.getByRole("slider", { name: "time" });
  await expect(slider).toHaveAttribute("aria-valuetext", "2, 2020-01-03");
  const coordinate = page.locator(".zw-index:visible .zw-coordinate");
  await expect(coordinate).toHaveText("2020-01-03");
  const north = await viewer.positionOf(17, 0);
  const south = await viewer.positionOf(0, 0);
  expect(north.y).toBeLessThan(south.y);
  const east = await viewer.positionOf(0, 35);
  expect((south.y - north.y) / 17).toBeCloseTo((east.x - south.x) / 35, 1);
  const { data } = await viewer.pixels([15, 16], [4, 5]);
  expect(data[0]).toBe(gray(mapValue([2, 15, 4]), 0, 600));
  await viewer.pointAt(15, 4);
  await expect(viewer.readout).toContainText("[2, 15, 4]");
  await expect(viewer.readout).toContainText("time 2020-01-03 · lat 65° N · lon 135° W");
  await expect(viewer.readout).toContainText("215.04 K");
  await viewer.slide("time", 5);
  await expect(coordinate).toHaveText("2020-01-06");
});

test("coasts are loaded with the first map, and can be switched off", async ({ viewer, page }) => {
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  await viewer.show("source=/stores/bytes");
  const isCoast = (url: string) => /coastlines/.test(url);
  expect(loaded.filter(isCoast)).toEqual([]);
  await viewer.show(weather);
  const lines = page.locator(".zw-map-lines");
  await expect(lines).toHaveAttribute("data-lines", "graticule,coasts");
  expect(loaded.filter(isCoast)).toHaveLength(1);
  /** Opaque pixels in a box of degrees, of 36 × 18 elements of 10°. */
  const drawn = async (west: number, east: number, south: number, north: number) => {
    const [from, to] = [
      await viewer.positionOf((north + 85) / 10, (west + 175) / 10),
      await viewer.positionOf((south + 85) / 10, (east + 175) / 10),
    ];
    return lines.evaluate(
      (canvas: HTMLCanvasElement, [left, top, right, bottom]) => {
        const ratio = canvas.width / canvas.clientWidth;
        // Browsers warn about reading a page's canvas repeatedly.
        const { width: wide, height: high } = canvas;
        const own = Object.assign(document.createElement("canvas"), { width: wide, height: high });
        const copy = own.getContext("2d", { willReadFrequently: true })!;
        copy.drawImage(canvas, 0, 0);
        const [x, y, width, height] = [left!, top!, right! - left!, bottom! - top!].map((at) => at * ratio);
        const { data } = copy.getImageData(x!, y!, width!, height!);
        return data.filter((value, i) => i % 4 === 3 && value > 0).length;
      },
      [from.x, from.y, to.x, to.y],
    );
  };
  await page.getByLabel("Meridians and parallels").uncheck();
  await expect(lines).toHaveAttribute("data-lines", "coasts");
  // Southern Africa has a coastline, the middle of the Pacific does not.
  expect(await drawn(10, 40, -38, -28)).toBeGreaterThan(40);
  expect(await drawn(-150, -120, -20, 15)).toBeLessThan(20);
  await page.getByLabel("Coastlines").uncheck();
  await expect(lines).toBeHidden();
  await expect(page).toHaveURL(/lines=none/);
  await page.reload();
  await viewer.reaches("ready");
  await expect(page.getByLabel("Coastlines")).not.toBeChecked();
  await expect(page.locator(".zw-scale-bar").first()).toHaveText(/000 km$/);
});

test("days beside a picture have no ticks between them, and are shown in full, with room for the axis name", async ({
  viewer,
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await viewer.show("source=/stores/weather&path=t2m&axes=0,2");
  const ruler = page.locator(".zw-view .zw-ruler-down");
  const days = Array.from({ length: 6 }, (_, day) => `01-0${day + 1}`);
  await expect(ruler.locator(".zw-tick")).toHaveText([`2020 ${days[0]}`, ...days.slice(1)]);
  // The year has a separate line, so that the picture keeps its share of the window.
  const { width, height } = (await viewer.box.boundingBox())!;
  expect((width * height) / (1280 * 800)).toBeGreaterThanOrEqual(0.6);
  const heights = await ruler
    .locator(".zw-tick")
    .evaluateAll((all) => all.map(({ clientHeight }) => clientHeight));
  expect(heights[0]).toBeGreaterThan(20);
  expect(Math.max(...heights.slice(1))).toBeLessThan(20);
  const title = (await ruler.locator(".zw-axis-title").boundingBox())!;
  for (const tick of await ruler.locator(".zw-tick").all())
    expect((await tick.boundingBox())!.x).toBeGreaterThanOrEqual(title.x + title.width);
});
