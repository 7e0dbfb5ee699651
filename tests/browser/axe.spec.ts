// axe-core's rules on the viewer page and on embedded elements, light and dark, wide and narrow.
import { violations } from "./axe-rules.js";
import { expect, test } from "./site.js";

for (const colorScheme of ["light", "dark"] as const) {
  test(`the page, ${colorScheme}`, async ({ viewer, page, problems }) => {
    problems.expect(/404/);
    await page.emulateMedia({ colorScheme });
    for (const source of ["/examples/volume.zarr", "/stores/waves", "/stores/line", "/stores/names"]) {
      await viewer.show(`source=${source}`);
      expect(await violations(page), source).toEqual([]);
    }
    await viewer.goto("source=/stores/nowhere");
    await viewer.reaches("error");
    await viewer.error.getByText("Details").click();
    expect(await violations(page), "error").toEqual([]);
  });
}

test("elements on another page, 390 pixels wide", async ({ page, site, problems }) => {
  problems.expect(/404/);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${site}/examples/viewer/plain.html`);
  for (const id of ["left", "right"])
    await expect(page.locator(`#${id} .zw-viewer`)).toHaveAttribute("data-state", "ready");
  expect(await violations(page)).toEqual([]);
  for (const controls of ["full", "none"]) {
    await page.locator("#left").evaluate((viewer, value) => viewer.setAttribute("controls", value), controls);
    expect(await violations(page), controls).toEqual([]);
  }
});
