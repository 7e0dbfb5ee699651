// A process that decodes one chunk and prints the seconds from before the first import until it is decoded.
//   node bench/startup-process.mjs LIBRARY FILE      FILE: 512 KiB of uint16, Blosc with LZ4
import { readFileSync } from "node:fs";

const [library, file] = process.argv.slice(2);
const count = 2 ** 18;
const codecs = [
  { name: "bytes", configuration: { endian: "little" } },
  {
    name: "blosc",
    configuration: { cname: "lz4", clevel: 5, shuffle: "shuffle", typesize: 2, blocksize: 0 },
  },
];

const document = {
  zarr_format: 3,
  node_type: "array",
  shape: [count],
  data_type: "uint16",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [count] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs,
};

const storeOf = (encoded) =>
  new Map([
    ["/zarr.json", new TextEncoder().encode(JSON.stringify(document))],
    ["/c/0", encoded],
  ]);

/** Each function imports a library and decodes a chunk; returns the decoded bytes. */
const starts = {
  "zarr-wasm/codecs": async (encoded) => {
    const { createCodecChain } = await import("zarr-wasm/codecs");
    const chain = await createCodecChain({ dtype: "uint16", shape: [count], codecs, direction: "decode" });
    return chain.decode(encoded).byteLength;
  },
  "npm numcodecs": async (encoded) => {
    const { default: Blosc } = await import("numcodecs/blosc");
    return (await new Blosc().decode(encoded)).byteLength;
  },
  "zarr-wasm": async (encoded) => {
    const { open } = await import("zarr-wasm");
    const array = await open(storeOf(encoded), { kind: "array" });
    return (await array.getChunk([0])).data.byteLength;
  },
  "npm zarrita": async (encoded) => {
    const zarrita = await import("zarrita");
    const array = await zarrita.open(storeOf(encoded), { kind: "array" });
    return (await array.getChunk([0])).data.byteLength;
  },
};

const encoded = new Uint8Array(readFileSync(file));
const start = performance.now();
const bytes = await starts[library](encoded);
const seconds = (performance.now() - start) / 1000;
if (bytes !== 2 * count) throw new Error(`${library} decoded ${bytes} bytes`);
console.log(seconds);
