/** Reads files from browser APIs, whole or in part. */
import { type RangeQuery, type StoreGetOptions, ZarrError } from "zarr-wasm";

/**
 * The bytes of a file.
 * @throws Network ("file-failed") if the file has changed or been removed since; LimitExceeded.
 */
export async function readBlob(
  file: File,
  key: string,
  range: RangeQuery | undefined,
  { signal, maxBytes = Number.POSITIVE_INFINITY }: StoreGetOptions = {},
): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const start = !range ? 0 : "offset" in range ? range.offset : Math.max(0, file.size - range.suffixLength);
  const end = range && "offset" in range ? Math.min(file.size, range.offset + range.length) : file.size;
  if (end - start > maxBytes)
    throw new ZarrError(
      "LimitExceeded",
      `${key} has ${end - start} bytes, more than the limit of ${maxBytes}`,
    );
  try {
    const bytes = new Uint8Array(await file.slice(start, Math.max(start, end)).arrayBuffer());
    signal?.throwIfAborted();
    return bytes;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ZarrError("Network", `${key} could not be read: ${cause}`, { code: "file-failed", cause });
  }
}
