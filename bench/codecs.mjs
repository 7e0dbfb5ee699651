// The measured codecs, as configured in zarr-wasm, the npm packages and the in-heap cases, and the encoded
// chunks that all candidates decode.
import * as fflate from "fflate";
import * as fzstd from "fzstd";
import Blosc from "numcodecs/blosc";
import GZip from "numcodecs/gzip";
import LZ4 from "numcodecs/lz4";
import Zstd from "numcodecs/zstd";
import { createCodecChain } from "zarr-wasm/codecs";
import { corpora } from "./corpora.mjs";

/** Default decoded size of the chunks in codec cases. */
export const chunkBytes = 4 * 2 ** 20;

const blosc = (cname, shuffle, shuffleCode) => ({
  label: `blosc ${cname} ${shuffle}`,
  name: "blosc",
  configuration: (itemBytes) => ({ cname, clevel: 5, shuffle, typesize: itemBytes, blocksize: 0 }),
  // Its encoder always shuffles elements of 4 bytes; this cannot be configured.
  numcodecs: () => new Blosc(5, cname, shuffleCode, 0),
  peers: {},
});

/**
 * @typedef {object} Codec
 * @property {string} label as in row names and in-heap cases
 * @property {string} name of the codec in Zarr v3 metadata
 * @property {(itemBytes: number) => object} configuration in Zarr v3 metadata
 * @property {() => {encode: Function, decode: Function}} numcodecs the same codec of npm numcodecs
 * @property {Record<string, (encoded: Uint8Array) => unknown>} peers other decoders of the same bytes
 */

/** @type {Codec[]} */
export const codecs = [
  blosc("lz4", "shuffle", 1),
  blosc("lz4", "bitshuffle", 2),
  blosc("zstd", "shuffle", 1),
  blosc("zstd", "bitshuffle", 2),
  blosc("blosclz", "shuffle", 1),
  blosc("blosclz", "bitshuffle", 2),
  {
    label: "zstd level 3",
    name: "zstd",
    configuration: () => ({ level: 3, checksum: false }),
    numcodecs: () => new Zstd(3),
    peers: { "npm fzstd": (encoded) => fzstd.decompress(encoded) },
  },
  {
    label: "lz4",
    name: "numcodecs.lz4",
    configuration: () => ({ acceleration: 1 }),
    numcodecs: () => new LZ4(),
    peers: {},
  },
  {
    label: "gzip level 5",
    name: "gzip",
    configuration: () => ({ level: 5 }),
    numcodecs: () => new GZip(5),
    peers: {
      "npm fflate": (encoded) => fflate.gunzipSync(encoded),
      DecompressionStream: (encoded) =>
        new Response(new Blob([encoded]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer(),
    },
  },
];

/** Returns the codec with a label. */
export function codecOf(label) {
  const codec = codecs.find((one) => one.label === label);
  if (!codec) throw new Error(`no codec is called ${label}`);
  return codec;
}

const little = { name: "bytes", configuration: { endian: "little" } };

const madeElements = new Map();

/** Elements of a corpus, generated once. */
function elementsOf(corpus, bytes) {
  const key = `${corpus} ${bytes}`;
  if (!madeElements.has(key)) madeElements.set(key, corpora[corpus].make(bytes));
  return madeElements.get(key);
}

/** A chunk of a corpus encoded by a codec, generated once: all candidates decode the same bytes. */
export async function encodedChunk(corpus, codec, bytes = chunkBytes) {
  const { dataType } = corpora[corpus];
  const elements = elementsOf(corpus, bytes);
  const itemBytes = elements.BYTES_PER_ELEMENT;
  const chain = await createCodecChain({
    dtype: dataType,
    shape: [elements.length],
    codecs: [little, { name: codec.name, configuration: codec.configuration(itemBytes) }],
  });
  return { chain, elements, encoded: chain.encode(elements) };
}

/** 64³ uint16, one chunk of a larger region: stored big-endian and with reversed axes. */
export const placedChunk = {
  corpus: "microscopy",
  shape: [64, 64, 64],
  codecs: (codec) => [
    { name: "transpose", configuration: { order: [2, 1, 0] } },
    { name: "bytes", configuration: { endian: "big" } },
    { name: codec.name, configuration: codec.configuration(2) },
  ],
};

async function encodedPlacedChunk(codec) {
  const { corpus, shape, codecs: chainOf } = placedChunk;
  const { dataType, make } = corpora[corpus];
  const chain = await createCodecChain({ dtype: dataType, shape, codecs: chainOf(codec) });
  return chain.encode(make(2 * 64 ** 3));
}

/**
 * The input bytes of an in-heap case.
 * @param {string} name "corpus: codec", "corpus 4 KiB: codec" or "placed chunk: codec" for an encoded chunk,
 *   "corpus" for a plain one
 */
export async function inputBytes(name) {
  const [what, label] = name.split(": ");
  if (what === "placed chunk") return encodedPlacedChunk(codecOf(label));
  const [, corpus, kib] = /^(\w+)(?: (\d+) KiB)?$/.exec(what);
  const bytes = kib ? Number(kib) * 1024 : chunkBytes;
  if (label === undefined) return new Uint8Array(elementsOf(corpus, bytes).buffer);
  return (await encodedChunk(corpus, codecOf(label), bytes)).encoded;
}
