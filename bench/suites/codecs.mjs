// Decoding whole chunks through zarr-wasm/codecs, against the npm packages that decode the same bytes.
import Blosc from "numcodecs/blosc";
import LZ4 from "numcodecs/lz4";
import Zstd from "numcodecs/zstd";
import { createCodecChain } from "zarr-wasm/codecs";
import { corpora } from "../corpora.mjs";
import { bestOf } from "../measure.mjs";

const chunkBytes = 4 * 2 ** 20;

const blosc = (cname, shuffle) => ({
  label: `blosc ${cname} ${shuffle}`,
  name: "blosc",
  configuration: (itemBytes) => ({ cname, clevel: 5, shuffle, typesize: itemBytes, blocksize: 0 }),
  peer: () => new Blosc(),
});

const codecs = [
  blosc("lz4", "shuffle"),
  blosc("lz4", "bitshuffle"),
  blosc("zstd", "shuffle"),
  blosc("zstd", "bitshuffle"),
  blosc("blosclz", "shuffle"),
  { label: "zstd level 3", name: "zstd", configuration: () => ({ level: 3 }), peer: () => new Zstd() },
  { label: "lz4", name: "numcodecs.lz4", configuration: () => ({ acceleration: 1 }), peer: () => new LZ4() },
];

/** Rows: decode into a fresh and into a reused array, over npm numcodecs. */
export async function codecSuite(report) {
  for (const [corpus, { dataType, make }] of Object.entries(corpora)) {
    const elements = make(chunkBytes);
    for (const codec of codecs) {
      const title = (way) => `decode ${codec.label}, ${corpus} 4 MiB, ${way}: zarr-wasm over npm numcodecs`;
      if (!report.wants(title("fresh")) && !report.wants(title("reused"))) continue;
      const chain = await createCodecChain({
        dataType,
        shape: [elements.length],
        codecs: [
          { name: "bytes", configuration: { endian: "little" } },
          { name: codec.name, configuration: codec.configuration(elements.BYTES_PER_ELEMENT) },
        ],
      });
      const encoded = chain.encode(elements);
      const peer = codec.peer();
      const out = new elements.constructor(elements.length);
      const seconds = await bestOf({
        fresh: () => chain.decode(encoded),
        reused: () => chain.decodeInto(encoded, out),
        peer: async () => peer.decode(encoded),
      });
      report.addSpeed(title("fresh"), chunkBytes, seconds.fresh, seconds.peer);
      report.addSpeed(title("reused"), chunkBytes, seconds.reused, seconds.peer);
    }
  }
}
