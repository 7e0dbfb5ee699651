// Reading arrays, against zarrita: the same elements in the layouts that each library reads.
import { get, open } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import * as zarrita from "zarrita";
import { corpora } from "../corpora.mjs";
import { bestOf } from "../measure.mjs";

const text = new TextEncoder();

/** One chunk as a Zarr v1 store (ours) and as a Zarr v3 store (zarrita's), byte for byte the same chunk. */
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
  const chain = await createCodecChain({ dataType, shape: chunks, codecs });
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
  const ours = new Map([
    ["/meta", text.encode(JSON.stringify(meta))],
    ["/attrs", text.encode("{}")],
    [`/${zeros.join(".")}`, chunk],
  ]);
  const theirs = new Map([
    ["/zarr.json", text.encode(JSON.stringify(document))],
    [`/c/${zeros.join("/")}`, chunk],
  ]);
  return {
    bytes: count * itemBytes,
    ours: await open(ours, { onWarning: () => {} }),
    theirs: await zarrita.open(theirs, { kind: "array" }),
  };
}

const cases = [
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

export async function arraySuite(report) {
  for (const { name, array, ours, theirs } of cases) {
    if (!report.wants(name)) continue;
    const made = await stores(array);
    const seconds = await bestOf({ ours: () => ours(made.ours), theirs: () => theirs(made.theirs) });
    report.addSpeed(name, made.bytes / seconds.ours, made.bytes / seconds.theirs);
  }
}
