// Compressed FITS images: damage, and tables that contradict themselves. files.test.ts reads those of CFITSIO.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { get, isZarrError, open } from "zarr-wasm";
import { ArrayFileStore } from "zarr-wasm/formats";
import { amount } from "../support/amounts.js";
import { errorOf, randomizer } from "../support/support.js";

const folder = new URL("../../golden/files/fits/", import.meta.url);
const images = [
  ["tiled-RICE_1-f4-9-tile", "COMP"],
  ["packed-large-r", "PRIMARY"],
  ["packed-u2-g2", "PRIMARY"],
  ["unusual-uncompressed", "HDU1"],
] as const;
const bytesOf = (name: string) => new Uint8Array(readFileSync(new URL(`${name}.fits`, folder)));
const limits = { resultBytes: 2 ** 24, chunkBytes: 2 ** 24, readChunks: 2 ** 12 };

async function read(bytes: Uint8Array, path: string): Promise<void> {
  const store = await ArrayFileStore.open(bytes, { limits });
  await get(await open(store, { path, kind: "array", limits }));
}

/** Replaces the value of a card; it must be as long as before or padded. */
function withCard(name: string, keyword: string, value: string): Uint8Array {
  const bytes = bytesOf(name);
  const text = Buffer.from(bytes).toString("latin1");
  const at = text.indexOf(`${keyword.padEnd(8)}=`);
  expect(at % 80).toBe(0);
  bytes.set(Buffer.from(`${keyword.padEnd(8)}= ${value}`.padEnd(80), "latin1"), at);
  return bytes;
}

describe("compressed images", () => {
  it.each(images)("%s: damage gives typed errors", { timeout: 300_000 }, async (name, image) => {
    const whole = bytesOf(name);
    const random = randomizer(32);
    for (let i = 0; i < amount(150, 3000); i++) {
      const bytes = random() < 0.1 ? whole.slice(0, random() * whole.length) : whole.slice();
      for (let n = 0; n < 1 + 4 * random(); n++)
        bytes[Math.floor(random() * bytes.length)] = random() < 0.5 ? 48 + 10 * random() : 256 * random();
      try {
        await read(bytes, image);
      } catch (error) {
        if (!isZarrError(error)) throw new Error(`${i}: ${error}`, { cause: error });
      }
    }
  });

  it.each([
    ["ZTILE1", "0", "InvalidMetadata"],
    ["ZTILE1", "1", "InvalidMetadata"], // more tiles than rows
    ["NAXIS1", "8", "InvalidMetadata"],
    ["TFORM1", "'1J      '", "InvalidMetadata"],
    ["TFORM1", "'1PZ(9)  '", "InvalidMetadata"],
    ["ZCMPTYPE", "'PLIO_1  '", "Unsupported"],
    ["ZQUANTIZ", "'OTHER   '", "Unsupported"],
    ["ZDITHER0", "0", "InvalidMetadata"],
    ["ZVAL2", "8", "Unsupported"],
    ["ZBITPIX", "32", "Unsupported"],
    ["ZNAXIS1", "4000000000", "InvalidMetadata"],
  ])("with %s = %s are refused", async (keyword, value, tag) => {
    const bytes = withCard("packed-large-r", keyword, value);
    expect((await errorOf(() => read(bytes, "PRIMARY")))["_tag"]).toBe(tag);
  });
});
