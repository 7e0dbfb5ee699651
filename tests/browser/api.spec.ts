// The element's interface for programs: values with coordinates, places in the window, refresh after a write, workers.
import type { Locator, Page } from "@playwright/test";
import type * as Library from "zarr-wasm";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { expect, test } from "./site.js";
import { canvasPixel, elementIsReady, openElements } from "./viewer-page.js";

type Element = Omit<Locator, "evaluate"> & {
  evaluate<T, A>(program: (viewer: ZarrViewerElement, argument: A) => T, argument: A): Promise<Awaited<T>>;
  evaluate<T>(program: (viewer: ZarrViewerElement) => T): Promise<Awaited<T>>;
};

async function show(page: Page, site: string, attributes: string): Promise<Element> {
  await openElements(page, site, `<zarr-viewer id="one" controls="minimal" ${attributes}></zarr-viewer>`);
  await elementIsReady(page, "one");
  return page.locator("#one") as Element;
}

const middleOf = async (page: Page) => {
  const { x, y, width, height } = (await page.locator("#one .zw-box").first().boundingBox())!;
  return { x: x + width / 2 + 5.3, y: y + height / 3 + 2.7 };
};

test("pointer events have names of dimensions, coordinates and decoded values", async ({ page, site }) => {
  const one = await show(page, site, `src="/stores/weather" path="t2m" scope="slice"`);
  await one.evaluate((viewer) => {
    viewer.addEventListener("pointer", ({ detail }) => detail && Object.assign(globalThis, { last: detail }));
  });
  const { x, y } = await middleOf(page);
  await page.mouse.move(x, y);
  await expect.poll(() => page.evaluate(() => "last" in globalThis)).toBe(true);
  const seen = await page.evaluate(() => {
    const { last } = globalThis as unknown as {
      last: {
        index: number[];
        dimensions: string[];
        coordinates: unknown[];
        values: unknown[];
        decoded: unknown[];
      };
    };
    return { ...last, isDate: last.coordinates[0] instanceof Date };
  });
  expect(seen).toMatchObject({ dimensions: ["time", "lat", "lon"], isDate: true });
  expect(seen.coordinates.slice(1)).toEqual([expect.any(Number), expect.any(Number)]);
  expect(seen.decoded).toHaveLength(1);
});

for (const [what, attributes] of [
  ["cells in stored order", `src="/stores/cube"`],
  ["uneven coordinates", `src="/stores/section" path="salt"`],
  ["a map around the globe", `src="/stores/weather" path="t2m" meridian="90"`],
  ["lines", `src="/stores/line"`],
] as const)
  test(`elementToScreen and screenToElement agree with the pointer: ${what}`, async ({ page, site }) => {
    const one = await show(page, site, attributes);
    await one.evaluate((viewer) => {
      viewer.addEventListener(
        "pointer",
        ({ detail }) => detail && Object.assign(globalThis, { last: detail }),
      );
    });
    const { x, y } = await middleOf(page);
    const index = (await one.evaluate((viewer, at) => viewer.screenToElement(at[0]!, at[1]!), [x, y]))!;
    await page.mouse.move(x, y);
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as { last?: { index: number[] } }).last?.index))
      .toEqual(index.map((at) => Math.round(at)));
    const back = (await one.evaluate((viewer, at) => viewer.elementToScreen(at), index))!;
    expect(back.x).toBeCloseTo(x, 3);
    if (what !== "lines") expect(back.y).toBeCloseTo(y, 3);
    // The centre of an element leads to a whole index.
    const whole = index.map((at) => Math.round(at));
    const centre = (await one.evaluate((viewer, at) => viewer.elementToScreen(at), whole))!;
    const again = (await one.evaluate((viewer, at) => viewer.screenToElement(at.x, at.y), centre))!;
    for (const [axis, at] of whole.entries()) expect(again[axis]).toBeCloseTo(at, 3);
    expect(await one.evaluate((viewer) => viewer.screenToElement(-1, -1))).toBeUndefined();
  });

for (const [what, attributes] of [
  ["a curvilinear grid", `src="/stores/turned" path="speed"`],
  ["a globe", `src="/stores/weather" path="t2m" projection="globe"`],
] as const)
  test(`elementToScreen leads to the element under the pointer: ${what}`, async ({ page, site }) => {
    const one = await show(page, site, attributes);
    const { x, y } = await middleOf(page);
    const index = (await one.evaluate((viewer, at) => viewer.screenToElement(at[0]!, at[1]!), [x, y]))!;
    expect(index.every(Number.isInteger)).toBe(true);
    const centre = (await one.evaluate((viewer, at) => viewer.elementToScreen(at), index))!;
    expect(await one.evaluate((viewer, at) => viewer.screenToElement(at.x, at.y), centre)).toEqual(index);
  });

for (const shardShape of [undefined, [32, 32]])
  test(`refresh reads ${shardShape ? "chunks of shards" : "chunks"} again that a program has written`, async ({
    page,
    site,
  }) => {
    const one = await show(page, site, `src="/stores/cube"`);
    await one.evaluate(async (viewer, shards) => {
      const entry = "/lib/index.js"; // a copy of the library that the viewer does not share
      const { create, set, slice } = (await import(entry)) as typeof Library;
      const reads: string[] = [];
      const map = new Map<string, Uint8Array>();
      const store = { get: (key: string) => reads.push(key) && map.get(key), set: map.set.bind(map) };
      const options = { shape: [32, 32], chunkShape: [16, 16], dtype: "uint8", codecs: [] } as const;
      const array = await create(map, { ...options, ...(shards && { shardShape: shards }) });
      await set(array, null, 100);
      Object.assign(globalThis, { array, set, slice, reads, states: [] });
      viewer.addEventListener("state", ({ detail }) =>
        (globalThis as unknown as { states: string[] }).states.push(detail),
      );
      viewer.range = [0, 200];
      viewer.colormap = "gray";
      viewer.src = store as unknown as Library.Store;
    }, shardShape);
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as { states: string[] }).states.at(-1)))
      .toBe("ready");
    const canvas = page.locator("#one .zw-canvas").first();
    const corners = async () =>
      Promise.all(
        [
          [4, 4],
          [20, 20],
        ].map(async (index) => {
          const { x, y } = (await one.evaluate((viewer, at) => viewer.elementToScreen(at), index))!;
          const { left, top } = await canvas.evaluate((element) => element.getBoundingClientRect());
          return (await canvasPixel(canvas, { x: x - left, y: y - top }))[0];
        }),
      );
    expect(await corners()).toEqual([128, 128]);
    const read = await one.evaluate(async (viewer) => {
      const { array, set, slice, reads } = globalThis as unknown as typeof Library & {
        array: Library.ZarrArray;
        reads: string[];
      };
      await set(array, [slice(16, 32), slice(16, 32)], 200);
      reads.length = 0;
      await viewer.refresh([slice(16, 32), slice(16, 32)]);
      return [...reads];
    });
    expect(await corners()).toEqual([128, 255]);
    expect(read).toEqual([shardShape ? "/c/0/0" : "/c/1/1"]);
    const failure = await one.evaluate((viewer) =>
      viewer.refresh([32]).catch((error: Error) => error.message),
    );
    expect(failure).toBe("index 32 is out of range for dimension 0 of length 32");
  });

test("refresh refuses more objects than it can drop", async ({ page, site }) => {
  const one = await show(page, site, `src="/stores/cube"`);
  const failure = await one.evaluate(async (viewer) => {
    const entry = "/lib/index.js";
    const { create } = (await import(entry)) as typeof Library;
    const store = new Map<string, Uint8Array>();
    await create(store, { shape: [400, 400], chunkShape: [1, 1], dtype: "uint8", codecs: [] });
    viewer.src = store as unknown as Library.Store;
    await new Promise((resolve) => viewer.addEventListener("load", resolve));
    const all = await viewer.refresh().catch((error: Error) => `${error.name}: ${error.message}`);
    const row = await viewer.refresh([3]).catch((error: Error) => error.message);
    return [all, row];
  });
  expect(failure).toEqual([
    "RangeError: the selection covers 160000 stored objects; refresh at most 100000 at a time",
    undefined,
  ]);
});

test("a store with a cache serves the page's own reads without requests", async ({ page, site }) => {
  const one = await show(page, site, `src="/stores/cube"`);
  await one.evaluate(async (viewer) => {
    const entry = "/lib/index.js";
    const { ByteCache, HttpStore } = (await import(entry)) as typeof Library;
    const url = new URL("/stores/cube", location.href);
    viewer.src = new HttpStore(url, { cache: new ByteCache(2 ** 26) }) as unknown as Library.Store;
  });
  await elementIsReady(page, "one");
  await expect.poll(() => one.evaluate((viewer) => viewer.view?.target.source instanceof Object)).toBe(true);
  await elementIsReady(page, "one");
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  const length = await one.evaluate(async (viewer) => {
    const { array, settings } = viewer.view!;
    const at = settings.index.map((index, axis) =>
      settings.axes.includes(axis) ? 0 : Math.floor(index / array.chunkShape[axis]!),
    );
    const { data } = await array.getChunk(at, { pool: viewer.pool });
    return data.length;
  });
  expect(length).toBeGreaterThan(0);
  expect(requests).toEqual([]);
});

test("the page's own reads use the workers and the store of the viewers", async ({ page, site }) => {
  const one = await show(page, site, `src="/stores/cube"`);
  expect(
    await one.evaluate(async (viewer) => {
      const { array } = viewer.view!;
      const { data } = await array.getChunk(
        array.shape.map(() => 0),
        { pool: viewer.pool },
      );
      return [viewer.pool.size > 0, data.length > 0, viewer.state];
    }),
  ).toEqual([true, true, "ready"]);
});
