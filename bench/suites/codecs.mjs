// Decodes and encodes whole chunks with zarr-wasm/codecs, compared with npm packages and equivalent functions
// of the engine. Runs in Node and in pages.
import { chunkBytes, codecs, encodedChunk } from "../codecs.mjs";
import { corpora } from "../corpora.mjs";
import { bestOf, speedRow } from "../measure.mjs";

/**
 * Rows: decoding into a new and into a reused array over npm numcodecs, and into a new one over other
 * decoders.
 * @param {object} where
 * @param {string} [where.prefix] of the row names
 * @param {string[]} [where.only] corpora; default: all
 * @param {Record<string, Record<string, (encoded: Uint8Array) => unknown>>} [where.peers] more decoders, by
 *   codec
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function decodeSuite({ prefix = "", only = Object.keys(corpora), peers = {} } = {}) {
  return only.flatMap((corpus) =>
    codecs.map((codec) =>
      decodeMeasurement(codec, corpus, prefix, { ...codec.peers, ...peers[codec.label] }),
    ),
  );
}

function decodeMeasurement(codec, corpus, prefix, others) {
  const title = (way, peer) =>
    `${prefix}decode ${codec.label}, ${corpus} 4 MiB, ${way} array: zarr-wasm over ${peer}`;
  const numcodecs = "npm numcodecs";
  const pairs = [
    ["fresh", numcodecs],
    ["reused", numcodecs],
    ...Object.keys(others).map((peer) => ["fresh", peer]),
  ];
  return {
    rows: pairs.map(([way, peer]) => title(way, peer)),
    measure: async (wants) => {
      const wanted = pairs.filter(([way, peer]) => wants(title(way, peer)));
      const { chain, elements, encoded } = await encodedChunk(corpus, codec);
      const out = new elements.constructor(elements.length);
      const peer = codec.numcodecs();
      const candidates = {
        fresh: () => chain.decode(encoded),
        reused: () => chain.decodeInto(encoded, out),
        [numcodecs]: () => peer.decode(encoded),
        ...Object.fromEntries(Object.entries(others).map(([name, decode]) => [name, () => decode(encoded)])),
      };
      const needed = new Set(wanted.flat());
      const seconds = await bestOf(
        Object.fromEntries(Object.entries(candidates).filter(([name]) => needed.has(name))),
      );
      return wanted.map(([way, name]) => speedRow(title(way, name), chunkBytes, seconds[way], seconds[name]));
    },
  };
}

const encoded = ["blosc lz4 shuffle", "zstd level 3", "gzip level 5"];

/**
 * Rows: encoding a chunk over npm numcodecs, and the encoded size.
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function encodeSuite({ prefix = "", only = ["microscopy", "field", "labels"] } = {}) {
  return only.flatMap((corpus) =>
    encoded.map((label) =>
      encodeMeasurement(
        codecs.find((codec) => codec.label === label),
        corpus,
        prefix,
      ),
    ),
  );
}

function encodeMeasurement(codec, corpus, prefix) {
  const what = `${codec.label}, ${corpus} 4 MiB: zarr-wasm over npm numcodecs`;
  const [speed, size] = [`${prefix}encode ${what}`, `${prefix}size of encoded ${what}`];
  return {
    rows: [speed, size],
    measure: async () => {
      const { chain, elements } = await encodedChunk(corpus, codec);
      const bytes = new Uint8Array(elements.buffer);
      const peer = codec.numcodecs();
      const seconds = await bestOf({ ours: () => chain.encode(elements), peer: () => peer.encode(bytes) });
      const [ours, theirs] = [chain.encode(elements), await peer.encode(bytes)];
      return [
        speedRow(speed, chunkBytes, seconds.ours, seconds.peer),
        { name: size, unit: "KB", value: ours.length / 1e3, baseline: theirs.length / 1e3 },
      ];
    },
  };
}
