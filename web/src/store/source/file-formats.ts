/** The formats of files that are not folders of Zarr data, by their first bytes. */

import type { ByteReader } from "./byte-reader.js";

/** Number of bytes at the start of a file that determine its format: HDF5 may have a user block before its signature. */
export const headBytes = 2 ** 11 + 8;

const hdf5 = "\\x89HDF\\r\\n\\x1a\\n";
const references = "through references to its chunks, as kerchunk and VirtualiZarr write them";

type FileFormatRow = {
  readonly id: string;
  /** Matches the characters of the first bytes. */
  readonly start: RegExp;
  readonly name: string;
} & (
  | {
      /** Short name of a format that `open` reads, for lists. */
      readonly label: string;
      readonly remedy?: undefined;
    }
  | {
      /** How to open files of formats that `open` does not read. */
      readonly remedy: string;
      readonly label?: undefined;
    }
);

/** One row for each format. Those without a remedy have a parser: see formats/array-file/detect.ts. */
export const fileFormats = [
  { id: "netcdf3", start: bytes("CDF[\\x01\\x02\\x05]"), name: "a NetCDF file (classic)", label: "NetCDF" },
  {
    id: "hdf5",
    start: bytes(`(?:[^]{512}|[^]{1024}|[^]{2048})?${hdf5}`),
    name: "an HDF5 file, as NetCDF-4 files are",
    label: "HDF5",
  },
  { id: "tiff", start: bytes("(?:II[*+]\\0|MM\\0[*+])"), name: "a TIFF file", label: "TIFF" },
  { id: "hdf4", start: bytes("\\x0e\\x03\\x13\\x01"), name: "an HDF4 file", remedy: references },
  { id: "grib1", start: bytes("GRIB[^]{3}\\x01"), name: "a GRIB file of edition 1", remedy: references },
  { id: "fits", start: bytes("SIMPLE  ="), name: "a FITS file", label: "FITS" },
  { id: "grib2", start: bytes("GRIB[^]{3}\\x02"), name: "a GRIB file", label: "GRIB2" },
  { id: "gzip", start: bytes("\\x1f\\x8b\\x08"), name: "a gzip file", label: "NIfTI in gzip" },
  { id: "zip", start: bytes("PK\\x03\\x04"), name: "a zip archive", remedy: "with `new ZipStore(url)`" },
  { id: "parquet", start: bytes("PAR1"), name: "a Parquet file", remedy: "with `readParquet`" },
  {
    id: "json",
    start: bytes("(?:\\xef\\xbb\\xbf)?\\s*\\{"),
    name: "a JSON document",
    remedy: "with `ReferenceStore.open(url)`, if it has references",
  },
  // Last: its characters could occur in others.
  { id: "nifti", start: bytes("(?:[^]{344}n[+i]1|[^]{4}n[+i]2)\\0"), name: "a NIfTI file", label: "NIfTI" },
] as const satisfies readonly FileFormatRow[];

type Row = (typeof fileFormats)[number];
/** The formats that `open` reads. */
export type ReadableFormat = Exclude<Row, { remedy: string }>["id"];

/** The formats that `open` reads, for messages. */
export const readableFormats = fileFormats.flatMap((row) => ("label" in row ? [row.label] : [])).join(", ");

/** Returns the format of a file by its first bytes; undefined if it is unknown. */
export function fileFormat(head: Uint8Array): (FileFormatRow & Pick<Row, "id">) | undefined {
  const text = String.fromCharCode(...head.subarray(0, headBytes));
  return fileFormats.find(({ start }) => start.test(text));
}

/** Names a format and the way to open it. */
export const formatHint = ({ name, remedy }: FileFormatRow): string =>
  `${name}; open it ${remedy ?? "by its URL with `open`"}`;

/** Returns the format of a file, from its start; undefined if it is missing, unreadable or unknown. */
export async function formatOf(
  file: ByteReader,
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof fileFormat>> {
  const head = await file.read({ offset: 0, length: headBytes }, { signal }).catch(() => undefined);
  signal?.throwIfAborted();
  return head && fileFormat(head);
}

function bytes(pattern: string): RegExp {
  return new RegExp(`^${pattern}`);
}
