// Warnings about names and selections that do not exist; bounds on reads and events.
import type { Page } from "@playwright/test";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { expect, test } from "./site.js";
import { elementIsReady, openElements, serveSlices, settles } from "./viewer-page.js";

/** Opens an element, and records the messages of its error events. */
async function openElement(page: Page, site: string, attributes: string): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const messages: string[] = [];
    Object.assign(globalThis, { messages });
    document.addEventListener(
      "error",
      (event) => messages.push((event as unknown as CustomEvent).detail.message),
      true,
    );
  });
  await openElements(page, site, `<zarr-viewer ${attributes}></zarr-viewer>`);
  await elementIsReady(page);
  return () => page.evaluate(() => (globalThis as unknown as { messages: string[] }).messages);
}

test.describe("names that do not exist", () => {
  test("a variable: the main one is shown, with a warning that names the others", async ({
    page,
    site,
    problems,
  }) => {
    const message = 'variable="nope" cannot be used; expected sst, wind';
    problems.expect(/variable="nope"/);
    const messages = await openElement(page, site, 'src="/groups/from-south.zarr" variable="nope"');
    expect(await messages()).toEqual([message]);
    await expect(page.getByRole("list", { name: "Notes" })).toContainText(`${message}.`);
    expect(problems.all).toEqual([`zarr-wasm: ${message}`]);
    await page.locator("zarr-viewer").evaluate((viewer) => viewer.setAttribute("variable", "wind"));
    await expect(page.locator(".zw-title")).toHaveText("wind");
    await expect(page.getByRole("list", { name: "Notes" })).toBeHidden();
  });

  test("labels: the first are shown, with a warning, also if they are chosen later", async ({
    page,
    site,
    problems,
  }) => {
    problems.expect(/labels="(nope|gone)"/, /404/); // missing chunks
    const messages = await openElement(page, site, 'src="/groups/labelled.zarr" labels="nope"');
    await expect.poll(messages).toEqual(['labels="nope" cannot be used; expected cells']);
    await expect(page.getByRole("list", { name: "Notes" })).toContainText('labels="nope" cannot be used');
    await page.locator("zarr-viewer").evaluate((viewer) => viewer.setAttribute("labels", "gone"));
    await expect.poll(messages).toHaveLength(2);
    await page.locator("zarr-viewer").evaluate((viewer) => viewer.setAttribute("labels", "cells"));
    await page.locator("zarr-viewer").evaluate((viewer) => viewer.setAttribute("labels", "none"));
    await elementIsReady(page);
    expect(await messages()).toHaveLength(2);
  });

  test("planes of a plate, and labels of a picture that has none", async ({ viewer, page, problems }) => {
    problems.expect(/plate="/, /labels="nope"/, /404/);
    await viewer.show("source=/stores/bytes&labels=nope");
    const notes = page.getByRole("list", { name: "Notes" });
    await expect(notes).toContainText("the picture has no labels");
    for (const [plate, expected] of [
      ["chanel:1", "parts such as field:0, acquisition:1 or size:64"],
      ["channel:7", "field:0 to field:1"],
    ] as const) {
      await viewer.open(`source=/groups/plate.zarr&plate=${plate}`);
      await expect(notes).toContainText(`plate="${plate}" cannot be used; expected ${expected}`);
    }
  });
});

test("settings set in a pointer handler do not repeat the event of a picked element", async ({
  page,
  site,
}) => {
  await openElement(page, site, 'src="/stores/slices" tool="pick" select="3,:,:"');
  await page.evaluate(() => {
    const viewer = document.querySelector("zarr-viewer") as ZarrViewerElement;
    const picks: unknown[] = [];
    Object.assign(globalThis, { picks });
    viewer.addEventListener("pointer", ({ detail }) => {
      if (detail?.by !== "pick") return;
      picks.push([detail.index, detail.values]);
      // Ends a loop of events.
      if (picks.length < 50)
        viewer.settings = { colormap: picks.length % 2 ? "magma" : "viridis", gamma: 1 + picks.length / 50 };
    });
  });
  const picks = () => page.evaluate(() => (globalThis as unknown as { picks: unknown[] }).picks);
  const box = page.locator(".zw-box").first();
  await expect(box).toHaveAttribute("data-tool", "pick");
  await box.click();
  await expect.poll(async () => (await picks()).length).toBeGreaterThan(0);
  await settles(page);
  const [first] = (await picks()) as [[number[], number[]]];
  expect(await picks()).toEqual([first]);
  expect(first![1]).toHaveLength(1);
  // Another slice has another value.
  await page.locator("zarr-viewer").evaluate((viewer) => viewer.setAttribute("select", "4,:,:"));
  await expect.poll(async () => (await picks()).length).toBe(2);
  await settles(page);
  expect(await picks()).toHaveLength(2);
});

test.describe("the range of all slices", () => {
  const [slices, side] = [40, 1024];
  const shape = [slices, side, side] as const;

  test("reads no more than the first picture", async ({ page, site }) => {
    const read = await serveSlices(page, shape);
    await openElement(page, site, 'src="/sampled" select="20,:,:"');
    await settles(page);
    // One of the picture and one of the sample.
    expect(read).toEqual([20, 0]);
    expect(await rangeOf(page)).toEqual([1, 21]);
  });

  test("reads what the attribute allows, or nothing", async ({ page, site }) => {
    const read = await serveSlices(page, shape);
    await openElement(page, site, 'src="/sampled" select="20,:,:" sample="none"');
    await settles(page);
    expect(read).toEqual([20]);
    await page.locator("zarr-viewer").evaluate((viewer) => viewer.setAttribute("sample", "4"));
    await expect.poll(() => read.length).toBe(5);
    await settles(page);
    expect(read).toHaveLength(5);
    expect(await rangeOf(page)).toEqual([1, 40]);
  });

  for (const [name, attributes, read, range] of [
    ["follows actual_range without reading", { actual_range: [0, 40] }, [20], [0, 40]],
    ["does not follow valid_range", { valid_range: [0, 30] }, [20, 0], [1, 21]],
  ] as const)
    test(name, async ({ page, site }) => {
      const chunks = await serveSlices(page, shape, { attributes });
      await openElement(page, site, 'src="/sampled" select="20,:,:"');
      await settles(page);
      expect(chunks).toEqual(read);
      expect(await rangeOf(page)).toEqual(range);
    });
});

/** The numbers at the ends of the legend. */
async function rangeOf(page: Page): Promise<number[]> {
  const texts = await page.locator(".zw-legend-scale > span").allTextContents();
  return texts.filter((text) => text !== "").map(Number);
}

for (const [rows, columns] of [
  [20_000, 12],
  [3, 3072],
] as const)
  test(`an array of ${rows} × ${columns} is visible`, async ({ page, viewer }) => {
    await serveSlices(page, [1, rows, columns]);
    await viewer.show("source=/sampled&select=0,:,:");
    await settles(page);
    const { width, height } = (await viewer.box.boundingBox())!;
    const seen = await viewer.seen();
    const [drawn, high] = [
      (columns / seen.columns) * width,
      (Math.min(rows, seen.rows) / seen.rows) * height,
    ];
    expect(Math.min(drawn, high)).toBeGreaterThan(100);
  });

test("a selection beyond the array causes a warning that names the shown one", async ({
  page,
  site,
  problems,
}) => {
  problems.expect(/select="9999,/);
  const messages = await openElement(page, site, 'src="/stores/slices" select="9999,:,:"');
  await expect.poll(messages).toHaveLength(1);
  expect((await messages())[0]).toMatch(
    /^select="9999,:,:" does not fit the array of shape \[.*; select="\d+,:,:" is shown$/,
  );
});
