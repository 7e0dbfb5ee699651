// Overhead of a call: decodes small chunks with zarr-wasm/codecs into a reused array, and subtracts the time
// of the same work inside the module (the in-heap case with the same name).
import { codecOf, encodedChunk } from "../codecs.mjs";
import { inputs, wasmEngine } from "../engines.mjs";
import { bestOf, effort, timeRow } from "../measure.mjs";

const bytes = 4096;
/** Calls per sample: a single one takes about a microsecond, too short to time. */
const batch = 500;

/**
 * @param {{wasm: string, inputDir: string}} files as for inheapSuite
 * @returns {Promise<import("../measure.mjs").Measurement[]>}
 */
export async function overheadSuite({ wasm, inputDir }) {
  const engine = await wasmEngine(wasm);
  const inputOf = inputs(inputDir);
  return ["blosc lz4 shuffle", "zstd level 3", "lz4"].map((label) => {
    const name = `per call, decodeInto of 4 KiB ${label}: overhead over decode in heap`;
    return {
      rows: [name],
      measure: async () => {
        const index = engine.cases.findIndex((one) => one.name === `decode ${label}, field 4 KiB`);
        const input = await inputOf(engine.cases[index].input);
        const { chain, elements, encoded } = await encodedChunk("field", codecOf(label), bytes);
        const out = new elements.constructor(elements.length);
        const calls = () => {
          for (let i = 0; i < batch; i++) chain.decodeInto(encoded, out);
        };
        const whole = (await bestOf({ calls })).calls / batch;
        const times = Array.from({ length: effort.inHeapRounds }, () => engine.time(index, input));
        const inHeap = Math.min(...times);
        return [timeRow(name, "µs", Math.max(0, whole - inHeap), inHeap)];
      },
    };
  });
}
