// Arrays with chunk key encodings from extensions.
import { create, MapStore, set } from "zarr-wasm";
import { grayTable } from "../shared/pixels.js";
import { expect, test } from "./site.js";

const valueAt = (y: number, x: number) => 16 * y + x;

test("chunk keys with suffixes and of many folders are requested and shown", async ({ viewer, page }) => {
  await viewer.show("source=/stores/bytes");
  for (const [encoding, key] of [
    [{ name: "suffix", suffix: ".a?b#ü" }, "c/1/1.a%3Fb%23%C3%BC"],
    [{ name: "fanout", maxChildren: 100 }, "c/0/01/0/01"],
  ] as const) {
    const store = new MapStore();
    const array = await create(store, {
      shape: [8, 8],
      chunkShape: [4, 4],
      dtype: "uint8",
      chunkKeyEncoding: encoding,
    });
    const values = Uint8Array.from({ length: 64 }, (_, i) => valueAt(Math.floor(i / 8), i % 8));
    await set(array, null, values);
    const asked: string[] = [];
    await page.route(`**/stores/${encoding.name}/**`, async (route) => {
      const [, below] = /\/stores\/\w+\/(.*)$/.exec(route.request().url())!;
      asked.push(below!);
      const bytes = await store.get(`/${decodeURIComponent(below!)}`);
      await route.fulfill(bytes ? { body: Buffer.from(bytes) } : { status: 404 });
    });
    await viewer.change(`source=/stores/${encoding.name}&map=gray&range=0:256`);
    await viewer.showsGray(grayTable(8, 8, [0, 256], valueAt));
    expect(asked).toContain(key);
  }
});
