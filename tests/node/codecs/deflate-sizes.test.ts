// Sizes of gzip chunks, compared with zlib's at the same level, and their round trip through zlib.
import { deflateRawSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createCodecChain } from "zarr-wasm/codecs";
import { randomizer } from "../support/support.js";

const count = 2 ** 19;

const corpora: Record<string, () => Uint8Array> = {
  "camera noise": () => {
    const random = randomizer(1);
    const image = Uint16Array.from(
      { length: count / 2 },
      (_, i) => 100 + 400 * Math.sin(i / 3e4) ** 2 + 24 * random(),
    );
    return new Uint8Array(image.buffer);
  },
  "a random walk": () => {
    const random = randomizer(2);
    let value = 1000;
    const walk = Float64Array.from({ length: count / 8 }, () => {
      value += Math.round((random() - 0.5) * 20) / 100;
      return value;
    });
    return new Uint8Array(walk.buffer);
  },
  labels: () => {
    const label = (x: number, y: number) => 1000 + Math.floor((x + 3 * Math.sin(y / 9)) / 17);
    const image = Int32Array.from({ length: count / 4 }, (_, i) => label(i % 362, Math.floor(i / 362)));
    return new Uint8Array(image.buffer);
  },
};

describe("gzip level 5", () => {
  for (const [name, make] of Object.entries(corpora)) {
    it(`takes at most 2 % more bytes than zlib for ${name}`, async () => {
      const bytes = make();
      const chain = await createCodecChain({
        dtype: "uint8",
        shape: [count],
        codecs: [{ name: "bytes" }, { name: "gzip", configuration: { level: 5 } }],
      });
      const encoded = chain.encode(bytes) as Uint8Array;
      expect(encoded.length).toBeLessThan(1.02 * deflateRawSync(bytes, { level: 5 }).length);
      expect(gunzipSync(encoded).equals(bytes)).toBe(true);
    });
  }
});
