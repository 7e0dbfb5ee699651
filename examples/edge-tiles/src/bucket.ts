/** A store in an R2 bucket, through its binding: without keys, signatures or external requests. */
import { type StoreGetOptions, type RangeQuery, type Store, ZarrError } from "zarr-wasm";

/** R2's error code for a range that begins after the object's end. */
const behindTheEnd = /\b10039\b/;

export function bucketStore(bucket: R2Bucket, dataset: string): Store {
  const keyOf = (key: string) => dataset + key;
  return {
    get: (key, options = {}) => read(bucket, keyOf(key), undefined, options),
    getRange: (key, range, options = {}) => read(bucket, keyOf(key), range, options),
    locate: keyOf,
  };
}

async function read(
  bucket: R2Bucket,
  key: string,
  range: RangeQuery | undefined,
  { version, maxBytes, signal }: StoreGetOptions,
): Promise<Uint8Array | undefined> {
  signal?.throwIfAborted(); // requests to a bucket cannot be aborted once sent
  const object = await answer(bucket, key, range);
  signal?.throwIfAborted();
  if (!object) return undefined;
  if (version) checkVersion(version, object, key);
  if (!("arrayBuffer" in object)) return new Uint8Array(0);
  const length = range ? lengthOf(range, object.size) : object.size;
  if (maxBytes !== undefined && length > maxBytes)
    throw new ZarrError("LimitExceeded", `${key} has ${length} bytes, more than ${maxBytes}`);
  return new Uint8Array(await object.arrayBuffer());
}

/** The object with its body, or without one if the range is after its end; undefined if it does not exist. */
async function answer(
  bucket: R2Bucket,
  key: string,
  range: RangeQuery | undefined,
): Promise<R2Object | R2ObjectBody | undefined> {
  try {
    return (await bucket.get(key, range && { range: rangeOf(range) })) ?? undefined;
  } catch (cause) {
    if (range && behindTheEnd.test(String(cause))) return (await bucket.head(key)) ?? undefined;
    throw new ZarrError("Network", `the bucket could not be read: ${cause}`, { cause });
  }
}

const rangeOf = (range: RangeQuery): R2Range =>
  "suffixLength" in range
    ? { suffix: range.suffixLength }
    : { offset: range.offset, length: range.length };

const lengthOf = (range: RangeQuery, size: number): number =>
  "suffixLength" in range
    ? Math.min(size, range.suffixLength)
    : Math.max(0, Math.min(size - range.offset, range.length));

/** Checks that all parts of an object come from the same version; the first read records it. */
function checkVersion(version: NonNullable<StoreGetOptions["version"]>, object: R2Object, key: string): void {
  if (version.etag !== undefined && version.etag !== object.etag)
    throw new ZarrError("Network", `${key} has changed while it was read`, { code: "changed" });
  version.etag = object.etag;
  version.size = object.size;
}
