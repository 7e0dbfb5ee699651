// Decoding whole chunks through zarr-wasm/codecs, against the npm packages that decode the same bytes.
import { chunkBytes, codecs, encodedChunk } from "../codecs.mjs";
import { corpora } from "../corpora.mjs";
import { bestOf } from "../measure.mjs";

/** Rows: decode into a fresh and into a reused array, over npm numcodecs. */
export async function codecSuite(report) {
  for (const corpus of Object.keys(corpora)) {
    for (const codec of codecs) {
      const title = (way) =>
        `decode ${codec.label}, ${corpus} 4 MiB, ${way} array: zarr-wasm over npm numcodecs`;
      if (!report.wants(title("fresh")) && !report.wants(title("reused"))) continue;
      const { chain, elements, encoded } = await encodedChunk(corpus, codec);
      const peer = codec.peer();
      const out = new elements.constructor(elements.length);
      const seconds = await bestOf({
        fresh: () => chain.decode(encoded),
        reused: () => chain.decodeInto(encoded, out),
        peer: () => peer.decode(encoded),
      });
      report.addSpeed(title("fresh"), chunkBytes / seconds.fresh, chunkBytes / seconds.peer);
      report.addSpeed(title("reused"), chunkBytes / seconds.reused, chunkBytes / seconds.peer);
    }
  }
}
