/**
 * The application's own codecs. The core does not know them, so a store in between removes them from the end of the
 * chain in metadata, decodes the chunks it returns and encodes the chunks it is given.
 */

import { toElements } from "../../dtypes/elements.js";
import { parseDescr } from "../../dtypes/typestr.js";
import { parseDocument } from "../../metadata/document.js";
import { setInnerStore, writingMethods } from "../../store/handle.js";
import { cutRange, locateKey, readRange } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject, jsonText, toPlain } from "../../util/json.js";
import { defaultLimits } from "../../util/limits.js";
import { textEncoder } from "../../util/platform.js";
import { stridesOf } from "../../util/shapes.js";
import { littleEndian } from "./array-codecs.js";
import { bytesOf, cOrder, type Strided } from "./chunks.js";
import { namedDtype } from "./codecs.js";
import { dataOf, dtypeName } from "./elements.js";
import { CodecPipelineError, InvalidMetadataError, UnsupportedError } from "./errors.js";
import type { OwnCodec, OwnCodecEntry, OwnCodecMetadata } from "./types.js";

export type LoadEntry = () => OwnCodecEntry | Promise<OwnCodecEntry>;

/** The application's codecs by name. */
export type OwnEntries = ReadonlyMap<string, LoadEntry>;

/** Codecs removed from the end of a chain, in encoding order. */
interface Removed {
  readonly codecs: readonly { readonly name: string; readonly codec: OwnCodec }[];
  readonly meta: OwnCodecMetadata;
}

export interface OwnCodecStore extends Store {
  /** Removes the application's codecs from a metadata document, and remembers them for the array's chunks. */
  readonly withoutOwn: (key: string, document: JsonObject) => Promise<JsonObject>;
}

const documentKey = /^(.*\/)(zarr\.json|\.zarray)$/;

/** A store in front of another one, whose chunks lack what the application's codecs add. */
export function ownCodecStore(inner: Store, entries: OwnEntries): OwnCodecStore {
  /** By the array's key in the store, such as "/a/b/". */
  const removed = new Map<string, Removed>();
  const removedFrom = (key: string): Removed | undefined => {
    if (/\/\.z(attrs|group)$/.test(key)) return undefined;
    for (const [folder, codecs] of removed) if (key.startsWith(folder)) return codecs;
    return undefined;
  };
  const withoutOwn: OwnCodecStore["withoutOwn"] = async (key, document) => {
    const folder = documentKey.exec(key)![1]!;
    const chain = key.endsWith("/.zarray") ? chainOfV2(document) : chainOfV3(document);
    const codecs = chain ? await ownAtEnd(chain.meta, entries) : [];
    removed.delete(folder);
    if (!chain || codecs.length === 0) return document;
    removed.set(folder, { codecs, meta: chain.meta });
    return chain.without(codecs.length, codecs[0]!.codec.kind === "array_to_bytes");
  };
  const get: Store["get"] = async (key, options) => {
    const bytes = await inner.get(key, options);
    if (!bytes) return undefined;
    if (documentKey.test(key)) {
      const document = parseDocument(bytes, key, { limits: defaultLimits });
      const plain = await withoutOwn(key, document);
      return plain === document ? bytes : textEncoder().encode(jsonText(plain));
    }
    const codecs = removedFrom(key);
    return codecs ? decoded(codecs, key, bytes) : bytes;
  };
  const methods = writingMethods(inner);
  const store: OwnCodecStore = {
    ...methods,
    withoutOwn,
    get,
    async getRange(key, range, options) {
      if (!removedFrom(key)) return readRange(inner, key, range, options);
      const whole = await get(key, options);
      return whole && cutRange(whole, range);
    },
    locate: (key) => locateKey(inner, key),
  };
  if (methods.set)
    store.set = async (key, bytes, options) => {
      const codecs = documentKey.test(key) ? undefined : removedFrom(key);
      await methods.set!(key, codecs ? await encoded(codecs, key, bytes) : bytes, options);
    };
  return setInnerStore(store, inner);
}

/** Loads the application's codecs at the end of a chain, in encoding order. */
export async function ownAtEnd(meta: OwnCodecMetadata, entries: OwnEntries): Promise<Removed["codecs"]> {
  const taken: { name: string; codec: OwnCodec }[] = [];
  if (entries.size === 0) return taken;
  for (const { name, configuration } of [...meta.codecs].reverse()) {
    const entry = await entries.get(name)?.();
    if (!entry) break;
    const codec = entry.fromConfig(configuration as never, meta);
    const kind = codec.kind ?? entry.kind ?? "bytes_to_bytes";
    if (kind === "array_to_array") break;
    taken.unshift({ name, codec: Object.assign(Object.create(codec) as OwnCodec, { kind }) });
    if (kind === "array_to_bytes") break;
  }
  return taken;
}

interface Chain {
  readonly meta: OwnCodecMetadata;
  /** The document without the last `count` codecs. `isRaw`: the chunks are elements in C order, little-endian. */
  without(count: number, isRaw: boolean): JsonObject;
}

function chainOfV3(document: JsonObject): Chain | undefined {
  const { codecs, data_type: dataType, chunk_grid: grid, fill_value: fill } = document;
  if (!Array.isArray(codecs)) return undefined;
  const configuration = isJsonObject(grid) ? grid["configuration"] : undefined;
  return {
    meta: {
      dataType: String(toPlain(dataType ?? null)),
      shape: lengthsOf(isJsonObject(configuration) ? configuration["chunk_shape"] : undefined),
      codecs: codecs.map(namedOf),
      fillValue: toPlain(fill ?? null),
    },
    without: (count, isRaw) => ({
      ...document,
      codecs: [...codecs.slice(0, codecs.length - count), ...(isRaw ? [littleEndian] : [])],
    }),
  };
}

function namedOf(json: Json): OwnCodecMetadata["codecs"][number] {
  if (typeof json === "string") return { name: json, configuration: {} };
  const { name, configuration = {} } = (toPlain(json) ?? {}) as { name?: string; configuration?: object };
  return { name: String(name), configuration: configuration as Record<string, unknown> };
}

function chainOfV2(document: JsonObject): Chain | undefined {
  const { filters, compressor, dtype, chunks, fill_value: fill } = document;
  const list = [
    ...(Array.isArray(filters) ? filters : []),
    ...(isJsonObject(compressor) ? [compressor] : []),
  ];
  if (typeof dtype !== "string" || !list.every(isJsonObject)) return undefined;
  return {
    meta: {
      dataType: dtypeName({ dtype: parseDescr(dtype, true, { objects: true }).dtype, zarrFormat: 2 }),
      shape: lengthsOf(chunks),
      codecs: list.map((codec) => {
        const { id, ...configuration } = toPlain(codec) as Record<string, unknown>;
        return { name: `numcodecs.${id}`, configuration };
      }),
      fillValue: toPlain(fill ?? null),
    },
    without: (count, isRaw) => ({
      ...document,
      ...(isRaw ? { dtype: dtype.replace(">", "<"), order: "C" } : {}),
      filters: list.slice(0, list.length - count),
      compressor: null,
    }),
  };
}

function lengthsOf(json: Json | undefined): number[] {
  return Array.isArray(json) ? json.map((length) => (length instanceof JsonNumber ? length.value : 0)) : [];
}

async function decoded({ codecs }: Removed, key: string, bytes: Uint8Array): Promise<Uint8Array> {
  let data: unknown = bytes;
  for (const { name, codec } of [...codecs].reverse()) {
    try {
      data = await codec.decode(data as never);
    } catch (cause) {
      throw new CodecPipelineError({ direction: "decode", codec: name, chunkPath: key, cause });
    }
  }
  return packed(data);
}

async function encoded({ codecs, meta }: Removed, key: string, bytes: Uint8Array): Promise<Uint8Array> {
  let data: unknown = bytes;
  for (const { name, codec } of codecs) {
    try {
      if (!codec.encode) throw new UnsupportedError(`codec ${name} cannot encode`);
      if (codec.kind === "array_to_bytes") data = elementsIn(bytes, meta);
      data = packed(await codec.encode(data as never));
    } catch (cause) {
      throw new CodecPipelineError({ direction: "encode", codec: name, chunkPath: key, cause });
    }
  }
  return data as Uint8Array;
}

/** A raw chunk as zarrita's array-to-bytes codecs take it. */
function elementsIn(bytes: Uint8Array, { dataType, shape }: OwnCodecMetadata): unknown {
  const dtype = namedDtype(dataType);
  return { data: dataOf(dtype, toElements(dtype, bytes)), shape: [...shape], stride: stridesOf(shape) };
}

/** Converts the result of a codec to bytes; chunks to elements in C order. */
function packed(data: unknown): Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  const elements = cOrder(data as Strided);
  if (Array.isArray(elements))
    throw new InvalidMetadataError("codecs that make lists of values are not supported");
  return bytesOf(elements);
}
