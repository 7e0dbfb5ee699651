// Accessibility: keyboard, names of controls, contrast, narrow screens.
import { grayTable } from "../shared/pixels.js";
import { byteValue, cubeValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";

test("values are read with the keyboard, and announced", async ({ viewer }) => {
  await viewer.show("source=/stores/cube&select=2,:,:");
  await viewer.box.focus();
  await viewer.box.press("ArrowRight");
  await expect(viewer.readout).toHaveText(/^\[2, 2, 2\]\s*172 K$/);
  await viewer.box.press("ArrowDown");
  await viewer.box.press("ArrowRight");
  await expect(viewer.readout).toHaveText(/^\[2, 3, 3\]\s*183 K$/);
  await viewer.box.press("Home");
  await viewer.box.press("PageUp");
  await expect(viewer.readout).toHaveText(/^\[2, 0, 0\]\s*150 K$/);
  await viewer.box.press("End");
  await expect(viewer.readout).toHaveText(/^\[2, 0, 5\]\s*155 K$/);
  await expect(viewer.readout).toHaveAttribute("aria-live", "polite");
  await viewer.pointAt(4, 4);
  await expect(viewer.readout).toHaveAttribute("aria-live", "off");
  await viewer.box.press("Escape");
  await expect(viewer.readout).toContainText("Point at the picture");
});

test("the element at the cursor stays when the slice changes, and when it is zoomed", async ({ viewer }) => {
  await viewer.show("source=/stores/cube&select=2,:,:");
  await viewer.box.press("ArrowUp");
  await expect(viewer.readout).toHaveText(/^\[2, 2, 2\]/);
  await viewer.enter("Index along axis 0", 3);
  await expect(viewer.readout).toHaveText(new RegExp(`^\\[3, 2, 2\\]\\s*${cubeValue([3, 2, 2])} K$`));
  await viewer.box.press("-");
  await expect.poll(async () => (await viewer.seen()).rows).toBeGreaterThan(8);
  await expect(viewer.readout).toHaveText(/^\[3, 2, 2\]/);
  await viewer.box.press("0");
  await expect.poll(async () => (await viewer.seen()).rows).toBeLessThan(8);
});

test("everything works without a mouse", async ({ viewer, page }) => {
  await viewer.show("source=/stores/bytes&map=gray&range=0:256");
  await page.getByLabel("Address of a Zarr array").focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("/stores/cube");
  await page.keyboard.press("Enter");
  await viewer.reaches("ready");
  await expect(page.getByRole("heading", { level: 2, name: "cube" })).toBeVisible();
  const reached = new Set<string>();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(() => {
        const { activeElement } = document;
        return (
          activeElement?.getAttribute("aria-label") ??
          (activeElement as HTMLInputElement)?.labels?.[0]?.textContent ??
          ""
        );
      }),
    );
  }
  for (const name of [
    "Rows",
    "Columns",
    "axis 0",
    "Index along axis 0",
    "Colour map",
    "Value range",
    "Lowest value",
  ]) {
    expect(reached).toContain(name);
  }
  const slider = page.getByRole("slider", { name: "axis 0" });
  await slider.focus();
  await slider.press("ArrowRight");
  await expect(page.getByLabel("Index along axis 0")).toHaveValue("2");
  await expect(slider).toBeFocused();
});

test.describe("a narrow screen", () => {
  test.use({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true });

  test("nothing makes the page scroll sideways", async ({ viewer, page }) => {
    const sources = [
      "/examples/field.zarr",
      "/stores/large",
      "/stores/line",
      "/stores/names",
      "/examples/struct.zarr",
    ];
    await viewer.show("source=/stores/bytes");
    for (const source of sources) {
      await viewer.change(`source=${source}`);
      const widths = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
      expect(widths, source).toEqual([390, 390]);
    }
  });

  test("a tap reads a value", async ({ viewer }) => {
    await viewer.show("source=/stores/bytes");
    await viewer.box.tap({ position: await viewer.positionOf(4, 6) });
    await expect(viewer.readout).toHaveText(new RegExp(`^\\[4, 6\\]\\s*${byteValue([4, 6])}$`));
  });
});

test("elements are square, sharp, and a whole number of pixels", async ({ viewer, page }) => {
  await viewer.show("source=/stores/bytes&map=gray&range=0:256");
  const side = async () => {
    const { rows, columns } = await viewer.seen();
    const box = (await viewer.box.locator(".zw-canvas").boundingBox())!;
    const [down, across] = [box.height / rows, box.width / columns];
    return { across, isSquare: Math.abs(down - across) < 0.0005 };
  };
  const { across: wide, isSquare } = await side();
  expect(isSquare).toBe(true);
  expect(wide).toBeCloseTo(Math.round(wide), 5);
  await expect(page.locator(".zw-canvas")).toHaveCSS("image-rendering", "pixelated");
  await page.setViewportSize({ width: 600, height: 860 });
  // The drawing follows the window size with a delay.
  await expect
    .poll(async () => {
      const { across, isSquare } = await side();
      return isSquare && across < wide;
    })
    .toBe(true);
  await viewer.showsGray(grayTable(5, 7, [0, 256], (row, column) => byteValue([row, column])));
});

test("meaningful colours stay in forced-colours mode", async ({ viewer, page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await viewer.show("source=/stores/bytes&map=viridis");
  for (const bar of [".zw-legend-bar", ".zw-colormap-bar", ".zw-box"])
    expect(
      await page
        .locator(bar)
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundImage),
      bar,
    ).toMatch(/gradient/);
});
