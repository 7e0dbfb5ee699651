/** Bytes-to-bytes codecs of the core as zarrita uses them. */

import { ConfigReader, type Configuration } from "../../codecs/config.js";
import type { CodecDefinition, ZarrVersion } from "../../codecs/definition.js";
import { findCodec } from "../../codecs/registry.js";
import { DType } from "../../dtypes/dtype.js";
import { parseDataType } from "../../dtypes/v3.js";
import { decodeBytes, encodeBytesIn } from "../../engine/bytes.js";
import { sessionOf } from "../../engine/engine.js";
import { type ChainStep, moduleFor } from "../../engine/plan.js";
import { isZarrError } from "../../util/errors.js";
import { defaultLimits } from "../../util/limits.js";

/** What zarrita tells a codec of the array. */
interface ChunkMetadata {
  readonly dataType?: string;
  /** Its name before zarrita 0.7. */
  readonly data_type?: string;
}

/** A bytes-to-bytes codec as zarrita uses it. */
export interface RegisteredCodec {
  readonly kind: "bytes_to_bytes";
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  decode(bytes: Uint8Array): Promise<Uint8Array>;
  /** Of codecs of fixed size: what zarrita asks in shard indices. */
  computeEncodedSize?: (bytes: number) => number;
}

/** The registry's entry of a bytes-to-bytes codec of the core. */
export function bytesEntry(ownName: string, version: ZarrVersion, name = ownName) {
  const found = findCodec(ownName, version);
  if (found?.type !== "core") return undefined;
  const { definition } = found;
  return {
    kind: "bytes_to_bytes" as const,
    fromConfig: (configuration: Configuration | undefined, meta: ChunkMetadata) =>
      bind(definition, name, version, configuration ?? {}, meta),
  };
}

function bind(
  definition: CodecDefinition,
  name: string,
  version: ZarrVersion,
  configuration: Configuration,
  meta: ChunkMetadata,
): RegisteredCodec {
  const dtype = dtypeOf(meta.dataType ?? meta.data_type);
  const context = { version, array: { dtype, shape: [] } };
  const { params } = definition.parse(new ConfigReader(name, configuration, version), context);
  const steps: readonly ChainStep[] = [{ core: definition.core, params, name }];
  return {
    kind: "bytes_to_bytes",
    async encode(bytes) {
      const session = await sessionOf(moduleFor(steps, "encode"));
      return encodeBytesIn(session, steps, bytes as Uint8Array<ArrayBuffer>);
    },
    decode: (bytes) => decodeBytes(steps, bytes, defaultLimits.chunkBytes),
    ...(definition.encodedBytes ? { computeEncodedSize: definition.encodedBytes } : {}),
  };
}

/** A data type by zarrita's name; bytes where its width is not fixed. */
export function dtypeOf(name: string | undefined): DType {
  const text = /^v2:([US])(\d+)$/.exec(name ?? "");
  if (text) return text[1] === "U" ? DType.fixedUtf32(Number(text[2])) : DType.fixedBytes(Number(text[2]));
  try {
    return parseDataType(name);
  } catch (error) {
    if (isZarrError(error)) return DType.simple("uint8");
    throw error;
  }
}
