// The codecs that are measured, as the npm package of the same name and as the in-heap cases know them.
import Blosc from "numcodecs/blosc";
import GZip from "numcodecs/gzip";
import LZ4 from "numcodecs/lz4";
import Zstd from "numcodecs/zstd";
import { createCodecChain } from "zarr-wasm/codecs";
import { corpora } from "./corpora.mjs";

const blosc = (cname, shuffle) => ({
  label: `blosc ${cname} ${shuffle}`,
  name: "blosc",
  configuration: (itemBytes) => ({ cname, clevel: 5, shuffle, typesize: itemBytes, blocksize: 0 }),
  peer: () => new Blosc(),
});

/** @type {{label: string, name: string, configuration: (itemBytes: number) => object, peer: () => object}[]} */
export const codecs = [
  blosc("lz4", "shuffle"),
  blosc("lz4", "bitshuffle"),
  blosc("zstd", "shuffle"),
  blosc("zstd", "bitshuffle"),
  blosc("blosclz", "shuffle"),
  blosc("blosclz", "bitshuffle"),
  { label: "zstd level 3", name: "zstd", configuration: () => ({ level: 3 }), peer: () => new Zstd() },
  { label: "lz4", name: "numcodecs.lz4", configuration: () => ({ acceleration: 1 }), peer: () => new LZ4() },
  { label: "gzip level 5", name: "gzip", configuration: () => ({ level: 5 }), peer: () => new GZip() },
];

/** What every chunk of the codecs' cases decodes to. */
export const chunkBytes = 4 * 2 ** 20;

/** A chunk of a corpus encoded by a codec, once: every candidate decodes the same bytes. */
export async function encodedChunk(corpus, codec) {
  const { dataType, make } = corpora[corpus];
  const elements = make(chunkBytes);
  const chain = await createCodecChain({
    dataType,
    shape: [elements.length],
    codecs: [
      { name: "bytes", configuration: { endian: "little" } },
      { name: codec.name, configuration: codec.configuration(elements.BYTES_PER_ELEMENT) },
    ],
  });
  return { chain, elements, encoded: chain.encode(elements) };
}
