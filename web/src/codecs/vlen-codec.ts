/** What a codec for elements of variable length is: JavaScript values in, bytes out, and back. */
import type { VariableName } from "../dtypes/dtype.js";
import type { ConfigReader } from "./config.js";
import type { CodecContext, ZarrVersion } from "./definition.js";

/** Bound to one array. */
export interface VlenCodec {
  /**
   * Decodes all of `bytes` to exactly `count` values, in C order. The values share no memory with `bytes`.
   * @throws CorruptChunk.
   */
  decode(bytes: Uint8Array, count: number): unknown[];
  /**
   * Encodes the values of a chunk of this shape, given in C order.
   * @throws InvalidArgument for values that the codec has no form for.
   */
  encode(values: readonly unknown[], shape: readonly number[]): Uint8Array<ArrayBuffer>;
}

export interface VlenCodecDefinition {
  readonly kind: "array-to-bytes";
  readonly names: { readonly [V in ZarrVersion]?: readonly string[] };
  /** What the elements of a Zarr v2 array of `|O` are with this codec: the name of the variable type to give it. */
  readonly elements: VariableName;
  /**
   * True where chunks hold the values as nested lists along the chunk's own axes, whatever `order` says: Zarr v2
   * arrays of order "F" are then not transposed.
   */
  readonly isOrderless?: true;
  /** Checks a configuration and the data type; throws InvalidMetadata that names the codec. */
  parse(config: ConfigReader, context: CodecContext): VlenCodec;
}

/** @throws InvalidMetadata (codec-dtype) unless the array's data type is one of these. */
export function checkType(
  config: ConfigReader,
  { array: { dtype } }: CodecContext,
  names: readonly VariableName[],
): void {
  if (dtype.isVariable && names.some((name) => name === dtype.name)) return;
  throw config.error(`data type ${dtype} is not ${names.join(" or ")}`, "codec-dtype");
}
