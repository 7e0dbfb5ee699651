/** The definition of a codec in TypeScript: its names, and the conversion of its configuration to parameters. */
import type { DType } from "../dtypes/dtype.js";
import type { CodecIn, CoreCodec } from "../engine/codec-table.js";
import type { ConfigReader, Configuration } from "./config.js";

/** Position in a chain. Spec: Zarr v3 core, "codec pipeline": AA*, one AB, BB*. */
export type CodecKind = "array-to-array" | "array-to-bytes" | "bytes-to-bytes";

export type ZarrVersion = 1 | 2 | 3;

/** The input array of a codec when it encodes. */
export interface CodecArray {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

export interface CodecContext {
  readonly version: ZarrVersion;
  /** For array codecs their input array; for bytes codecs the last array before them. */
  readonly array: CodecArray;
  /** Nesting depth inside codecs that contain others (conditional). Default: 0. */
  readonly depth?: number;
}

export interface ParsedCodec {
  /** Integer slots, documented in the core's codec file. Negative numbers are two's complement. */
  params: number[];
  /** The output array, if it differs from the input (array-to-array codecs). */
  encoded?: CodecArray;
  /** Byte order of the output array, if the configuration names one (Zarr v2 filters). */
  endian?: "little" | "big" | undefined;
  /** Byte order of the input array, if the configuration names one (Zarr v2 filters). */
  givenEndian?: "little" | "big" | undefined;
}

export interface CodecDefinition {
  /** The codec's name in the core. */
  readonly core: CoreCodec;
  readonly kind: CodecKind;
  /** Names by Zarr version: values of `compression` in v1, ids in v2. */
  readonly names: { readonly [V in ZarrVersion]?: readonly string[] };
  /**
   * Set for array-to-array codecs that treat every element independently of its position: such a codec before
   * shards is equivalent to one before each inner chunk.
   */
  readonly elementwise?: true;
  /**
   * Set for bytes-to-bytes codecs that some writers use as the array-to-bytes codec, implying little-endian
   * bytes.
   */
  readonly impliesBytes?: true;
  /**
   * Describes, for error messages, the options that only the core checks because they depend on sizes or on
   * each other.
   */
  readonly checkedByCore?: string;
  /** Returns the encoded size, for codecs of fixed size; an index of shards may use only these. */
  encodedBytes?(bytes: number): number;
  /**
   * Adapts a configuration that contains the array's shape to an array of another shape. The result is valid,
   * and as close to the given one as possible.
   */
  withShape?(configuration: Configuration, shape: readonly number[]): Configuration;
  /** Parses a configuration. @throws InvalidMetadata that names the codec and the error. */
  parse(config: ConfigReader, context: CodecContext): ParsedCodec;
}

/** One definition for each codec of a part; several if metadata has more than one codec for one of the core. */
export type DefinitionsIn<Part extends "usual" | "rare"> = {
  readonly [Core in CodecIn<Part>]: CodecDefinition | readonly CodecDefinition[];
};
