// Arrays with chunk key encodings from extensions.
import { create, MapStore, set } from "zarr-wasm";
import { grayTable } from "../shared/pixels.js";
import { expect, test } from "./site.js";

const valueAt = (y: number, x: number) => 16 * y + x;

for (const [encoding, key] of [
  [{ name: "suffix", suffix: ".a?b#ü" }, "c/1/1.a%3Fb%23%C3%BC"],
  [{ name: "fanout", maxChildren: 100 }, "c/0/01/0/01"],
] as const) {
  test(`chunk keys of ${encoding.name} are requested and shown`, async ({ viewer, page }) => {
    const store = new MapStore();
    const array = await create(store, {
      shape: [8, 8],
      chunkShape: [4, 4],
      dtype: "uint8",
      chunkKeyEncoding: encoding,
    });
    await set(
      array,
      null,
      Uint8Array.from({ length: 64 }, (_, i) => valueAt(Math.floor(i / 8), i % 8)),
    );
    const asked: string[] = [];
    await page.route(/\/stores\/keys\//, async (route) => {
      const [, below] = /\/stores\/keys\/(.*)$/.exec(route.request().url())!;
      asked.push(below!);
      const bytes = await store.get(`/${decodeURIComponent(below!)}`);
      await route.fulfill(bytes ? { body: Buffer.from(bytes) } : { status: 404 });
    });
    await viewer.show("source=/stores/keys&map=gray&range=0:256");
    await viewer.showsGray(grayTable(8, 8, [0, 256], valueAt));
    expect(asked).toContain(key);
  });
}
