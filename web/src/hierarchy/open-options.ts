/** Options of `open`. */
import { formatValue, type ZarrVersion } from "../codecs/definition.js";
import type { VirtualBase } from "../formats/icechunk/virtual.js";
import { checkObject, checkSignalIn, type OptionNames } from "../util/arguments.js";
import { invalidArgument, type OnWarning } from "../util/errors.js";
import type { Limits } from "../util/limits.js";

export interface OpenOptions {
  /** Path of the node below the source. */
  path?: string | undefined;
  /** Expected kind of the node; any other kind is NotFound. */
  kind?: "array" | "group" | undefined;
  /**
   * Zarr version to look for. Default: the version last found in this store object, if any; otherwise v3 and
   * v2 are requested at the same time, then v1, and the newest one that exists is opened.
   */
  version?: ZarrVersion | undefined;
  /**
   * Whether to look for an Icechunk repository or kerchunk references if there are no Zarr documents. Default: true.
   */
  otherFormats?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Layout of the chunks of a Zarr v1 array with `order: "F"` and a compressor other than blosc: "spec"
   * (default) is F order, as specified; "writer" is C order, as zarr-python 1.x wrote them.
   */
  v1Order?: "spec" | "writer" | undefined;
  /**
   * Whether to verify checksums of chunk data (crc32c, crc32, adler32, fletcher32, jenkins_lookup3, and those
   * inside gzip, zlib, zstd and xz). False is faster and may return damaged data; sizes, headers and shard
   * indexes are still checked. Default: true.
   */
  verifyChecksums?: boolean | undefined;
  /** Receives warnings about data that is readable but not as specified. */
  onWarning?: OnWarning | undefined;
  /** Limits that differ from the defaults. */
  limits?: Partial<Limits> | undefined;
  /** Branch of an Icechunk repository, whose newest version is opened. Default: "main". */
  branch?: string | undefined;
  /** A tag of an Icechunk repository. */
  tag?: string | undefined;
  /** Snapshot id of an Icechunk repository. */
  snapshot?: string | undefined;
  /**
   * Opens the last version of the branch that was written at or before this time. Strings are parsed by
   * `Date`.
   */
  asOf?: Date | string | undefined;
  /**
   * Location prefixes of the virtual chunks that may be read from an Icechunk repository, each with the URL
   * or store to read them from; true reads from the prefix itself. Other locations outside of the repository
   * are never fetched.
   */
  virtual?: Readonly<Record<string, VirtualBase>> | undefined;
}

const openOptions: OptionNames<OpenOptions> = {
  path: true,
  kind: true,
  version: true,
  otherFormats: true,
  signal: true,
  v1Order: true,
  verifyChecksums: true,
  onWarning: true,
  limits: true,
  branch: true,
  tag: true,
  snapshot: true,
  asOf: true,
  virtual: true,
};

/** @throws InvalidArgument */
export function checkOpenOptions(options: OpenOptions): void {
  checkSignalIn(options, openOptions);
  const { version, kind, v1Order, path, otherFormats, verifyChecksums, virtual } = options;
  if (version !== undefined && ![1, 2, 3].includes(version))
    throw invalidArgument(`version must be 1, 2 or 3, not ${formatValue(version)}`);
  if (kind !== undefined && kind !== "array" && kind !== "group")
    throw invalidArgument(`kind must be "array" or "group", not ${formatValue(kind)}`);
  if (v1Order !== undefined && v1Order !== "spec" && v1Order !== "writer") {
    throw invalidArgument(`v1Order must be "spec" or "writer", not ${formatValue(v1Order)}`);
  }
  if (verifyChecksums !== undefined && typeof verifyChecksums !== "boolean")
    throw invalidArgument("verifyChecksums must be a boolean");
  if (otherFormats !== undefined && typeof otherFormats !== "boolean")
    throw invalidArgument("otherFormats must be a boolean");
  if (path !== undefined && typeof path !== "string") throw invalidArgument("path must be a string");
  if (virtual !== undefined) checkObject(virtual, "virtual");
}
