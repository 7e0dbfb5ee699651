// axe-core's rules on the page and on elements of a page, light and dark, wide and narrow.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import { expect, test } from "./site.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
}

/** What breaks rules of WCAG 2.2 up to AA, or of good practice. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  return page.evaluate(async () => {
    type Axe = { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations: found } = await (globalThis as unknown as Axe).axe.run();
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
    );
  });
}

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

test("elements of somebody's page, 390 pixels wide", async ({ page, site, problems }) => {
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
