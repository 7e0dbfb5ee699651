// Reads arrays in memory, compared with zarrita. Runs in Node and in pages.
import { get, open } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import * as zarrita from "zarrita";
import { codecOf, placedChunk } from "../codecs.mjs";
import { corpora } from "../corpora.mjs";
import { bestOf, bestOfCalls, speedRow } from "../measure.mjs";
import { metadataOf, repeatingStore } from "../stores.mjs";

const text = new TextEncoder();

/** One chunk as a Zarr v1 store (for us) and as a Zarr v3 store (for zarrita), with the same chunk bytes. */
async function stores({ corpus, shape, order, endian, chunks = shape }) {
  const { dataType, typestr, make } = corpora[corpus];
  const count = shape.reduce((a, b) => a * b, 1);
  const itemBytes = make(8).BYTES_PER_ELEMENT;
  const elements = make(count * itemBytes);
  const codecs = [
    ...(order === "F"
      ? [{ name: "transpose", configuration: { order: shape.map((_, axis) => shape.length - 1 - axis) } }]
      : []),
    { name: "bytes", configuration: { endian } },
  ];
  const chain = await createCodecChain({ dtype: dataType, shape: chunks, codecs });
  const chunk = chain.encode(elements);
  const zeros = shape.map(() => 0);
  const meta = {
    zarr_format: 1,
    shape,
    chunks,
    dtype: endian === "big" ? typestr.replace("<", ">") : typestr,
    compression: "none",
    compression_opts: null,
    fill_value: 0,
    order,
  };
  const ours = new Map([
    ["/meta", text.encode(JSON.stringify(meta))],
    ["/attrs", text.encode("{}")],
    [`/${zeros.join(".")}`, chunk],
  ]);
  const theirs = new Map([
    ["/zarr.json", metadataOf({ shape, chunks, dataType, codecs })],
    [`/c/${zeros.join("/")}`, chunk],
  ]);
  return {
    bytes: count * itemBytes,
    ours: await open(ours, { onWarning: () => {} }),
    theirs: await zarrita.open(theirs, { kind: "array" }),
  };
}

const singleChunks = [
  {
    name: "getChunk, big-endian, microscopy 4 MiB: zarr-wasm over zarrita",
    array: { corpus: "microscopy", shape: [1024, 2048], order: "C", endian: "big" },
    ours: (array) => array.getChunk([0, 0]),
    theirs: (array) => array.getChunk([0, 0]),
  },
  {
    name: "getChunk, big-endian, field 4 MiB: zarr-wasm over zarrita",
    array: { corpus: "field", shape: [1024, 1024], order: "C", endian: "big" },
    ours: (array) => array.getChunk([0, 0]),
    theirs: (array) => array.getChunk([0, 0]),
  },
  {
    name: "get, transposed chunk, field 128³: zarr-wasm over zarrita",
    array: { corpus: "field", shape: [128, 128, 128], order: "F", endian: "little" },
    ours: (array) => get(array),
    theirs: (array) => zarrita.get(array),
  },
  {
    name: "get, transposed big-endian chunk, microscopy 128³: zarr-wasm over zarrita",
    array: { corpus: "microscopy", shape: [128, 128, 128], order: "F", endian: "big" },
    ours: (array) => get(array),
    theirs: (array) => zarrita.get(array),
  },
];

function singleChunk({ name, array, ours, theirs }, prefix) {
  return {
    rows: [prefix + name],
    measure: async () => {
      const made = await stores(array);
      const seconds = await bestOf({ ours: () => ours(made.ours), theirs: () => theirs(made.theirs) });
      return [speedRow(prefix + name, made.bytes, seconds.ours, seconds.theirs)];
    },
  };
}

/** Opens an array of a store with both libraries. */
async function opened(store) {
  return { ours: await open(store, { kind: "array" }), theirs: await zarrita.open(store, { kind: "array" }) };
}

const placed = {
  name: "get, chunk 64³ u16 big-endian [2,1,0] blosc lz4 placed into 256³: zarr-wasm over zarrita",
  array: { ...placedChunk, shape: [256, 256, 256], chunks: placedChunk.shape },
};

/** A get of all 64 chunks. */
function placedChunks(prefix) {
  const name = prefix + placed.name;
  return {
    rows: [name],
    measure: async () => {
      const codecs = placedChunk.codecs(codecOf("blosc lz4 shuffle"));
      const { ours, theirs } = await opened(await repeatingStore({ ...placed.array, codecs }));
      const seconds = await bestOfCalls({ ours: () => get(ours), theirs: () => zarrita.get(theirs) });
      return [speedRow(name, 2 * 256 ** 3, seconds.ours, seconds.theirs)];
    },
  };
}

const little = { name: "bytes", configuration: { endian: "little" } };
const sharded = {
  corpus: "microscopy",
  shape: [256, 256, 256],
  chunks: [128, 128, 128],
  codecs: [
    {
      name: "sharding_indexed",
      configuration: {
        chunk_shape: [32, 32, 32],
        codecs: [little, { name: "zstd", configuration: { level: 3, checksum: false } }],
        index_codecs: [little, { name: "crc32c" }],
        index_location: "end",
      },
    },
  ],
};

function shards(prefix) {
  const name = `${prefix}get, 32 MiB uint16 in shards of 128³, inner chunks 32³ zstd: zarr-wasm over zarrita`;
  return {
    rows: [name],
    measure: async () => {
      const store = await repeatingStore(sharded, 2);
      // Opened for every read: otherwise the time would exclude shard indexes, which are cached.
      const seconds = await bestOfCalls({
        ours: async () => get(await open(store, { kind: "array" })),
        theirs: async () => zarrita.get(await zarrita.open(store, { kind: "array" })),
      });
      return [speedRow(name, 2 * 256 ** 3, seconds.ours, seconds.theirs)];
    },
  };
}

/**
 * @param {{prefix?: string}} [where] prefix of the row names
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function arraySuite({ prefix = "" } = {}) {
  return [...singleChunks.map((one) => singleChunk(one, prefix)), placedChunks(prefix), shards(prefix)];
}
