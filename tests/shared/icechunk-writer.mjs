// Writes Icechunk repositories for tests: FlatBuffers by hand, from the schemas of the specification. Shares no code
// with the reader.
import { Buffer } from "node:buffer";

/** A growing buffer. Every offset in it points forwards, as FlatBuffers require. */
class Out {
  #bytes = Buffer.alloc(2 ** 16);
  length = 0;
  #vtables = new Map();

  reserve(count) {
    const at = this.length;
    this.length += count;
    if (this.length > this.#bytes.length) {
      const grown = Buffer.alloc(2 * this.length);
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    return at;
  }

  u32(at, value) {
    this.#bytes.writeUInt32LE(value, at);
  }

  put(at, bytes) {
    this.#bytes.set(bytes, at);
  }

  get bytes() {
    return new Uint8Array(this.#bytes.buffer, 0, this.length);
  }

  #inline(at, value) {
    if ("u8" in value) this.#bytes.writeUInt8(value.u8, at);
    else if ("u32" in value) this.u32(at, value.u32);
    else if ("i32" in value) this.#bytes.writeInt32LE(value.i32, at);
    else if ("u64" in value) this.#bytes.writeBigUInt64LE(BigInt(value.u64), at);
    else this.put(at, value.struct);
  }

  /** Writes a table: an object of field id → value. @returns its position. */
  table(fields) {
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
    const widths = entries.map(([, value]) => widthOf(value));
    const key = entries.map(([id], i) => `${id}:${widths[i]}`).join();
    const bytes = widths.reduce((sum, width) => sum + width, 4);
    let vtable = this.#vtables.get(key);
    if (vtable === undefined) {
      const slots = entries.length === 0 ? 0 : 1 + Math.max(...entries.map(([id]) => Number(id)));
      vtable = this.reserve(4 + 2 * slots);
      this.#bytes.writeUInt16LE(4 + 2 * slots, vtable);
      this.#bytes.writeUInt16LE(bytes, vtable + 2);
      let offset = 4;
      entries.forEach(([id], i) => {
        this.#bytes.writeUInt16LE(offset, vtable + 4 + 2 * Number(id));
        offset += widths[i];
      });
      this.#vtables.set(key, vtable);
    }
    const table = this.reserve(bytes);
    this.#bytes.writeInt32LE(table - vtable, table);
    let at = table + 4;
    entries.forEach(([, value], i) => {
      if (isInline(value)) this.#inline(at, value);
      else this.u32(at, this.write(value) - at);
      at += widths[i];
    });
    return table;
  }

  /** Writes the target of an offset. */
  write(value) {
    if ("table" in value) return this.table(value.table);
    if ("tables" in value) {
      const { length } = value.tables;
      const start = this.reserve(4 + 4 * length);
      this.u32(start, length);
      for (let i = 0; i < length; i++) {
        const child = Array.isArray(value.tables) ? value.tables[i] : value.tables.at(i);
        const at = start + 4 + 4 * i;
        this.u32(at, (child.text === undefined ? this.table(child) : this.write(child)) - at);
      }
      return start;
    }
    const bytes = bytesOf(value);
    const start = this.reserve(4 + bytes.length);
    this.u32(start, value.count ?? bytes.length);
    this.put(start + 4, bytes);
    if ("text" in value) this.reserve(1);
    return start;
  }
}

function bytesOf(value) {
  if ("text" in value) return Buffer.from(value.text);
  if ("u32s" in value) return Buffer.from(new Uint32Array(value.u32s).buffer);
  return value.bytes;
}

const isInline = (value) => ["u8", "u32", "i32", "u64", "struct"].some((kind) => kind in value);
const widthOf = (value) =>
  "u8" in value ? 1 : "u64" in value ? 8 : "struct" in value ? value.struct.length : 4;
const u32s = (values) => ({ u32s: values, count: values.length });

/** A FlatBuffer of a root table. */
export function flatBuffer(fields) {
  const out = new Out();
  const start = out.reserve(8);
  out.put(4, Buffer.from("Ichk"));
  out.u32(start, out.table(fields));
  return out.bytes.slice();
}

const types = { snapshot: 1, manifest: 2, repo: 6 };

/** A metadata file. @param compress makes a zstd frame of bytes; without it, the bytes are stored uncompressed. */
export function metadataFile(type, body, { version = 2, compress } = {}) {
  const header = Buffer.concat([Buffer.from("ICE🧊CHUNK"), Buffer.from("test writer".padEnd(24))]);
  const rest = compress ? compress(body) : body;
  return new Uint8Array(Buffer.concat([header, Buffer.from([version, types[type], compress ? 1 : 0]), rest]));
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A 12-byte id as text. */
export function idText(id) {
  let bits = [...id].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  bits = bits.padEnd(100, "0");
  return bits.replaceAll(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)]);
}

/** An id derived from a number. */
export const idOf = (number) => {
  const id = Buffer.alloc(12, 0xa5);
  id.writeUInt32BE(number, 8);
  return new Uint8Array(id);
};
const nodeIdOf = (number) => {
  const id = Buffer.alloc(8, 0x5a);
  id.writeUInt32BE(number, 4);
  return new Uint8Array(id);
};

/** Fields of a chunk reference. */
export function referenceFields({
  index,
  inline,
  id,
  location,
  compressed,
  offset = 0,
  length,
  etag,
  modified,
}) {
  return {
    0: u32s(index),
    1: inline && { bytes: inline },
    2: inline ? undefined : { u64: offset },
    3: inline ? undefined : { u64: length },
    4: id && { struct: id },
    5: location === undefined ? undefined : { text: location },
    6: etag === undefined ? undefined : { text: etag },
    7: modified === undefined ? undefined : { u32: modified },
    8: compressed && { bytes: compressed },
  };
}

/** A manifest: per array a node's number and its references (a list, or {length, at(i)}), sorted by coordinates. */
export function manifestFile(id, arrays, options = {}) {
  const body = flatBuffer({
    0: { struct: id },
    1: {
      tables: arrays.map(({ node, references }) => ({
        0: { struct: nodeIdOf(node) },
        1: { tables: { length: references.length, at: (i) => referenceFields(references.at(i)) } },
      })),
    },
    2: options.dictionary && { bytes: options.dictionary },
  });
  return metadataFile("manifest", body, options);
}

/** A snapshot: nodes { path, document, node?, manifests?: [{ id, extents: [[from, to], …] }] }, sorted by path. */
export function snapshotFile(id, nodes, { parent, time = 0, message = "", ...options } = {}) {
  const body = flatBuffer({
    0: { struct: id },
    1: parent && { struct: parent },
    2: {
      tables: nodes.map(({ path, document, node = 0, manifests }) => ({
        0: { struct: nodeIdOf(node) },
        1: { text: path },
        2: { bytes: Buffer.from(typeof document === "string" ? document : JSON.stringify(document)) },
        3: { u8: manifests ? 1 : 2 },
        4: {
          table: manifests
            ? {
                0: { bytes: new Uint8Array(0), count: 0 },
                2: {
                  tables: manifests.map((manifest) => ({
                    0: { struct: manifest.id },
                    1: {
                      bytes: Buffer.from(new Uint32Array(manifest.extents.flat()).buffer),
                      count: manifest.extents.length,
                    },
                  })),
                },
              }
            : {},
        },
      })),
    },
    3: { u64: Math.round(time * 1000) },
    4: { text: message },
    5: { tables: [] },
    6: { bytes: new Uint8Array(0), count: 0 },
  });
  return metadataFile("snapshot", body, options);
}

/** A repo file: snapshots { id, parent (index or -1), time (ms), message }, refs { name, index } sorted by name. */
export function repoFile({ snapshots, branches, tags = [], config, specVersion = 2 }, options = {}) {
  const refs = (list) => ({
    tables: list.map(({ name, index }) => ({ 0: { text: name }, 1: { u32: index } })),
  });
  const body = flatBuffer({
    0: { u8: specVersion },
    1: refs(tags),
    2: refs(branches),
    3: { tables: [] },
    4: {
      tables: snapshots.map(({ id, parent, time = 0, message = "" }) => ({
        0: { struct: id },
        1: { i32: parent },
        2: { u64: Math.round(time * 1000) },
        3: { text: message },
      })),
    },
    5: { table: { 0: { u8: 0 } } },
    7: { tables: [] },
    9: config && { bytes: config },
  });
  return metadataFile("repo", body, options);
}

/** A zarr.json of an array of bytes. */
export const arrayDocument = (shape, chunks, more = {}) => ({
  zarr_format: 3,
  node_type: "array",
  shape,
  data_type: "uint8",
  chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
  chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
  fill_value: 7,
  codecs: [{ name: "bytes" }],
  attributes: {},
  ...more,
});

export const groupDocument = (attributes = {}) => ({ zarr_format: 3, node_type: "group", attributes });
