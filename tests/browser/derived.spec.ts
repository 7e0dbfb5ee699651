// Derived variables: the picture while they are computed, cancelling, and errors.
import type { Page } from "@playwright/test";
import type * as Library from "zarr-wasm";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { sliceValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { openElements } from "./viewer-page.js";

/** Slices of 1 MiB, more than a task of a reduction holds. Element i of slice z is z. */
const slices = 64;

interface Held {
  readonly held: (() => void)[];
}

/** Shows the mean of a stack in the page, whose slices from `from` on are held back. */
async function showMean(page: Page, site: string, from: number, ids = ["one"]) {
  const elements = ids.map((id) => `<zarr-viewer id="${id}" controls="full"></zarr-viewer>`);
  await openElements(page, site, elements.join(""));
  await page.evaluate(
    async ({ count, first, names }) => {
      const entry = "/lib/index.js"; // a copy of the library that the viewer does not share
      const { create } = (await import(entry)) as typeof Library;
      const map = new Map<string, Uint8Array>();
      const shape = [count, 1024, 1024];
      await create(map, { shape, chunkShape: [1, 1024, 1024], dtype: "uint8", codecs: [] });
      const held: (() => void)[] = [];
      Object.assign(globalThis, { held });
      const store = {
        get: async (key: string, { signal }: { signal?: AbortSignal } = {}) => {
          const z = /^\/c\/(\d+)\//.exec(key)?.[1];
          if (z === undefined) return map.get(key);
          if (first >= 0 && Number(z) >= first && !("isOpen" in globalThis))
            await new Promise<void>((resolve, reject) => {
              held.push(resolve);
              signal?.addEventListener("abort", () => reject(signal.reason as Error));
            });
          if (first < 0) throw new Error("the disk is full of stars");
          return new Uint8Array(1024 * 1024).fill(Number(z));
        },
      };
      for (const name of names) {
        const viewer = document.querySelector<ZarrViewerElement>(`#${name}`)!;
        viewer.setAttribute("derive", "mean:a0");
        viewer.src = store as unknown as Library.Store;
      }
    },
    { count: slices, first: from, names: ids },
  );
}

const release = (page: Page) =>
  page.evaluate(() => {
    Object.assign(globalThis, { isOpen: true });
    for (const go of (globalThis as unknown as Held).held) go();
  });

/** The value in the middle of a picture. */
async function middle(page: Page, id = "one"): Promise<string> {
  const picture = page.locator(`#${id} .zw-box`).first();
  await picture.scrollIntoViewIfNeeded();
  const box = (await picture.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  return page.locator(`#${id} .zw-readout-value`).innerText();
}

const state = (page: Page, id = "one") =>
  page.locator(`#${id}`).evaluate((viewer: ZarrViewerElement) => viewer.state);

test("the picture shows the mean of the slices read so far, then of all", async ({ page, site }) => {
  await showMean(page, site, 40);
  const stage = page.locator("#one");
  await expect(stage.locator(".zw-status")).toHaveText(/^Computing mean:a0: [1-9]\d* %$/);
  await expect.poll(() => middle(page)).toMatch(/^\d+(\.\d+)?$/);
  const partial = Number(await middle(page));
  if (process.env["SHOT"]) await page.screenshot({ path: process.env["SHOT"] });
  expect(partial).toBeGreaterThan(0);
  expect(partial).toBeLessThan((slices - 1) / 2);
  expect(await state(page)).toBe("reading");
  await release(page);
  await expect.poll(() => state(page)).toBe("ready");
  expect(Number(await middle(page))).toBe((slices - 1) / 2);
  await expect(stage.getByRole("button", { name: "Cancel" })).toHaveCount(0);
});

test("Cancel shows the original variable, and ends the requests", async ({ page, site }) => {
  await showMean(page, site, 40);
  await page.locator("#one .zw-notes").getByRole("button", { name: "Cancel" }).click();
  await release(page);
  await expect.poll(() => state(page)).toBe("ready");
  expect(await middle(page)).toBe(String(slices / 2 - 1));
});

test("elements that are removed while they compute, and two that compute the same", async ({
  page,
  site,
}) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await showMean(page, site, 40, ["one", "two"]);
  await expect.poll(() => middle(page, "two")).toMatch(/^\d/);
  await page.locator("#one").evaluate((viewer) => viewer.remove());
  await release(page);
  await expect.poll(() => state(page, "two")).toBe("ready");
  expect(Number(await middle(page, "two"))).toBe((slices - 1) / 2);
  expect(errors).toEqual([]);
});

test("an error while it is computed is shown with its reason", async ({ page, site }) => {
  await showMean(page, site, -1);
  await release(page);
  await expect(page.locator("#one .zw-view")).toContainText("the disk is full of stars");
  expect(await state(page)).toBe("error");
});

test("a mean and a difference show the computed values", async ({ viewer, page }) => {
  const meanAt = (row: number, column: number) =>
    Array.from({ length: 9 }, (_, slice) => sliceValue([slice, row, column])).reduce((a, b) => a + b, 0) / 9;
  await viewer.show("source=/stores/slices&derive=mean:a0");
  await viewer.pointAt(10, 20);
  await expect(viewer.readout).toContainText(String(meanAt(10, 20)).slice(0, 7));
  await page.getByRole("button", { name: "Show the original variable" }).click();
  await expect(page).not.toHaveURL(/derive=/);
  await viewer.show(
    `source=/stores/slices&derive=${encodeURIComponent("expr:float32(data[a0=5]) - data[a0=1]")}`,
  );
  await viewer.pointAt(10, 20);
  await expect(viewer.readout).toContainText(
    String(sliceValue([5, 10, 20]) - sliceValue([1, 10, 20])).replace("-", "−"),
  );
});
