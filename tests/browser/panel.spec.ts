// The panel beside the picture: tabs, sections that fold, the number of visible controls, the command box.
import type { Page } from "@playwright/test";
import { expect, test } from "./site.js";
import { settles } from "./viewer-page.js";

test.use({ unfolded: false, viewport: { width: 1440, height: 900 } });

/**
 * Visible controls beside the picture. A list of tabs, a choice of one, the two ends of a range and the rows of a table
 * count once.
 */
const visibleControls = (page: Page): Promise<string[]> =>
  page.locator(".zw-side").evaluate((side) => {
    const all = side.querySelectorAll<HTMLElement>("button, input, select, summary, textarea, [role=slider]");
    const seen = [...all].filter((one) => one.checkVisibility() && !one.matches(".zw-dock-handle"));
    const group = (one: Element) =>
      one.closest("[role=tablist], [role=radiogroup], [role=grid], .zw-double, .zw-histogram-box") ?? one;
    const name = (one: Element) =>
      one.getAttribute("aria-label") ?? (one as HTMLInputElement).labels?.[0]?.textContent ?? one.textContent;
    return [...new Set(seen.map(group))].map((one) => name(one) ?? "");
  });

const samples = [
  ["a plain image", "source=/examples/field.zarr", 12],
  ["a composite", "source=/samples/volume.zarr", 16],
  ["climate", "source=/samples/climate.zarr&path=t2m", 14],
  ["a volume", "source=/samples/volume.zarr&view=volume", 14],
  ["a scatter plot by a gene", "source=/layers/tables.zarr&path=tables/table&by=gene:CD3E", 12],
] as const;

for (const [name, query, most] of samples)
  test(`${name} opens with at most ${most} controls beside it`, async ({ viewer, page, problems }) => {
    problems.expect(/404/);
    await viewer.show(query);
    await expect(page.getByRole("tab", { name: "Image" })).toBeVisible();
    await settles(page);
    const visible = await visibleControls(page);
    expect(visible.length, visible.join(", ")).toBeLessThanOrEqual(most);
    expect(visible.length).toBeGreaterThan(2);
  });

test("tabs are chosen by arrow keys and stay chosen for the next source", async ({ viewer, page }) => {
  await viewer.show("source=/samples/climate.zarr&path=t2m");
  const image = page.getByRole("tab", { name: "Image" });
  await expect(image).toHaveAttribute("aria-selected", "true");
  await image.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Axes" })).toBeFocused();
  await expect(page.getByLabel("Coastlines")).toBeVisible();
  await expect(page.getByLabel("Colour map")).toBeHidden();
  await page.keyboard.press("End");
  await expect(page.getByRole("button", { name: "Copy link" })).toBeVisible();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("tab", { name: "Share" })).toHaveAttribute("aria-selected", "true");
  await viewer.open("source=/samples/relief.zarr");
  await viewer.reaches("ready");
  await expect(page.getByRole("button", { name: "Copy link" })).toBeVisible();
});

test("sections that the user opened are open for the next source", async ({ viewer, page }) => {
  await viewer.show("source=/samples/climate.zarr&path=t2m");
  await expect(page.getByLabel("Scale of colours")).toBeHidden();
  await page.getByText("More colour settings").click();
  await expect(page.getByLabel("Scale of colours")).toBeVisible();
  await viewer.open("source=/samples/relief.zarr");
  await expect(page.getByRole("heading", { name: "relief.zarr" })).toBeVisible();
  await viewer.reaches("ready");
  await expect(page.getByLabel("Logarithmic counts")).toBeVisible();
});

test("a channel's limits are dragged in its row", async ({ viewer, page }) => {
  await viewer.show("source=/samples/volume.zarr");
  const upper = page.getByRole("slider", { name: "Upper limit of channel 1, nuclei" });
  const before = Number(await upper.getAttribute("aria-valuenow"));
  await upper.focus();
  await page.keyboard.press("PageDown");
  await expect.poll(async () => Number(await upper.getAttribute("aria-valuenow"))).toBeLessThan(before);
});

test("plane, panes and volume are chosen above the picture", async ({ viewer, page }) => {
  await viewer.show("source=/samples/volume.zarr");
  const views = page.getByRole("radiogroup", { name: "View" });
  await expect(views.getByLabel("Plane")).toBeChecked();
  await views.getByText("Panes").click();
  await expect(page.locator(".zw-frame")).toHaveCount(3);
  await views.getByText("Volume").click();
  await expect(page.locator(".zw-frame-volume")).toBeVisible();
  await views.getByText("Plane").click();
  await expect(page.locator(".zw-frame")).toHaveCount(1);
});

test("the command box finds a control in another tab, and runs an action", async ({ viewer, page }) => {
  await viewer.show("source=/samples/climate.zarr&path=t2m");
  await expect(page.getByRole("tab", { name: "Image" })).toBeVisible();
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Find a control" });
  await expect(box).toBeFocused();
  await box.fill("coast");
  await expect(page.locator(".zw-commands").getByRole("option")).toHaveText(["CoastlinesAxes"]);
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Coastlines")).toBeFocused();
  await page.keyboard.press("Control+k");
  await box.fill("scale colours");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Scale of colours")).toBeFocused();
  await page.keyboard.press("Control+k");
  await box.fill("zoom in");
  const rows = async () => Math.abs((await viewer.seen()).rows); // negative where north is up
  const before = await rows();
  await page.getByRole("option", { name: "Zoom in", exact: true }).click();
  await expect.poll(rows).toBeLessThan(before);
  await page.keyboard.press("Control+k");
  await box.fill("no such control");
  await expect(page.locator(".zw-commands").getByRole("option")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(box).toHaveCount(0);
});
