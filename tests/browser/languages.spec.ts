// Languages: which one is chosen, its numbers, and what happens without its file.
import type { Page } from "@playwright/test";
import { holeValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { elementIsReady, holdBack, openElements } from "./viewer-page.js";

const german = /\/viewer\/(?:de|es)-\w+\.js$/;

/** Requests for files of languages. */
function languageRequests(page: Page): string[] {
  const found: string[] = [];
  page.on("request", (request) => {
    if (german.test(request.url())) found.push(new URL(request.url()).pathname.slice(8, 10));
  });
  return found;
}

test("the page follows the address, then the browser; English requests no file", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  const requests = languageRequests(page);
  await viewer.show("source=/stores/slices");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(page.locator(".zw-dock-handle")).toHaveText("Controls");
  expect(requests).toEqual([]);
  // Later addresses keep the language, and links for others do not have it.
  await viewer.show("source=/stores/slices&lang=es-MX");
  await expect(page.locator("html")).toHaveAttribute("lang", "es-MX");
  await expect(page.locator(".zw-dock-handle")).toHaveText("Controles");
  await page.getByLabel("Intervalo de valores").selectOption("minmax");
  await expect(page).toHaveURL(/range=minmax.*&lang=es-MX$/);
  await page.reload();
  await viewer.reaches("ready");
  await expect(page.locator(".zw-dock-handle")).toHaveText("Controles");
  expect(requests).toEqual(["es", "es"]);
});

test("the browser's languages choose the page's, the first that exists", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "languages", { value: ["fr-CH", "de-CH", "en"] });
  });
  await viewer.show("source=/stores/waves");
  await expect(page.locator("html")).toHaveAttribute("lang", "de-CH");
  await expect(page.locator(".zw-dock-handle")).toHaveText("Einstellungen");
});

test("an element has the language of its page; the first one decides", async ({ page, site, problems }) => {
  problems.expect(/404/);
  const requests = languageRequests(page);
  await openElements(
    page,
    site,
    `<div lang="de-AT"><zarr-viewer id="one" src="/stores/holes"></zarr-viewer></div>
     <zarr-viewer id="two" lang="es" src="/stores/slices"></zarr-viewer>`,
  );
  for (const id of ["one", "two"]) {
    await elementIsReady(page, id);
    await expect(page.locator(`#${id} .zw-dock-handle`)).toHaveText("Einstellungen");
    await expect(page.locator(`#${id} .zw-viewer`)).toHaveAttribute("lang", "de-AT");
  }
  expect(requests).toEqual(["de"]);
  // Numbers too, but not what programs read.
  const box = page.locator("#one .zw-view > .zw-frame .zw-box");
  const report = page.locator("#one").evaluate(
    (viewer) =>
      new Promise<unknown>((resolve) => {
        viewer.addEventListener("pointer", ((event: CustomEvent) => {
          if (event.detail?.index.join() === "1,7") resolve(event.detail.values);
        }) as EventListener);
      }),
  );
  for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "End"]) await box.press(key);
  expect(await report).toEqual([holeValue([1, 7])]);
  await expect(page.locator("#one .zw-readout")).toHaveText("[1, 7]1,875");
});

test("sources are opened while texts are loading", async ({ page, site, problems }) => {
  problems.expect(/404/);
  const { release } = await holdBack(page, german);
  const document = page.waitForRequest(/\/stores\/slices\/zarr\.json/);
  await openElements(page, site, '<zarr-viewer lang="de" src="/stores/slices"></zarr-viewer>');
  await document;
  await expect(page.locator(".zw-viewer")).toHaveCount(0);
  release();
  await elementIsReady(page);
  await expect(page.locator(".zw-dock-handle")).toHaveText("Einstellungen");
});

test("a language that cannot be loaded leaves English", async ({ viewer, page, problems }) => {
  problems.expect(/404/, /ERR_FAILED/, /zarr-wasm: texts in English instead of de/);
  await page.route(german, (route) => route.abort());
  await viewer.show("source=/stores/holes&lang=de");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(page.locator(".zw-dock-handle")).toHaveText("Controls");
});

test("a malformed language leaves English", async ({ viewer, page, problems }) => {
  problems.expect(/404/, /zarr-wasm: texts in English instead of de-/);
  await viewer.show("source=/stores/holes&lang=de-~~");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(page.locator(".zw-dock-handle")).toHaveText("Controls");
});
