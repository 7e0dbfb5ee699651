// Bytes-to-bytes codecs on their own: chains whose decoded size no metadata gives.
import { describe, expect, it } from "vitest";
import { decodeBytes, encodeBytes } from "../../dist/engine/bytes.js";
import type { ChainStep } from "../../dist/engine/plan.js";
import { errorOf, randomBytes } from "./support.js";

const zlib: ChainStep = { core: "zlib", params: [1], name: "zlib" };
const lz4: ChainStep = { core: "lz4", params: [1], name: "lz4" };
const zstd: ChainStep = { core: "zstd", params: [1, 0], name: "zstd" };
const megabyte = 2 ** 20;

describe("bytes of unknown number", () => {
  it.each([[[zlib]], [[zstd]], [[lz4, zstd]], [[zlib, lz4, zlib]]])("survive chain %#", async (steps) => {
    for (const length of [0, 1, 15, 16, 17, 4095, 70_000, 3 * megabyte]) {
      for (const bytes of [new Uint8Array(length), randomBytes(length, length)]) {
        const encoded = await encodeBytes(steps, bytes);
        // Zeros need several tries: they shrink to less than the first bound allows for.
        expect(Buffer.compare(await decodeBytes(steps, encoded, 4 * megabyte), bytes)).toBe(0);
        expect(Buffer.compare(await decodeBytes(steps, encoded, Math.max(1, length)), bytes)).toBe(0);
      }
    }
  });

  it("without codecs are handed on as they are", async () => {
    const bytes = randomBytes(100, 1);
    expect(await encodeBytes([], bytes)).toBe(bytes);
    expect(await decodeBytes([], bytes, 100)).toBe(bytes);
    expect((await errorOf(() => decodeBytes([], bytes, 99)))._tag).toBe("LimitExceeded");
  });

  it("never pass the limit", async () => {
    for (const length of [1000, megabyte]) {
      const encoded = await encodeBytes([zlib], new Uint8Array(length));
      for (const limit of [1, length - 1]) {
        expect((await errorOf(() => decodeBytes([zlib], encoded, limit)))._tag).toBe("LimitExceeded");
      }
    }
  });

  it("say what is wrong with damaged data", async () => {
    const steps = [lz4, zlib];
    const encoded = await encodeBytes(steps, randomBytes(500, 2));
    const error = await errorOf(() => decodeBytes(steps, encoded.subarray(0, 300), 1000));
    expect([error._tag, error.codec]).toEqual(["CorruptChunk", "zlib"]);
  });
});
