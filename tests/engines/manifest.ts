/**
 * Describes the data on the test server with the expected results: written by stores.ts, read in the engines.
 */

/** A store written by another implementation. */
export interface GoldenStore {
  name: string;
  /** Path of the store on the server. */
  path: string;
  /** All keys, with a leading slash. */
  keys: string[];
  /**
   * Its arrays: path in the store, and SHA-256 of all elements (C order, little-endian) if they have a fixed
   * width.
   */
  arrays: { path: string; sha256: string | undefined; writerOrderSha256?: string | undefined }[];
}

/** A zip archive written by another implementation, with the SHA-256 of each object. */
export interface GoldenZip {
  name: string;
  path: string;
  objects: Record<string, string>;
}

/** One axis of a selection: an index, [start, stop, step], a list, or null for all of it. */
export type AxisChoice = number | { slice: [number, number, number] } | { list: number[] } | null;

/** An array written by the tests' own slow writer. */
export interface Sample {
  name: string;
  path: string;
  shape: number[];
  sha256: string;
  /** Selections, with the SHA-256 of the slow reader's result. */
  selections: { axes: AxisChoice[]; sha256: string }[];
}

export interface Manifest {
  golden: Record<string, GoldenStore[]>;
  zips: GoldenZip[];
  samples: Sample[];
}
