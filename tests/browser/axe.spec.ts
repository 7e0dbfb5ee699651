// axe-core's rules on the viewer page and on embedded elements, light and dark, wide and narrow.
import { isWhole } from "../node/support/amounts.js";
import { violations } from "./axe-rules.js";
import { expect, test } from "./site.js";
import { elementIsReady } from "./viewer-page.js";

test.use({ unfolded: false });

const schemes = ["light", "dark"] as const;

test("the page, light and dark", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await viewer.show("source=/stores/bytes");
  for (const [i, source] of [
    ...["/examples/volume.zarr", "/examples/writer-order.zarr"],
    ...["/stores/waves", "/stores/line", "/stores/names", "/stores/nowhere"],
  ].entries()) {
    await viewer.open(`source=${source}`);
    await viewer.reaches(source.endsWith("nowhere") ? "error" : "ready");
    if (source.endsWith("nowhere")) await viewer.error.getByText("Details").click();
    // In samples, each page has one of the schemes.
    for (const colorScheme of schemes.filter((_, at) => isWhole || at === i % 2)) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page), `${source}, ${colorScheme}`).toEqual([]);
    }
  }
});

test("elements on another page, 390 pixels wide", async ({ page, site, problems }) => {
  problems.expect(/404/);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${site}/examples/viewer/plain.html`);
  for (const id of ["left", "right"]) await elementIsReady(page, id);
  expect(await violations(page)).toEqual([]);
  // Both with breadcrumbs and the handle of the panels: landmarks have different names.
  for (const id of ["left", "right"])
    await page.locator(`#${id}`).evaluate((viewer) => viewer.setAttribute("controls", "full"));
  expect(await violations(page)).toEqual([]);
  for (const controls of ["full", "none"]) {
    await page.locator("#left").evaluate((viewer, value) => viewer.setAttribute("controls", value), controls);
    expect(await violations(page), controls).toEqual([]);
  }
});
