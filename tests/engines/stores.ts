/**
 * Writes the test data of the engines: golden stores as files, arrays from the slow writer, and the manifest.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { getBytes, MapStore, open } from "zarr-wasm";
import {
  type GoldenCase,
  goldenCases,
  product,
  randomBytes,
  sha256,
  storeOf,
} from "../node/support/support.js";
import {
  all,
  blosc,
  bytesBig,
  bytesLittle,
  crc32c,
  filled,
  gzip,
  pick,
  regular,
  sharded,
  transposed,
  v3Meta,
  type WriteOptions,
  type Written,
  writeV3,
  zstd,
} from "../node/support/zarr-writer.js";
import type { AxisChoice, GoldenStore, GoldenZip, Manifest, Sample } from "./manifest.js";
import { dataFolder } from "./places.js";

const goldenGroups = ["v1", "v2", "v3", "conventions"] as const;

export async function writeData(): Promise<void> {
  rmSync(dataFolder, { recursive: true, force: true });
  const golden: Manifest["golden"] = {};
  for (const group of goldenGroups)
    golden[group] = await Promise.all(goldenCases(group).map(writeGolden(group)));
  const manifest: Manifest = { golden, zips: writeZips(), samples: await writeSamples() };
  writeFile("manifest.json", JSON.stringify(manifest));
}

function writeFile(name: string, content: string | Uint8Array): void {
  const file = path.join(dataFolder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function writeStore(place: string, entries: Iterable<[string, Uint8Array]>): string[] {
  const keys: string[] = [];
  for (const [key, bytes] of entries) {
    keys.push(key);
    writeFile(`${place}${key}`, bytes);
  }
  return keys;
}

const writeGolden =
  (group: string) =>
  async (golden: GoldenCase, i: number): Promise<GoldenStore> => {
    const place = `golden/${group}/${i}`;
    const store = storeOf(golden);
    const { arrays: many } = golden as { arrays?: Record<string, string> };
    const arrays = many ? await wholeArrays(store, many) : [await onlyArray(store, golden)];
    return { name: golden.name, path: `/data/${place}`, keys: writeStore(place, store), arrays };
  };

async function onlyArray(
  store: Map<string, Uint8Array>,
  { path = "", sha256, writerOrderSha256 }: GoldenCase,
): Promise<GoldenStore["arrays"][number]> {
  const { dtype } = await open(store, { path, kind: "array" });
  return { path, sha256: dtype.isVariable ? undefined : sha256, writerOrderSha256 };
}

/** The arrays of a group with complete golden data: of large ones some chunks were omitted. */
async function wholeArrays(store: Map<string, Uint8Array>, hashes: Record<string, string>) {
  const whole: GoldenStore["arrays"] = [];
  for (const [path, hash] of Object.entries(hashes)) {
    const array = await open(store, { path, kind: "array" });
    if (!array.dtype.isVariable && sha256((await getBytes(array)).bytes) === hash)
      whole.push({ path, sha256: hash });
  }
  if (whole.length < Object.keys(hashes).length / 3) throw new Error("hardly any array is whole");
  return whole;
}

function writeZips(): GoldenZip[] {
  type ZipCase = { name: string; zip: string; objects: Record<string, string> };
  const text = readFileSync(new URL("../golden/zip.jsonl", import.meta.url), "utf8");
  const cases = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ZipCase);
  return cases.map(({ name, zip, objects }, i) => {
    writeFile(`zips/${i}.zip`, Buffer.from(zip, "base64"));
    return { name, path: `/data/zips/${i}.zip`, objects };
  });
}

interface SampleSpec {
  fields: Record<string, unknown>;
  itemBytes: number;
  options?: WriteOptions;
  selections?: AxisChoice[][];
}

const someRows: AxisChoice = { slice: [3, 97, 1] };

/** Large enough for several tasks in a pool, and for reading in parts. */
const specs: Record<string, SampleSpec> = {
  "transposed, byte-swapped blosc with a missing chunk": {
    fields: {
      shape: [220, 300],
      chunk_grid: regular(40, 64),
      codecs: [transposed(1, 0), bytesBig, blosc()],
    },
    itemBytes: 4,
    options: { isMissing: (key) => key === "c/1/2" },
    selections: [
      [someRows, null],
      [{ slice: [1, 220, 2] }, { slice: [5, 290, 7] }],
      [7, { slice: [0, 300, 1] }],
      [{ list: [7, 3, 3, 35] }, null],
    ],
  },
  "shards with missing chunks": {
    fields: {
      shape: [150, 260],
      chunk_grid: regular(64, 128),
      codecs: [sharded([32, 64], [transposed(1, 0), bytesBig, zstd])],
    },
    itemBytes: 4,
    options: { missing: 0.3, order: "shuffled" },
    selections: [
      [{ slice: [60, 70, 1] }, { slice: [100, 140, 1] }],
      [149, null],
      [{ list: [149, 0, 70] }, { slice: [0, 260, 9] }],
    ],
  },
  "shards in shards, index first": {
    fields: {
      shape: [64, 96],
      chunk_grid: regular(64, 48),
      codecs: [
        sharded(
          [32, 24],
          [sharded([8, 12], [bytesLittle, gzip], [bytesLittle], "end")],
          [bytesLittle, crc32c],
          "start",
        ),
      ],
    },
    itemBytes: 4,
    options: { missing: 0.2 },
    selections: [[{ slice: [5, 40, 3] }, { slice: [20, 60, 1] }]],
  },
  "uncompressed, read in parts": {
    fields: { shape: [2000, 300], chunk_grid: regular(1000, 300), codecs: [bytesBig] },
    itemBytes: 4,
    selections: [
      [{ slice: [990, 1010, 1] }, null],
      [17, { slice: [10, 20, 1] }],
    ],
  },
  "blosc frames, read in parts": {
    fields: {
      shape: [1200, 300],
      chunk_grid: regular(1200, 300),
      codecs: [bytesLittle, blosc({ blocksize: 16_384 })],
    },
    itemBytes: 4,
    selections: [[{ slice: [100, 103, 1] }, null]],
  },
  "64-bit integers in three dimensions": {
    fields: {
      shape: [20, 30, 50],
      data_type: "int64",
      chunk_grid: regular(16, 30, 17),
      codecs: [bytesLittle, zstd],
    },
    itemBytes: 8,
    selections: [[{ slice: [1, 19, 5] }, 29, null]],
  },
};

async function writeSamples(): Promise<Sample[]> {
  return Promise.all(
    Object.entries(specs).map(async ([name, { fields, itemBytes, options = {}, selections = [] }], i) => {
      const meta = v3Meta(filled(fields));
      const shape = meta["shape"] as number[];
      const elements = randomBytes(product(shape) * itemBytes, i + 1);
      for (let at = 0; at < elements.length; at++) elements[at]! &= 0x0f; // compressible
      const store = new MapStore();
      const written = await writeV3(store, meta, elements, options);
      writeStore(`samples/${i}`, store.entries);
      return {
        name,
        path: `/data/samples/${i}`,
        shape,
        sha256: sha256(written.elements),
        selections: selections.map((axes) => ({ axes, sha256: sha256(pickSlowly(written, axes)) })),
      };
    }),
  );
}

function pickSlowly(written: Written, axes: AxisChoice[]): Uint8Array {
  return pick(
    written,
    axes.map((axis, i) => indicesOf(axis, written.shape[i]!)),
  );
}

function indicesOf(axis: AxisChoice, length: number): number[] {
  if (axis === null) return all(length);
  if (typeof axis === "number") return [axis];
  if ("list" in axis) return axis.list;
  const [start, stop, step] = axis.slice;
  return all(length).filter((i) => i >= start && i < stop && (i - start) % step === 0);
}
