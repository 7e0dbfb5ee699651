/** What the tests' server offers, and what reading it must give: written by stores.ts, read in the engines. */

/** A store that another implementation wrote. */
export interface GoldenStore {
  name: string;
  /** Path of the store on the server. */
  path: string;
  /** Every key, with a leading slash. */
  keys: string[];
  /** Its arrays: path inside the store, and SHA-256 of all elements (C order, little-endian) if they have one width. */
  arrays: { path: string; sha256: string | undefined; writerOrderSha256?: string | undefined }[];
}

/** A zip archive that another implementation wrote, with the SHA-256 of each object in it. */
export interface GoldenZip {
  name: string;
  path: string;
  objects: Record<string, string>;
}

/** One axis of a selection: an index, [start, stop, step], a list, or null for all of it. */
export type AxisChoice = number | { slice: [number, number, number] } | { list: number[] } | null;

/** An array that the tests' own slow writer made. */
export interface Sample {
  name: string;
  path: string;
  shape: number[];
  sha256: string;
  /** Selections, with the SHA-256 of what the slow reader picks. */
  selections: { axes: AxisChoice[]; sha256: string }[];
}

export interface Manifest {
  golden: Record<string, GoldenStore[]>;
  zips: GoldenZip[];
  samples: Sample[];
}
