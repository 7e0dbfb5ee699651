/** Codecs for elements of variable length, between JavaScript values and bytes. */
import type { VariableName } from "../dtypes/dtype.js";
import type { ConfigReader } from "./config.js";
import type { CodecContext, ZarrVersion } from "./definition.js";

/** A codec for one array. */
export interface VlenCodec {
  /**
   * Decodes all of `bytes` to exactly `count` values, in C order. The values share no memory with `bytes`.
   * @throws CorruptChunk.
   */
  decode(bytes: Uint8Array, count: number): unknown[];
  /**
   * Encodes the values of a chunk of this shape, given in C order.
   * @throws InvalidArgument for values that the codec cannot represent.
   */
  encode(values: readonly unknown[], shape: readonly number[]): Uint8Array<ArrayBuffer>;
}

export interface VlenCodecDefinition {
  readonly kind: "array-to-bytes";
  readonly names: { readonly [V in ZarrVersion]?: readonly string[] };
  /** Element type of Zarr v2 arrays of `|O` with this codec: the name of the variable-length type. */
  readonly elements: VariableName;
  /**
   * Set if chunks nest the values along the chunk's own axes regardless of `order`: Zarr v2 arrays of order
   * "F" are not transposed.
   */
  readonly isOrderless?: true;
  /** Checks a configuration and the data type. @throws InvalidMetadata that names the codec. */
  parse(config: ConfigReader, context: CodecContext): VlenCodec;
}

/** @throws InvalidMetadata (codec-dtype) unless the array has one of the data types. */
export function checkType(
  config: ConfigReader,
  { array: { dtype } }: CodecContext,
  names: readonly VariableName[],
): void {
  if (dtype.isVariable && names.some((name) => name === dtype.name)) return;
  throw config.error(`data type ${dtype} is not ${names.join(" or ")}`, "codec-dtype");
}
