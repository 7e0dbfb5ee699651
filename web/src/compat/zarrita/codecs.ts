/** Bytes-to-bytes codecs of the core with zarrita's interface, also for an installed zarrita. */

import { ConfigReader, type Configuration, type ZarrVersion } from "../../codecs/definition.js";
import { codecNames, findCodec } from "../../codecs/registry.js";
import { DType } from "../../dtypes/dtype.js";
import { parseDataType } from "../../dtypes/v3.js";
import { decodeBytes, encodeBytesIn } from "../../engine/bytes.js";
import { getSession } from "../../engine/engine.js";
import { type ChainStep, moduleFor } from "../../engine/plan.js";
import { isZarrError } from "../../util/errors.js";
import { defaultLimits } from "../../util/limits.js";
import { dataTypeJson } from "./elements.js";
import { checkFunction } from "./errors.js";
import type { CodecArray, RegisteredCodec } from "./types.js";

/** zarrita's registry, as far as it matters here. */
export interface CodecRegistry {
  set(name: string, load: () => Promise<never>): unknown;
}

/**
 * Registers this library's bytes-to-bytes codecs with zarrita: faster, checksum-verifying versions of its own codecs,
 * and additional ones (bz2, lzma, fletcher32, …). Array codecs remain zarrita's.
 */
export function registerCodecs(registry: CodecRegistry): void {
  checkFunction(registry?.set, "the method set of a registry");
  for (const name of codecNames(3, "bytes-to-bytes")) register(registry, name, 3, name);
  // zarrita looks up ids of Zarr v2 with this prefix; v3 names with it mean the same.
  for (const id of codecNames(2, "bytes-to-bytes")) register(registry, `numcodecs.${id}`, 2, id);
}

function register(registry: CodecRegistry, name: string, version: ZarrVersion, ownName: string): void {
  const entry = bytesEntry(ownName, version, name);
  if (entry) registry.set(name, async () => entry as never);
}

/** zarrita's description of an array; zarrita 0.6 has another name for the data type. */
export type Described = CodecArray & { readonly data_type?: string };
export const dataTypeIn = (meta: Described): string => meta.dataType ?? meta.data_type;

/** The registry entry of a bytes-to-bytes codec of the core. */
export function bytesEntry(ownName: string, version: ZarrVersion, name = ownName) {
  const found = findCodec(ownName, version);
  if (found?.type !== "core") return undefined;
  const { definition } = found;
  const fromConfig = (configuration: Configuration | undefined, meta: Described): RegisteredCodec => {
    const context = { version, array: { dtype: namedDtype(dataTypeIn(meta)), shape: [] } };
    const { params } = definition.parse(new ConfigReader(name, configuration ?? {}, version), context);
    const steps: readonly ChainStep[] = [{ core: definition.core, params, name }];
    return {
      kind: "bytes_to_bytes",
      async encode(bytes) {
        const session = await getSession(moduleFor(steps, "encode"));
        return encodeBytesIn(session, steps, bytes as Uint8Array<ArrayBuffer>);
      },
      decode: (bytes) => decodeBytes(steps, bytes, defaultLimits.chunkBytes),
      ...(definition.encodedBytes ? { computeEncodedSize: definition.encodedBytes } : {}),
    };
  };
  return { kind: "bytes_to_bytes" as const, fromConfig };
}

/** The data type with zarrita's name; bytes if its width is not fixed. */
export function namedDtype(name: string | undefined): DType {
  try {
    return parseDataType(dataTypeJson(name));
  } catch (error) {
    if (isZarrError(error)) return DType.simple("uint8");
    throw error;
  }
}
