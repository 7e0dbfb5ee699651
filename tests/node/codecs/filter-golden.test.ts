// delta and fixedscaleoffset compute like numcodecs, for every pair of data types (tests/golden/filters.py).
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createCodecChain } from "zarr-wasm/codecs";
import { parseNumpyName } from "#src/codecs/numpy.js";
import { toElements } from "#src/dtypes/elements.js";

interface Golden {
  codec: string;
  configuration: { dtype: string; astype: string };
  decoded: string;
  encoded: string;
  /** Missing if C leaves the cast to the decoded type undefined. */
  back?: string;
}

const file = path.resolve("tests/golden/filters.jsonl");
const lines: Golden[] = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const little = { name: "bytes", configuration: { endian: "little" } };
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));

describe.each(["delta", "fixedscaleoffset"])("%s", (codec) => {
  const of = lines.filter((line) => line.codec === codec);

  it.each([...new Set(of.map(({ configuration }) => configuration.dtype))])("of %s", async (dtype) => {
    for (const { configuration, decoded, encoded, back } of of.filter(
      (line) => line.configuration.dtype === dtype,
    )) {
      const type = parseNumpyName(dtype).dtype;
      const elements = toElements(type, bytes(decoded)) as Float64Array;
      const chain = await createCodecChain({
        dtype: type.name as "float64",
        shape: [elements.length],
        codecs: [{ name: `numcodecs.${codec}`, configuration }, little],
      });
      const what = JSON.stringify(configuration);
      expect(chain.encode(elements), what).toEqual(bytes(encoded));
      if (back === undefined) continue;
      expect(chain.decode(bytes(encoded)), what).toEqual(toElements(type, bytes(back)));
    }
  });
});
