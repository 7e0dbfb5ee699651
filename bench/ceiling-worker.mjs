// A thread of a ceiling (bench/ceiling.mjs): decodes or encodes chunks in its own instance of the module.
import { parentPort, workerData } from "node:worker_threads";
import { createCodecChain } from "zarr-wasm/codecs";

const pageBytes = 4096;
const { array, encoded, elements } = workerData;
const chain = await createCodecChain({ dtype: "uint16", shape: array.chunks, codecs: array.codecs });
const out = new Uint16Array(elements[0].length);

const works = {
  /** Decodes chunks, and touches each page of as much fresh memory as they fill. */
  decode(count) {
    const fresh = new Uint8Array(count * out.byteLength);
    for (let i = 0; i < count; i++) {
      chain.decodeInto(encoded[i % encoded.length], out);
      const end = (i + 1) * out.byteLength;
      for (let at = i * out.byteLength; at < end; at += pageBytes) fresh[at] = 1;
    }
  },
  encode(count) {
    for (let i = 0; i < count; i++) chain.encode(elements[i % elements.length]);
  },
};

parentPort.on("message", ({ work, count }) => {
  works[work](count);
  parentPort.postMessage("done");
});
parentPort.postMessage("ready");
