/** The messages of HDF5 objects, parsed. Spec: HDF5 File Format Specification 3.0, IV.A.2. */

import type { FloatName } from "../../dtypes/floats.js";
import type { PlainJson } from "../../util/json.js";

/** An integer or a bit field. */
export interface IntegerType {
  readonly kind: "integer";
  readonly size: number;
  readonly isLittle: boolean;
  readonly isSigned: boolean;
  /** Position of the lowest bit. */
  readonly bitOffset: number;
  readonly precision: number;
}

export interface FloatType {
  readonly kind: "float";
  readonly size: number;
  readonly isLittle: boolean;
  readonly precision: number;
  /** Name of the form in Zarr; undefined for forms that it does not have. */
  readonly name: FloatName | "float64" | undefined;
}

export type Padding = "nul-terminated" | "nul-padded" | "space-padded";

interface StringType {
  readonly kind: "string";
  readonly size: number;
  readonly padding: Padding;
}

/** Variable length: elements are lengths, followed by references to the global heap. */
export interface VariableType {
  readonly kind: "variable";
  /** Bytes of an element: 4 + size of offsets + 4. */
  readonly size: number;
  readonly isString: boolean;
  readonly padding: Padding;
  readonly base: Datatype;
}

export interface CompoundMember {
  readonly name: string;
  readonly offset: number;
  readonly type: Datatype;
}

export interface CompoundType {
  readonly kind: "compound";
  readonly size: number;
  readonly members: readonly CompoundMember[];
}

export interface EnumType {
  readonly kind: "enum";
  readonly size: number;
  readonly base: Datatype;
  readonly names: readonly string[];
  /** The values in the form of `base`. */
  readonly values: readonly Uint8Array[];
}

export interface ArrayType {
  readonly kind: "array";
  readonly size: number;
  readonly base: Datatype;
  readonly shape: readonly number[];
}

/** Types of which only the bytes are used. */
export interface RawType {
  readonly kind: "opaque" | "reference" | "time";
  readonly size: number;
  /** The tag of an opaque type; the kind of a reference. */
  readonly tag: string;
}

export type Datatype =
  | IntegerType
  | FloatType
  | StringType
  | VariableType
  | CompoundType
  | EnumType
  | ArrayType
  | RawType;

export interface Dataspace {
  /** Undefined for a null dataspace, which has no elements; [] for a scalar. */
  readonly shape: readonly number[] | undefined;
  /** Maximum lengths; undefined entries are unlimited. */
  readonly maxShape: readonly (number | undefined)[];
}

export interface Filter {
  readonly id: number;
  /** As in the file; may be empty. */
  readonly name: string;
  /** Bit 0: optional, so that chunks may lack it. */
  readonly flags: number;
  readonly values: readonly number[];
}

interface CompactLayout {
  readonly kind: "compact";
  readonly bytes: Uint8Array;
}

interface ContiguousLayout {
  readonly kind: "contiguous";
  /** Undefined if nothing has been written. */
  readonly address: number | undefined;
  /** Undefined in old versions: the size of the elements. */
  readonly size: number | undefined;
}

/** The index of the chunks of a dataset. Its parameters are in its own header, too. */
export type ChunkIndex =
  | { readonly kind: "btree1" | "implicit" | "fixed" | "extensible" | "btree2" }
  /** `size` and `mask` of the chunk if it is filtered. */
  | { readonly kind: "single"; readonly size: number | undefined; readonly mask: number };

export interface ChunkedLayout {
  readonly kind: "chunked";
  /** Of version 4: bit 0: partial edge chunks are not filtered; bit 1: the single chunk is filtered. */
  readonly flags: number;
  /** Lengths of a chunk, without the one of the element. */
  readonly chunk: readonly number[];
  readonly elementBytes: number;
  /** Bytes of a chunk before filters. */
  readonly chunkBytes: number;
  /** Address of the index; undefined if no chunk has been written. */
  readonly address: number | undefined;
  readonly index: ChunkIndex;
}

export type Layout = CompactLayout | ContiguousLayout | ChunkedLayout;

/** The messages of a dataset. */
export interface DatasetParts {
  readonly type: Datatype;
  readonly space: Dataspace;
  readonly layout: Layout;
  readonly filters: readonly Filter[];
  /** Bytes of the fill value in the form of the type; undefined for the default (zeros) and if not defined. */
  readonly fill: Uint8Array | undefined;
}

/** A codec from bytes to bytes. */
export interface FilterCodec {
  readonly name: string;
  readonly configuration?: Readonly<Record<string, PlainJson>>;
}
