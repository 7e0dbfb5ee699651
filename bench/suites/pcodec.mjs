// Decodes pcodec, over recorded speeds of native pco, and over other codecs on the same elements. There is no
// encoder here, so the chunks are files (../pcodec, written by the pco crate 1.0.3: 500,000 numbers each).
import { readFileSync } from "node:fs";
import { createCodecChain } from "zarr-wasm/codecs";
import { codecOf } from "../codecs.mjs";
import { bestOf, speedRow } from "../measure.mjs";

const count = 500_000;

/**
 * `native`: speed of the crate in GB/s of numbers, with the same encoding of similar numbers, built for AVX2
 * and BMI, in one thread, best of 3 s, on a Xeon at 2.5 GHz under other load. Recorded once: the crate is not
 * available here.
 */
const chunks = [
  { file: "times", what: "int64 times, consecutive deltas", dataType: "int64", native: 2.079 },
  { file: "zipf", what: "uint16 categories, no deltas", dataType: "uint16", native: 0.59 },
  { file: "period", what: "float32 period, lookback deltas", dataType: "float32", native: 0.459 },
  { file: "decimals", what: "float32 decimals, consecutive deltas", dataType: "float32" },
];

const others = ["zstd level 3", "blosc zstd shuffle", "blosc lz4 shuffle"];

const little = { name: "bytes", configuration: { endian: "little" } };

/** @returns {import("../measure.mjs").Measurement[]} */
export function pcodecSuite() {
  return chunks.map(measurementOf);
}

function measurementOf({ file, what, dataType, native }) {
  const title = (over) => `decode pcodec, ${what}, reused array: over ${over}`;
  const recorded = title("native pco (recorded)");
  return {
    rows: [...(native ? [recorded] : []), ...others.map(title)],
    measure: async (wants) => {
      const make = (codecs) => createCodecChain({ dtype: dataType, shape: [count], codecs });
      const ours = await make(["numcodecs.pcodec"]);
      const encoded = readFileSync(new URL(`../pcodec/${file}.pco`, import.meta.url));
      const out = ours.decode(encoded);
      const candidates = { pcodec: () => ours.decodeInto(encoded, out) };
      for (const label of others.filter((one) => wants(title(one)))) {
        const { name, configuration } = codecOf(label);
        const chain = await make([little, { name, configuration: configuration(out.BYTES_PER_ELEMENT) }]);
        const same = chain.encode(out);
        candidates[label] = () => chain.decodeInto(same, out);
      }
      const seconds = await bestOf(candidates);
      const { byteLength } = out;
      const rows = others
        .filter((label) => candidates[label])
        .map((label) => speedRow(title(label), byteLength, seconds.pcodec, seconds[label]));
      if (native && wants(recorded))
        rows.unshift(speedRow(recorded, byteLength, seconds.pcodec, byteLength / native / 1e9));
      return rows;
    },
  };
}
