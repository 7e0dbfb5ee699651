// Zarr v3 arrays in memory with a few distinct encoded chunks that are repeated: large arrays without the
// memory.
import { createCodecChain } from "zarr-wasm/codecs";
import { corpora } from "./corpora.mjs";

const utf8 = new TextEncoder();

/**
 * `zarr.json` of an array.
 * @param {{shape: number[], chunks: number[], dataType: string, codecs: object[]}} array
 */
export function metadataOf({ shape, chunks, dataType, codecs }) {
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: dataType,
    chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs,
  };
  return utf8.encode(JSON.stringify(document));
}

/** The elements of `count` chunks of a corpus, all different. */
export function someElements({ chunks, corpus }, count) {
  const { make } = corpora[corpus];
  const length = chunks.reduce((a, b) => a * b, 1);
  const elements = make(count * length * make(8).BYTES_PER_ELEMENT);
  return Array.from({ length: count }, (_, i) => elements.slice(i * length, (i + 1) * length));
}

/** `count` encoded chunks of a corpus, each with different elements. */
export async function encodedChunks({ chunks, corpus, codecs }, count) {
  const { dataType } = corpora[corpus];
  const chain = await createCodecChain({ dtype: dataType, shape: chunks, codecs });
  return someElements({ chunks, corpus }, count).map((elements) => chain.encode(elements));
}

/** Number of the encoded chunk for a key, out of `count`. */
export function chunkNumber(key, count) {
  return key.split("/").reduce((sum, part) => sum * 5 + (Number.parseInt(part, 10) || 0), 0) % count;
}

/** A store for both zarr-wasm and zarrita, which get copies of the data, as from a network. */
export class RepeatingStore {
  constructor(metadata, encoded) {
    this.metadata = metadata;
    this.encoded = encoded;
  }

  get(key) {
    return this.#find(key)?.slice();
  }

  getRange(key, range) {
    const bytes = this.#find(key);
    if ("suffixLength" in range) return bytes?.slice(Math.max(0, bytes.length - range.suffixLength));
    return bytes?.slice(range.offset, range.offset + range.length);
  }

  #find(key) {
    if (key === "/zarr.json") return this.metadata;
    return key.startsWith("/c/") ? this.encoded[chunkNumber(key, this.encoded.length)] : undefined;
  }
}

/** The store of an array, given its shape, chunks, corpus and codecs. */
export async function repeatingStore(array, count = 4) {
  const { dataType } = corpora[array.corpus];
  return new RepeatingStore(metadataOf({ ...array, dataType }), await encodedChunks(array, count));
}

/** A Map that holds an array, which returns the bytes themselves. */
export function mapStore(array, encoded) {
  const { dataType } = corpora[array.corpus];
  const files = new Map([["/zarr.json", metadataOf({ ...array, dataType })]]);
  let keys = ["/c"];
  for (const [axis, length] of array.shape.entries()) {
    const cells = Array.from({ length: Math.ceil(length / array.chunks[axis]) }, (_, cell) => cell);
    keys = keys.flatMap((key) => cells.map((cell) => `${key}/${cell}`));
  }
  for (const key of keys) files.set(key, encoded[chunkNumber(key, encoded.length)]);
  return files;
}
