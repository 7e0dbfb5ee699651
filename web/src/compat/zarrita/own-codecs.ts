/**
 * Codecs of the application's own, in zarrita's form. The core knows nothing of them: a store in between takes
 * them off the end of the chain in the metadata, decodes what it hands out, and encodes what it is given.
 */

import { toElements } from "../../dtypes/elements.js";
import { parseDescr } from "../../dtypes/typestr.js";
import { parseDocument } from "../../metadata/document.js";
import { putInFront, writingMethods } from "../../store/handle.js";
import { cutRange, locateKey, readRange } from "../../store/read.js";
import type { GetOptions, RangeQuery, Store } from "../../store/store.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject, jsonText, toPlain } from "../../util/json.js";
import { defaultLimits } from "../../util/limits.js";
import { textEncoder } from "../../util/platform.js";
import { stridesOf } from "../../util/strides.js";
import { dtypeOf } from "./bytes-codecs.js";
import { cOrder } from "./c-order.js";
import { dataOf, dtypeName } from "./elements.js";
import { CodecPipelineError, InvalidMetadataError, UnsupportedError } from "./errors.js";
import { isOwn, type OwnCodec, type OwnCodecMetadata, registry } from "./registry.js";

/** Codecs that the end of a chain was stripped of, in encoding order. */
interface Stripped {
  readonly codecs: readonly { readonly name: string; readonly codec: OwnCodec }[];
  readonly meta: OwnCodecMetadata;
}

const documentKey = /^(.*\/)(zarr\.json|\.zarray)$/;

/** A store whose chunks have lost the codecs of the application's own. */
export class OwnCodecStore implements Store {
  /** By the array's key in the store, such as "/a/b/". */
  readonly #stripped = new Map<string, Stripped>();

  declare set?: NonNullable<Store["set"]>;
  declare readonly delete?: NonNullable<Store["delete"]>;
  declare readonly deletePrefix?: NonNullable<Store["deletePrefix"]>;
  declare readonly list?: NonNullable<Store["list"]>;
  declare readonly conditional?: NonNullable<Store["conditional"]>;

  constructor(private readonly inner: Store) {
    putInFront(this, inner);
    const { set, ...methods } = writingMethods(inner);
    Object.assign(this, methods);
    if (!set) return;
    this.set = async (key, bytes, options) => {
      const stripped = documentKey.test(key) ? undefined : this.#of(key);
      await set(key, stripped ? await encoded(stripped, key, bytes) : bytes, options);
    };
  }

  async get(key: string, options?: GetOptions): Promise<Uint8Array | undefined> {
    const bytes = await this.inner.get(key, options);
    const match = documentKey.exec(key);
    if (!bytes) return undefined;
    if (match) return this.#rewritten(match[1]!, key, bytes);
    const stripped = this.#of(key);
    return stripped ? decoded(stripped, key, bytes) : bytes;
  }

  async getRange(key: string, range: RangeQuery, options?: GetOptions): Promise<Uint8Array | undefined> {
    if (!this.#of(key)) return readRange(this.inner, key, range, options);
    const whole = await this.get(key, options);
    return whole && cutRange(whole, range);
  }

  locate(key: string): string {
    return locateKey(this.inner, key);
  }

  #of(key: string): Stripped | undefined {
    if (/\/\.z(attrs|group)$/.test(key)) return undefined;
    for (const [folder, stripped] of this.#stripped) if (key.startsWith(folder)) return stripped;
    return undefined;
  }

  async #rewritten(folder: string, key: string, bytes: Uint8Array): Promise<Uint8Array> {
    const document = parseDocument(bytes, key, { limits: defaultLimits });
    const chain = key.endsWith("/.zarray") ? chainOfV2(document) : chainOfV3(document);
    const taken = chain && (await strip(chain.meta));
    this.#stripped.delete(folder);
    if (!chain || !taken || taken.length === 0) return bytes;
    this.#stripped.set(folder, { codecs: taken, meta: chain.meta });
    const endsInBytes = taken[0]!.codec.kind === "array_to_bytes";
    return textEncoder().encode(jsonText(chain.without(taken.length, endsInBytes)));
  }
}

interface OwnChain {
  readonly meta: OwnCodecMetadata;
  /** The document with so many codecs less; `native`: the chunks are elements in C order, little-endian. */
  without(count: number, native: boolean): JsonObject;
}

/** The codecs of the application's own at the end of a chain. */
export async function ownEnd(meta: OwnCodecMetadata) {
  const taken = await strip(meta);
  return meta.codecs
    .slice(meta.codecs.length - taken.length)
    .map((codec, i) => ({ ...codec, toBytes: taken[i]!.codec.kind === "array_to_bytes" }));
}

async function strip(meta: OwnCodecMetadata): Promise<Stripped["codecs"]> {
  const taken: { name: string; codec: OwnCodec }[] = [];
  for (const { name, configuration } of [...meta.codecs].reverse()) {
    const load = registry.get(name);
    const entry = load && isOwn(name, load) && (await load());
    if (!entry) break;
    const codec = entry.fromConfig(configuration as never, meta);
    const kind = codec.kind ?? entry.kind ?? "bytes_to_bytes";
    if (kind === "array_to_array") break;
    taken.unshift({ name, codec: Object.assign(Object.create(codec) as OwnCodec, { kind }) });
    if (kind === "array_to_bytes") break;
  }
  return taken;
}

function chainOfV3(document: JsonObject): OwnChain | undefined {
  const { codecs, data_type: dataType, chunk_grid: grid, fill_value: fill } = document;
  if (!Array.isArray(codecs)) return undefined;
  const chunkShape =
    isJsonObject(grid) && isJsonObject(grid["configuration"]) && grid["configuration"]["chunk_shape"];
  return {
    meta: {
      dataType: String(toPlain(dataType ?? null)),
      shape: lengthsOf(chunkShape || undefined),
      codecs: codecs.map(namedOf),
      fillValue: toPlain(fill ?? null),
    },
    without: (count, native) => ({
      ...document,
      codecs: [...codecs.slice(0, codecs.length - count), ...(native ? [littleEndian] : [])],
    }),
  };
}

const littleEndian: JsonObject = { name: "bytes", configuration: { endian: "little" } };

function namedOf(json: Json): OwnCodecMetadata["codecs"][number] {
  if (typeof json === "string") return { name: json, configuration: {} };
  const { name, configuration = {} } = (toPlain(json) ?? {}) as { name?: string; configuration?: object };
  return { name: String(name), configuration: configuration as Record<string, unknown> };
}

function chainOfV2(document: JsonObject): OwnChain | undefined {
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
    without: (count, native) => ({
      ...document,
      ...(native ? { dtype: dtype.replace(">", "<"), order: "C" } : {}),
      filters: list.slice(0, list.length - count),
      compressor: null,
    }),
  };
}

function lengthsOf(json: Json | undefined): number[] {
  return Array.isArray(json) ? json.map((length) => (length instanceof JsonNumber ? length.value : 0)) : [];
}

async function decoded({ codecs }: Stripped, key: string, bytes: Uint8Array): Promise<Uint8Array> {
  let data: unknown = bytes;
  for (const { name, codec } of [...codecs].reverse()) {
    try {
      data = await codec.decode(data as never);
    } catch (cause) {
      throw new CodecPipelineError({ direction: "decode", codec: name, chunkPath: key, cause });
    }
  }
  return bytesOf(data);
}

/** A chunk as the rest of the chain has encoded it, by the codecs that it was stripped of. */
async function encoded({ codecs, meta }: Stripped, key: string, bytes: Uint8Array): Promise<Uint8Array> {
  let data: unknown = bytes;
  for (const { name, codec } of codecs) {
    try {
      if (!codec.encode) throw new UnsupportedError(`codec ${name} cannot encode`);
      if (codec.kind === "array_to_bytes") data = chunkOf(bytes, meta);
      data = bytesOf(await codec.encode(data as never));
    } catch (cause) {
      throw new CodecPipelineError({ direction: "encode", codec: name, chunkPath: key, cause });
    }
  }
  return data as Uint8Array;
}

/** Elements in C order, little-endian, as zarrita's codecs have them. */
function chunkOf(bytes: Uint8Array, { dataType, shape }: OwnCodecMetadata): unknown {
  const dtype = dtypeOf(dataType);
  return { data: dataOf(dtype, toElements(dtype, bytes)), shape: [...shape], stride: stridesOf(shape) };
}

/** Bytes, or the elements of a chunk in C order, as bytes. */
function bytesOf(data: unknown): Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  const { data: elements } = cOrder(data as Parameters<typeof cOrder>[0]);
  if (Array.isArray(elements))
    throw new InvalidMetadataError("codecs that make lists of values are not supported");
  const { buffer, byteOffset, byteLength } = elements as Uint8Array;
  return new Uint8Array(buffer, byteOffset, byteLength);
}
