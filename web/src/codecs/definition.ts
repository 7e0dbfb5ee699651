/** What a codec is to the TypeScript side: its names, and how its configuration becomes parameters. */
import type { DType } from "../dtypes/dtype.js";
import type { CodecIn, CoreCodec } from "../engine/codec-table.js";
import type { ConfigReader, Configuration } from "./config.js";

/** Position in a chain. Spec: Zarr v3 core, "codec pipeline": AA*, one AB, BB*. */
export type CodecKind = "array-to-array" | "array-to-bytes" | "bytes-to-bytes";

export type ZarrVersion = 1 | 2 | 3;

/** The array that a codec is given when it encodes. */
export interface CodecArray {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

export interface CodecContext {
  readonly version: ZarrVersion;
  /** For array codecs the array they are given; for bytes codecs the last array before them. */
  readonly array: CodecArray;
  /** How deep the codec stands inside codecs that hold others (conditional); 0 where it is not given. */
  readonly depth?: number;
}

export interface ParsedCodec {
  /** Integer slots; the core's codec file says what each means. Negative numbers are two's complement. */
  params: number[];
  /** The array that it encodes to, where that differs (array-to-array codecs). */
  encoded?: CodecArray;
  /** Byte order of that array, where the configuration names one (Zarr v2 filters). */
  endian?: "little" | "big" | undefined;
  /** Byte order of the array that it is given, where the configuration names one (Zarr v2 filters). */
  givenEndian?: "little" | "big" | undefined;
}

export interface CodecDefinition {
  /** The core's name of the codec. */
  readonly core: CoreCodec;
  readonly kind: CodecKind;
  /** Names by Zarr version; v1's are values of `compression`, v2's are ids. */
  readonly names: { readonly [V in ZarrVersion]?: readonly string[] };
  /**
   * True for array-to-array codecs that treat every element by itself, wherever it lies: such a codec
   * before shards is the same as one before each inner chunk.
   */
  readonly elementwise?: true;
  /** True for bytes-to-bytes codecs that some writers put where the array becomes bytes: little-endian ones. */
  readonly impliesBytes?: true;
  /** The rule for options that only the core checks because they depend on sizes or on one another, for error messages. */
  readonly checkedByCore?: string;
  /** Size that a number of bytes encodes to, for codecs of fixed size: what a shard's index may use. */
  encodedBytes?(bytes: number): number;
  /**
   * A configuration that says the shape of the array, for an array of another shape; it is a valid one, and as close to the
   * given one as can be.
   */
  withShape?(configuration: Configuration, shape: readonly number[]): Configuration;
  /** Checks a configuration; throws InvalidMetadata that names the codec and what is wrong. */
  parse(config: ConfigReader, context: CodecContext): ParsedCodec;
}

/** A definition for every codec that the list puts into a part; several where one codec of the core is two to metadata. */
export type DefinitionsIn<Part extends "usual" | "rare"> = {
  readonly [Core in CodecIn<Part>]: CodecDefinition | readonly CodecDefinition[];
};
