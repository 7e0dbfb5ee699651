/**
 * Types of the bundled parts of hyparquet (scripts/lib/bundles.mjs). These functions check little of their input;
 * web/src/formats/parquet checks it before and after.
 */

export interface Reader {
  readonly view: DataView;
  offset: number;
}

/** A struct of Thrift's compact protocol: `field_1` and so on, 64-bit numbers as bigint, strings as bytes. */
export type ThriftStruct = { readonly [field: string]: unknown };

/** Reads a struct and moves past it. */
export declare function deserializeTCompactProtocol(reader: Reader): ThriftStruct;

/** Fields as read from the file, which may lack them or have other types. */
export interface DataPageHeader {
  readonly num_values: number;
  readonly encoding?: string;
  readonly definition_level_encoding?: string;
}

export interface DataPageHeaderV2 extends DataPageHeader {
  readonly definition_levels_byte_length: number;
  readonly repetition_levels_byte_length: number;
  readonly is_compressed: boolean;
}

export interface PageHeader {
  readonly type?: string;
  readonly uncompressed_page_size: number;
  readonly compressed_page_size: number;
  readonly data_page_header?: DataPageHeader;
  readonly dictionary_page_header?: { readonly num_values: number };
  readonly data_page_header_v2?: DataPageHeaderV2;
}

/** Reads the header of a page and moves past it. */
export declare function parquetHeader(reader: Reader): PageHeader;

/** Values of a column: bytes (parts of the view's buffer, perhaps beyond the view), or numbers. */
export type PlainValues = ArrayLike<Uint8Array | number | bigint | boolean>;

/** Reads values that stand side by side. */
export declare function readPlain(reader: Reader, type: string, count: number): PlainValues;
