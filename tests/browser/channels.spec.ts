// Channels: composites, photographs, channel settings, and histograms with draggable limits.
import { omeroValue, omeroWindows } from "../shared/viewer-images.js";
import { expect, test } from "./site.js";
import { colourTable } from "./viewer-page.js";

/** 0 to 255: the shader divides a range into 256 parts. */
const part = (value: number, low: number, high: number) =>
  Math.min(255, Math.max(0, Math.floor(((value - low) / (high - low)) * 256)));

const omero = (c: number, row: number, column: number) =>
  part(omeroValue([c, row, column]), ...(omeroWindows[c] as [number, number]));

test("a composite adds the channels that are on, in their colours and windows", async ({ viewer, page }) => {
  await viewer.show("source=/stores/omero");
  await expect
    .poll(() => viewer.colours())
    .toEqual(colourTable(24, 32, (y, x) => [0, omero(1, y, x), omero(0, y, x), 255]));
  await expect(page).toHaveURL(/source=\/stores\/omero$/);
  await expect(page.locator(".zw-legend-channels li")).toHaveText([/^DAPI0\s*3200$/, /^GFP0\s*1200$/]);
  await viewer.pointAt(3, 7);
  await expect(viewer.readout).toContainText("DAPI 700 · GFP 150");
  // Switches the third channel on and the first one off.
  await page.getByLabel("Show channel 3, RFP").check();
  await page.getByLabel("Show channel 1, DAPI").uncheck();
  const changed = colourTable(24, 32, (y, x) => [omero(2, y, x), omero(1, y, x), 0, 255]);
  await expect.poll(() => viewer.colours()).toEqual(changed);
  await expect(page).toHaveURL(/channels=-0:0000ff:0\.\.3200,1:00ff00:0\.\.1200,2:ff0000:0\.\.1000$/);
  await page.reload();
  await viewer.reaches("ready");
  await expect.poll(() => viewer.colours()).toEqual(changed);
});

test("colour, limits and gamma of a channel", async ({ viewer, page }) => {
  await viewer.show("source=/stores/omero&channels=0:ffffff:0..3200");
  await page.getByLabel("Colour of channel 1, DAPI").fill("#ff8000");
  await viewer.enter("Highest value of channel 1, DAPI", 1600);
  const shade = (x: number) => part(omeroValue([0, 0, x]), 0, 1600);
  const ramp = (value: number, of: number) => Math.round((of * value) / 255);
  await expect
    .poll(() => viewer.colours())
    .toEqual(colourTable(24, 32, (_, x) => [ramp(shade(x), 255), ramp(shade(x), 128), 0, 255]));
  await page.getByLabel("Gamma of channel 1, DAPI", { exact: true }).fill("1");
  await expect(page).toHaveURL(/channels=0:ff8000:0\.\.1600:2$/);
  const [row] = await viewer.colours();
  // A gamma of 2: the middle of the range gets a quarter of the colour.
  expect(Math.abs(Number(row![8]!.split(",")[0]) - 64)).toBeLessThan(3);
});

test("channels can share one range", async ({ viewer, page }) => {
  await viewer.show("source=/stores/omero");
  const shown = (highest: readonly [number, number]) =>
    colourTable(24, 32, (y, x) => [
      0,
      part(omeroValue([1, y, x]), 0, highest[1]),
      part(omeroValue([0, y, x]), 0, highest[0]),
      255,
    ]);
  await expect.poll(() => viewer.colours()).toEqual(shown([3200, 1200]));
  await page.getByLabel("The same range for all channels").check();
  await expect.poll(() => viewer.colours()).toEqual(shown([3200, 3200]));
  await expect(page).toHaveURL(/common=yes/);
  await expect(page.locator(".zw-legend-channels li")).toHaveText([/^DAPI0\s*3200$/, /^GFP0\s*3200$/]);
  // A setting of one channel applies to all.
  await viewer.enter("Highest value of channel 2, GFP", 2000);
  await expect.poll(() => viewer.colours()).toEqual(shown([2000, 2000]));
  await page.reload();
  await viewer.reaches("ready");
  await expect.poll(() => viewer.colours()).toEqual(shown([2000, 2000]));
});

test("logarithmic counts are offered if there is a histogram", async ({ viewer, page }) => {
  await viewer.show("source=/stores/omero");
  const box = page.getByLabel("Logarithmic counts");
  await expect(page.getByRole("group", { name: "Histogram of channel 1, DAPI" })).toBeVisible();
  await expect(box).toBeVisible();
  await viewer.open("source=/stores/mask&map=labels");
  await viewer.reaches("ready");
  await expect(box).toBeHidden();
});

test("a single channel switches to a colour map and back", async ({ viewer, page }) => {
  await viewer.show("source=/stores/omero");
  await page.getByLabel("All channels in one picture").uncheck();
  await expect(page).toHaveURL(/channels=none/);
  await page.getByRole("slider", { name: "c", exact: true }).fill("1");
  await viewer.choose("Colour map", "gray");
  await viewer.choose("Value range", "Minimum to maximum");
  const grays = colourTable(24, 32, (y, x) => [...Array(3).fill(part(omeroValue([1, y, x]), 0, 1150)), 255]);
  await expect.poll(() => viewer.colours()).toEqual(grays);
  await page.getByLabel("All channels in one picture").check();
  await expect.poll(async () => (await viewer.colours())[0]![31]).toBe(`0,0,${omero(0, 0, 31)},255`);
});

test("limits are dragged in the histogram, or moved by keys", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices&select=4,:,:&map=gray&scope=slice");
  const histogram = page.getByRole("group", { name: "Histogram of the values" });
  const [low, high] = [
    histogram.getByLabel("Lower limit of the values"),
    histogram.getByLabel("Upper limit of the values"),
  ];
  await expect(histogram).toContainText("All 4,096 values of the slice: 100 to 226");
  await expect(low).toHaveAttribute("aria-valuenow", "100");
  await histogram.scrollIntoViewIfNeeded();
  const box = (await histogram.locator(".zw-histogram-box").boundingBox())!;
  const [from, to] = [box.x + box.width - 1, box.x + box.width / 2];
  await page.mouse.move(from, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(to, box.y + 20, { steps: 5 });
  await page.mouse.up();
  await expect(high).toHaveAttribute("aria-valuenow", "163");
  await expect(page.getByLabel("Value range")).toHaveValue("manual");
  await expect(page.getByLabel("Highest value")).toHaveValue("163");
  await expect(page).toHaveURL(/range=100:163/);
  await low.focus();
  await low.press("ArrowRight");
  await low.press("ArrowRight");
  await expect(page.getByLabel("Lowest value")).toHaveValue("102");
  // The limits keep their order.
  await low.press("End");
  await expect(page.getByLabel("Lowest value")).toHaveValue("102");
  await page.getByLabel("Logarithmic counts").check();
  await expect(page).toHaveURL(/histogram=log/);
  await histogram.locator(".zw-histogram-box").dblclick({ position: { x: 60, y: 20 } });
  await expect(page.getByLabel("Value range")).toHaveValue("auto");
});

test("the range applies to all slices, or to each one separately", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices&select=2,:,:&map=gray");
  const limits = () =>
    Promise.all(["Lowest value", "Highest value"].map((name) => page.getByLabel(name).inputValue()));
  expect(await limits()).toEqual(["0", "255"]);
  await viewer.slide("axis 0", 4);
  await viewer.reaches("ready");
  expect(await limits()).toEqual(["0", "255"]);
  await page.getByLabel("Find the range for each slice").check();
  await viewer.slide("axis 0", 3);
  await expect.poll(limits).toEqual(["75", "201"]);
  await expect(page).toHaveURL(/scope=slice/);
});

test("playing never rescales", async ({ viewer, page }) => {
  await viewer.show("source=/stores/cube&select=0,:,:");
  const legend = page.locator(".zw-legend-scale");
  const before = await legend.innerText();
  expect(before.split("\n")).toEqual(["−50", "0", "50", "100", "150", "200", "250", "295 K"]);
  const seen = await legend.evaluate((element) => {
    const texts = [element.textContent];
    new MutationObserver(() => texts.push(element.textContent)).observe(element, {
      childList: true,
      characterData: true,
      subtree: true,
    });
    Object.assign(globalThis, { texts });
    return texts.length;
  });
  expect(seen).toBe(1);
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await expect(page.getByLabel("Index along axis 0")).toHaveValue("3");
  expect(await page.evaluate(() => (globalThis as unknown as { texts: string[] }).texts)).toHaveLength(1);
});

test("a diverging map has its middle at the chosen value", async ({ viewer, page }) => {
  await viewer.show("source=/stores/cube&select=0,:,:&scope=slice");
  await viewer.choose("Colour map", "vik");
  // All values are below 0, so 0 is not the middle.
  await expect(page.getByLabel("Lowest value")).toHaveValue("-50");
  await viewer.enter("Value at the middle", -40);
  await expect(page.getByLabel("Lowest value")).toHaveValue("-75");
  await expect(page.getByLabel("Highest value")).toHaveValue("-5");
  await expect(page).toHaveURL(/center=-40/);
});

test("reversed colours", async ({ viewer, page }) => {
  await viewer.show("source=/stores/bytes&map=gray&range=0:256&reversed=yes");
  expect((await viewer.colours())[0]![0]).toBe("255,255,255,255");
  await page.getByLabel("Reversed").uncheck();
  await expect.poll(async () => (await viewer.colours())[0]![0]).toBe("0,0,0,255");
});
