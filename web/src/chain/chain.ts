/** Resolves codec chains: looks up each codec, checks their order, converts configurations to core parameters. */

import type { FoundCodec } from "../codecs/codec-list.js";
import {
  type CodecArray,
  type CodecContext,
  type CodecDefinition,
  type CodecKind,
  type CodecMetadata,
  ConfigReader,
  type ZarrVersion,
} from "../codecs/definition.js";
import { findCodec, unknownError } from "../codecs/lookup.js";
import type { BlockConfiguration } from "../codecs/n5.js";
import type { ShardingConfiguration } from "../codecs/sharding.js";
import type { VlenCodec } from "../codecs/vlen-codec.js";
import type { ChainStep } from "../engine/plan.js";
import { invalidMetadata, limitExceeded, type OnWarning } from "../util/errors.js";
import type { Limits } from "../util/limits.js";

export type { CodecMetadata } from "../codecs/definition.js";

/** A codec of the core, ready for a plan. */
export interface ResolvedStep extends ChainStep {
  readonly metadata: CodecMetadata;
  readonly definition: CodecDefinition;
  /** Byte order of its output array, if the configuration names one (Zarr v2 filters). */
  readonly endian: "little" | "big" | undefined;
  /** Byte order of its input array, if the configuration names one. */
  readonly givenEndian: "little" | "big" | undefined;
}

/** The array-to-bytes codec: of the core, a TypeScript codec for variable-length elements, shards, or N5 blocks. */
export type ArrayToBytes =
  | { readonly type: "core"; readonly step: ResolvedStep }
  | { readonly type: "vlen"; readonly name: string; readonly codec: VlenCodec }
  | { readonly type: "shards"; readonly name: string; readonly sharding: ShardingConfiguration }
  | { readonly type: "blocks"; readonly name: string; readonly blocks: BlockConfiguration };

export interface ResolvedChain {
  /** Array-to-array codecs. */
  readonly before: readonly ResolvedStep[];
  /** Input array of the array-to-bytes codec. */
  readonly encodedArray: CodecArray;
  readonly toBytes: ArrayToBytes;
  /** Bytes-to-bytes codecs. */
  readonly after: readonly ResolvedStep[];
}

export interface ChainOptions {
  readonly version: ZarrVersion;
  readonly limits: Limits;
  /** Verifies checksums in the data. Default: true. */
  readonly verifyChecksums?: boolean | undefined;
  readonly onWarning?: OnWarning | undefined;
}

const ranks: Readonly<Record<CodecKind, number>> = {
  "array-to-array": 0,
  "array-to-bytes": 1,
  "bytes-to-bytes": 2,
};

/**
 * Resolves a chain, given in encoding order, for arrays of one kind.
 *
 * The order must be array-to-array codecs, one array-to-bytes codec, bytes-to-bytes codecs (spec: Zarr v3
 * core; the draft has the same rule for transpose after a codec that yields bytes). The codecs named in the
 * metadata must have been loaded (lookup.ts).
 * @throws UnknownCodec, Unsupported, InvalidMetadata or LimitExceeded, naming the codec; before any chunk is
 *   read.
 */
export function resolveChain(
  codecs: readonly CodecMetadata[],
  array: CodecArray,
  options: ChainOptions,
): ResolvedChain {
  const { chainLength } = options.limits;
  if (codecs.length > chainLength) {
    throw limitExceeded(`a chain of ${codecs.length} codecs is longer than the limit of ${chainLength}`);
  }
  const resolver = new Resolver(array, options);
  for (const metadata of codecs) {
    const found = lookUp(metadata, options);
    if (found) resolver.add(metadata, found);
  }
  return resolver.finish();
}

/** The implied codec of chains without one: little-endian bytes. */
const littleBytes: CodecMetadata = { name: "bytes", configuration: { endian: "little" } };

/** Collects the resolved codecs of one chain, and tracks the input of the next one. */
class Resolver {
  readonly #before: ResolvedStep[] = [];
  readonly #after: ResolvedStep[] = [];
  #toBytes: ArrayToBytes | undefined;
  #previous: { name: string; kind: CodecKind } | undefined;

  constructor(
    private array: CodecArray,
    private readonly options: ChainOptions,
  ) {}

  add(metadata: CodecMetadata, found: FoundCodec): void {
    const { name, configuration = {} } = metadata;
    const { kind } = found.definition;
    if (found.type === "core" && found.definition.impliesBytes && !this.#toBytes)
      this.add(littleBytes, findCodec("bytes", 3)!);
    checkOrder(name, kind, this.#previous);
    this.#previous = { name, kind };
    const config = new ConfigReader(name, configuration, this.options.version);
    const context: CodecContext = { version: this.options.version, array: this.array };
    if (found.type === "core") this.#addCore(metadata, found.definition, config, context);
    else if (found.type === "vlen")
      this.#toBytes = { type: "vlen", name, codec: found.definition.parse(config, context) };
    else if (found.type === "shards")
      this.#toBytes = { type: "shards", name, sharding: found.definition.parse(config, context) };
    else this.#toBytes = { type: "blocks", name, blocks: found.definition.parse(config, context) };
  }

  #addCore(
    metadata: CodecMetadata,
    definition: CodecDefinition,
    config: ConfigReader,
    context: CodecContext,
  ): void {
    const { name } = metadata;
    if (this.array.dtype.isVariable && definition.kind !== "bytes-to-bytes") {
      if (definition.core !== "transpose")
        throw config.error(`data type ${this.array.dtype} has elements of variable length`);
    }
    const { params, encoded, endian, givenEndian } = definition.parse(config, context);
    const { verifyChecksums: verifiesChecksums } = this.options;
    const { core } = definition;
    const step: ResolvedStep = {
      ...{ core, params, name, verifiesChecksums, metadata, definition },
      endian,
      givenEndian,
    };
    this.array = encoded ?? this.array;
    if (definition.kind === "array-to-array") this.#before.push(step);
    else if (definition.kind === "array-to-bytes") this.#toBytes = { type: "core", step };
    else this.#after.push(step);
  }

  finish(): ResolvedChain {
    if (!this.#toBytes) {
      throw invalidMetadata("the codecs lack an array-to-bytes codec, such as bytes", {
        code: "codec-order",
      });
    }
    return { before: this.#before, encodedArray: this.array, toBytes: this.#toBytes, after: this.#after };
  }
}

/** Finds a codec; undefined for an unknown one that may be skipped. */
function lookUp(metadata: CodecMetadata, { version, onWarning }: ChainOptions): FoundCodec | undefined {
  const { name, mustUnderstand } = metadata;
  const found = findCodec(name, version);
  if (found) return found;
  if (mustUnderstand === false) {
    const message = `codec "${name}" is unknown, and ignored as the metadata allows`;
    onWarning?.({ code: "codec-left-out", message });
    return undefined;
  }
  throw unknownError(name, version);
}

function checkOrder(
  name: string,
  kind: CodecKind,
  previous: { name: string; kind: CodecKind } | undefined,
): void {
  const before = previous ? ranks[previous.kind] : 0;
  const fits = kind === "bytes-to-bytes" ? before >= 1 : before === 0;
  if (fits) return;
  const message =
    kind === "bytes-to-bytes"
      ? `codec ${name} works on bytes, but no array-to-bytes codec precedes it`
      : `codec ${name} works on arrays and cannot follow ${previous!.name}, which yields bytes`;
  throw invalidMetadata(message, { code: "codec-order", codec: name });
}
