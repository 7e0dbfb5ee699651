// What the samples look like, as pictures that somebody has looked at: tests/browser/looks. After a change that is meant:
// npx playwright test looks --update-snapshots, and look at them.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { startServer, strictPolicy } from "../../scripts/lib/server.mjs";
import { examplesFolder, looksFolder, packageMounts, pagesFolder } from "../shared/places.js";
import { test as base, expect } from "./site.js";

interface Sample {
  readonly name: string;
  readonly source: string;
  readonly path?: string;
  readonly view: Readonly<Record<string, string>>;
}

const samples = JSON.parse(readFileSync(path.join(examplesFolder, "gallery.json"), "utf8")) as Sample[];

const test = base.extend<object, { site: string }>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures needed from the pattern
    async ({}, use) => {
      const mounts = {
        ...packageMounts,
        "/samples/": { root: looksFolder, isData: true },
        "/pages/": pagesFolder,
      };
      const server = await startServer({ policy: strictPolicy, mounts });
      await use(server.url);
      await server.close();
    },
    { scope: "worker" },
  ],
});

const query = ({ source, path: at, view }: Sample) =>
  new URLSearchParams({ source, ...(at ? { path: at } : {}), ...view }).toString();

async function looksAsBefore(page: Page, name: string): Promise<void> {
  // How long reading took is another number every time.
  await page.locator(".zw-status").evaluate((status) => {
    status.textContent = "Read";
  });
  await page.mouse.move(0, 0);
  await expect(page).toHaveScreenshot(`${name}.png`, { maxDiffPixelRatio: 0.02, animations: "disabled" });
}

async function isDrawn(page: Page): Promise<void> {
  await expect(page.locator(".zw-viewer")).toHaveAttribute("data-state", "ready");
  const lines = page.locator(".zw-map-lines:visible");
  if ((await lines.count()) > 0) await expect(lines).toHaveAttribute("data-lines", "graticule,coasts");
}

for (const sample of samples)
  for (const colorScheme of ["light", "dark"] as const) {
    test.describe(() => {
      test.use({ colorScheme });
      for (const [width, height] of [
        [1440, 900],
        [390, 844],
      ] as const)
        test(`${sample.name}, ${width} × ${height}, ${colorScheme}`, async ({ page, viewer }) => {
          await page.setViewportSize({ width, height });
          await viewer.goto(query(sample));
          await isDrawn(page);
          await looksAsBefore(page, `${sample.name}-${width}-${colorScheme}`);
        });

      test(`${sample.name}, in a box of 360 pixels, ${colorScheme}`, async ({ page, site }) => {
        await page.setViewportSize({ width: 400, height: 700 });
        await page.goto(`${site}/pages/blank.html`);
        await page.evaluate(
          ({ source, path: at, view, scheme }) => {
            const { documentElement: html, body } = document;
            html.style.colorScheme = scheme;
            const box = document.createElement("div");
            box.style.width = "360px";
            const viewer = document.createElement("zarr-viewer");
            const attributes = { src: source, ...(at ? { path: at } : {}), ...view, controls: "minimal" };
            for (const [name, value] of Object.entries(attributes))
              viewer.setAttribute(name === "map" ? "colormap" : name, value);
            box.append(viewer);
            body.replaceChildren(box);
          },
          { ...sample, scheme: colorScheme },
        );
        await page.addScriptTag({ url: "/viewer/viewer.min.js", type: "module" });
        await isDrawn(page);
        await looksAsBefore(page, `${sample.name}-360-${colorScheme}`);
      });
    });
  }
