/** Reads of every kind, with their expected results: for the tests of faulty servers. */
import type http from "node:http";
import {
  getBytes,
  HttpStore,
  type HttpStoreOptions,
  isZarrError,
  MapStore,
  open,
  slice,
  ZipStore,
} from "zarr-wasm";
import { page, type ReadKind } from "./fault-server.js";
import type { Ready } from "./store-server.js";
import { bytesOf, product, randomBytes } from "./support.js";
import {
  bytesLittle,
  json,
  pick,
  regular,
  sharded,
  v2Meta,
  v3Meta,
  type Written,
  writeV3,
  zstd,
} from "./zarr-writer.js";
import { writeZip } from "./zip-builder.js";

/** One kind of read. */
export interface Read {
  /** The object whose responses are faulty. */
  key: string;
  /** Selects the faulty requests for it. Default: all. */
  isMeant?: (ready: Ready, request: http.IncomingMessage) => boolean;
  /** Reads below a URL, and returns the value to compare with the expected one. */
  read(url: string, options: HttpStoreOptions): Promise<Uint8Array>;
  truth: Uint8Array;
  /** Number of requests without a fault. */
  needed: number;
}

/** Objects by path, and the reads of them. */
export interface Reads {
  objects: Record<string, Uint8Array>;
  kinds: Record<ReadKind, Read>;
}

/** Elements without the fill value, so that a chunk wrongly treated as missing is detected. */
const elementsOf = (count: number) => randomBytes(2 * count, 7).map((byte) => byte | 1);

const readArray =
  (path: string, selection: Parameters<typeof getBytes>[1] = null): Read["read"] =>
  async (url, options) => {
    const array = await open(new HttpStore(`${url}/${path}`, options), { kind: "array" });
    return (await getBytes(array, selection)).bytes;
  };

const readMembers: Read["read"] = async (url, options) => {
  const group = await open(new HttpStore(`${url}/group`, options), { kind: "group" });
  const members = await group.members();
  return bytesOf(members.map(({ name, kind }) => `${name} ${kind}`).join());
};

const readZip: Read["read"] = async (url, options) => {
  const store = new ZipStore(`${url}/a.zip`, options);
  return (await getBytes(await open(store, { kind: "array" }))).bytes;
};

export async function makeReads(): Promise<Reads> {
  const objects: Record<string, Uint8Array> = {};
  const write = async (path: string, fields: Record<string, unknown>): Promise<Written> => {
    const meta = v3Meta({ data_type: "int16", shape: [64, 1024], ...fields });
    const store = new MapStore();
    const written = await writeV3(store, meta, elementsOf(product(meta["shape"] as number[])));
    for (const [key, bytes] of store.entries) objects[`/${path}${key}`] = bytes;
    return written;
  };
  const small = { shape: [20, 30], chunk_grid: regular(20, 30) };
  const packed = await write("packed", { ...small, codecs: [bytesLittle, zstd] });
  const plain = await write("plain", small);
  const large = await write("large", { chunk_grid: regular(64, 1024) });
  const shard = await write("shard", { chunk_grid: regular(64, 1024), codecs: [sharded([8, 64])] });
  objects["/group/.zgroup"] = json({ zarr_format: 2 });
  const metadata = { ".zgroup": { zarr_format: 2 }, "a/.zarray": v2Meta() };
  objects["/group/.zmetadata"] = json({ zarr_consolidated_format: 1, metadata });
  const parts = Object.entries(objects).filter(([key]) => key.startsWith("/packed/"));
  objects["/a.zip"] = writeZip(parts.map(([key, bytes]) => ({ name: key.slice("/packed/".length), bytes })));
  objects["/login.html"] = page;

  const corner = [3, slice(5, 9)];
  const lists = [[3], [5, 6, 7, 8]];
  const truth = packed.elements;
  const shardRead = { key: "/shard/c/0/0", read: readArray("shard", corner), truth: pick(shard, lists) };
  const isMeant: Read["isMeant"] = (_, { headers }) => !headers.range?.startsWith("bytes=-");
  const kinds: Record<ReadKind, Read> = {
    metadata: { key: "/packed/zarr.json", read: readArray("packed"), truth, needed: 1 },
    consolidated: { key: "/group/.zmetadata", read: readMembers, truth: bytesOf("a array"), needed: 1 },
    chunk: { key: "/packed/c/0/0", read: readArray("packed"), truth, needed: 1 },
    plainChunk: { key: "/plain/c/0/0", read: readArray("plain"), truth: plain.elements, needed: 1 },
    run: { key: "/large/c/0/0", read: readArray("large", corner), truth: pick(large, lists), needed: 1 },
    innerChunk: { ...shardRead, isMeant, needed: 1 },
    index: { ...shardRead, needed: 2 },
    zip: { key: "/a.zip", read: readZip, truth, needed: 3 },
  };
  return { objects, kinds };
}

/** Outcome of a read: "right", or the error's tag, code and status; "fill" and "WRONG" are never right. */
export async function resultOf(
  { read, truth }: Read,
  url: string,
  options: HttpStoreOptions,
): Promise<string> {
  try {
    const bytes = await read(url, options);
    if (Buffer.compare(bytes, truth) === 0) return "right";
    return bytes.every((byte) => byte === 0) ? "fill" : "WRONG";
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return [error._tag, error.code, error.status].filter(Boolean).join(" ");
  }
}
