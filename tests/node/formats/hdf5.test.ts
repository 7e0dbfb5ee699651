// HDF5 and NetCDF-4: requests for metadata, conventions, damaged files. Values: files.test.ts.
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { get, isZarrError, open, type RangeQuery, type Store, ZarrGroup } from "zarr-wasm";
import { readSparse } from "zarr-wasm/conventions";
import { ArrayFileStore } from "zarr-wasm/formats";
import { randomizer } from "../support/support.js";
import { CountingStore } from "../support/zarr-writer.js";

const golden = new URL("../../golden/files/", import.meta.url);

/** A store of one file. */
class OneFile implements Store {
  constructor(
    readonly size: number,
    private readonly readAt: (offset: number, length: number) => Uint8Array,
  ) {}

  get(): Uint8Array {
    return this.readAt(0, this.size);
  }

  getRange(_key: string, range: RangeQuery): Uint8Array {
    const { offset = 0, length = this.size } = range as { offset?: number; length?: number };
    return this.readAt(offset, Math.max(0, Math.min(length, this.size - offset)));
  }
}

/** Returns the number of reads and of bytes since the last call. */
function readsOf(file: CountingStore): { reads: number; bytes: number } {
  const { requests, bytes } = file;
  file.reset();
  return { reads: requests.length, bytes };
}

const pageBytes = 4096;

/** Reads a file of pages other than zeros: see `pages` in tests/files/netcdf4.py. */
function sparseFile(name: string): OneFile {
  const packed = gunzipSync(readFileSync(new URL(name, golden)));
  const pages = new Map<number, Uint8Array>();
  for (let at = 8; at < packed.byteLength; at += 4 + pageBytes)
    pages.set(packed.readUInt32LE(at), packed.subarray(at + 4, at + 4 + pageBytes));
  return new OneFile(Number(packed.readBigUInt64LE(0)), (offset, length) => {
    const bytes = new Uint8Array(length);
    const first = Math.floor(offset / pageBytes);
    for (let index = first; index * pageBytes < offset + length; index++) {
      const start = index * pageBytes - offset;
      const page = pages.get(index)?.subarray(Math.max(-start, 0), length - start);
      if (page) bytes.set(page, Math.max(start, 0));
    }
    return bytes;
  });
}

const fileOf = (bytes: Uint8Array): OneFile =>
  new OneFile(bytes.byteLength, (offset, length) => bytes.subarray(offset, offset + length));

/** Opens all members of the root. */
async function openAll(file: Store): Promise<ZarrGroup> {
  const store = await ArrayFileStore.open({ store: file, key: "/file.nc" });
  const root = await open(store);
  expect(root).toBeInstanceOf(ZarrGroup);
  const names = await store.listChildren("");
  expect(names).toHaveLength(20);
  for (const name of names) await (root as ZarrGroup).open(name);
  return root as ZarrGroup;
}

describe("requests for a file of 900 MB with 20 variables", () => {
  it("opens all variables by few reads, and a chunk by two", async () => {
    const file = new CountingStore(sparseFile("netcdf4/large.nc.pages.gz"));
    const root = await openAll(file);
    const opened = readsOf(file);
    expect(opened.reads).toBeLessThanOrEqual(2);
    expect(opened.bytes).toBeLessThanOrEqual(2 ** 20);
    for (const [i, step] of [0, 30, 49].entries()) {
      const array = await root.open(`variable ${5 * i}`, { kind: "array" });
      await get(array, [step, null, null]);
      expect(readsOf(file).reads).toBeLessThanOrEqual(2);
    }
  });

  it("opens variables that stand behind the data of others", async () => {
    const file = new CountingStore(sparseFile("netcdf4/spread.nc.pages.gz"));
    const root = await openAll(file);
    const opened = readsOf(file);
    expect(opened.reads).toBeLessThanOrEqual(20);
    expect(opened.bytes).toBeLessThanOrEqual(4 * 2 ** 20);
    const array = await root.open("variable 9", { kind: "array" });
    await get(array, [49, null, null]);
    expect(readsOf(file).reads).toBeLessThanOrEqual(2);
  });
});

describe("conventions", () => {
  it("reads sparse matrices of AnnData", async () => {
    const bytes = readFileSync(new URL("hdf5/cells.h5ad", golden));
    const store = await ArrayFileStore.open({ store: fileOf(bytes), key: "/cells.h5ad" });
    const counts = await open(store, { path: "layers/counts", kind: "group" });
    const { shape, data, indptr } = await readSparse(counts);
    expect([shape, [...data], [...indptr]]).toEqual([
      [4, 3],
      [1, 2, 3],
      [0, 1, 2, 3, 3],
    ]);
  });
});

/** Reads all nodes. @throws errors that are not typed. */
async function readAll(store: ArrayFileStore, path: string, budget: { left: number }): Promise<void> {
  for (const name of await store.listChildren(path)) {
    if (--budget.left < 0) return;
    const place = path === "" ? name : `${path}/${name}`;
    await typed(async () => {
      const node = await open(store, { path: place });
      if (node.kind === "group") await readAll(store, place, budget);
      else await get(node);
    });
  }
}

async function typed(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isZarrError(error)) throw error;
  }
}

describe("damaged files", () => {
  const limits = { chunkBytes: 2 ** 22, resultBytes: 2 ** 22, metadataBytes: 2 ** 22 };
  const files = ["hdf5", "hdf5_chunks", "netcdf4"].flatMap((folder) =>
    readdirSync(new URL(folder, golden))
      .filter((name) => /\.(h5|h5ad|nc)$/.test(name))
      .map((name) => `${folder}/${name}`),
  );

  it.each(files)("gives typed errors: %s", async (name) => {
    const whole = new Uint8Array(readFileSync(new URL(name, golden)));
    const next = randomizer(whole.byteLength);
    const random = (bound: number) => Math.floor(bound * next());
    for (let round = 0; round < 40; round++) {
      const bytes = round % 8 === 0 ? whole.slice(0, random(whole.byteLength)) : whole.slice();
      for (let flips = 1 + random(6); flips > 0 && bytes.byteLength > 0; flips--)
        bytes[random(flips % 2 === 0 ? Math.min(2048, bytes.byteLength) : bytes.byteLength)] = random(256);
      const source = { store: fileOf(bytes), key: "/file" };
      await typed(async () => readAll(await ArrayFileStore.open(source, { limits }), "", { left: 60 }));
    }
  });
});
