/** Names the formats of files that are opened in place of Zarr folders, by their first bytes. */

import type { ByteReader } from "./byte-reader.js";

/** Bytes that {@link fileFormat} needs: HDF5 may have 512 bytes of the writing program before its header. */
const headBytes = 520;

const hdf5 = "\x89HDF\r\n\x1a\n";
const references = "through references to its chunks, as kerchunk and VirtualiZarr write them";

/** Signatures, as characters of the bytes, with the format and the way to open it. */
const signatures: readonly (readonly [start: RegExp, name: string, remedy: string])[] = [
  [new RegExp(`^(?:[\\s\\S]{512})?${hdf5}`), "an HDF5 file, as NetCDF-4 files are", references],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures of binary files
  [/^CDF[\x01\x02\x05]/, "a NetCDF file (classic)", references],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures of binary files
  [/^\x0e\x03\x13\x01/, "an HDF4 file", references],
  [/^(?:II[*+]\0|MM\0[*+])/, "a TIFF file", references],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures of binary files
  [/^GRIB[\s\S]{3}[\x01\x02]/, "a GRIB file", references],
  [/^SIMPLE {2}=/, "a FITS file", references],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures of binary files
  [/^PK\x03\x04/, "a zip archive", "with `new ZipStore(url)`"],
  [/^PAR1/, "a Parquet file", "with `readParquet`"],
  [/^(?:\xef\xbb\xbf)?\s*\{/, "a JSON document", "with `ReferenceStore.open(url)`, if it has references"],
];

/** Returns the format of a file and the way to open it; undefined if its first bytes are unknown. */
export function fileFormat(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, headBytes));
  const found = signatures.find(([start]) => start.test(text));
  return found && `${found[1]}; open it ${found[2]}`;
}

/** Returns the format of a file, from its start; undefined if it is missing, unreadable or unknown. */
export async function formatOf(
  file: ByteReader,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const head = await file.read({ offset: 0, length: headBytes }, { signal }).catch(() => undefined);
  signal?.throwIfAborted();
  return head && fileFormat(head);
}

/** Whether a URL names a file rather than a folder. */
export const isFileName = (pathname: string): boolean =>
  /\.(?:nc4?|netcdf|cdf|he?5|hdf[45]?|tiff?|btf|gri?b2?|fits?|json|parq(?:uet)?\/?)$/i.test(pathname);
