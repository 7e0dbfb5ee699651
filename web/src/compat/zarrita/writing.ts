/** zarrita's writing calls. What does it is loaded when one of them is first called. */

import type { WriteRegionOptions } from "../../edit/options.js";
import { lazy } from "../../util/lazy.js";
import type { Concurrency } from "./concurrency.js";
import type { ZarritaArray, ZarritaGroup } from "./nodes.js";
import { type Location, locationOf } from "./nodes.js";
import type { StoreOptions } from "./options.js";
import type {
  Attributes,
  Chunk,
  CodecMetadata,
  DataType,
  Mutable,
  Prepare,
  Scalar,
  SetFromChunk,
  SetScalar,
  Slice,
} from "./types.js";

const writing = lazy("writing by zarrita's calls", () => import("./part.js"));

export interface CreateGroupOptions {
  attributes?: Record<string, unknown> | undefined;
}

export interface CreateArrayOptions<D extends DataType> {
  shape: number[];
  /** Shape of the chunks; of shards, where the codecs make some. */
  chunkShape: number[];
  dtype: D;
  /** Codecs by their names in v3, in encoding order. Default: none that compresses. */
  codecs?: CodecMetadata[] | undefined;
  /** Default: 0, false or "". */
  fillValue?: Scalar<D> | undefined;
  /** Default: "/". */
  chunkSeparator?: "." | "/" | undefined;
  dimensionNames?: string[] | undefined;
  attributes?: Attributes | undefined;
}

/**
 * Creates a group, or, with a `shape`, an array: of Zarr v3, in the place of what is there. What is written is that
 * node alone, without groups above it. docs/drop-ins.md says what becomes of a node that is there.
 * @throws before anything is written: UnknownCodecError, UnsupportedError; ZarrError for other options that do not fit,
 *   and for a store that cannot write (InvalidArgument, LimitExceeded, ReadOnly). What the store throws.
 */
export async function create<S extends Mutable, _D extends DataType = DataType>(
  location: Location<S> | S,
): Promise<ZarritaGroup<S>>;
export async function create<S extends Mutable, _D extends DataType = DataType>(
  location: Location<S> | S,
  options: CreateGroupOptions,
): Promise<ZarritaGroup<S>>;
export async function create<S extends Mutable, D extends DataType>(
  location: Location<S> | S,
  options: CreateArrayOptions<D>,
): Promise<ZarritaArray<D, S>>;
export async function create<S extends Mutable, D extends DataType>(
  location: Location<S> | S,
  options: CreateArrayOptions<D> | CreateGroupOptions = {},
): Promise<ZarritaArray<D, S> | ZarritaGroup<S>> {
  const at = locationOf(location);
  return (await writing()).createNode<D, S>(at, options);
}

/** zarrita's options, and some of this library's. */
export interface SetOptions
  extends Concurrency,
    Pick<WriteRegionOptions, "signal" | "onProgress" | "conflicts" | "writeEmptyChunks"> {
  /** Of these the `signal` alone counts, as in zarrita. */
  opts?: StoreOptions | undefined;
  useSharedArrayBuffer?: boolean | undefined;
}

/**
 * Writes a region: one element for all of it, or a chunk of its shape, whatever the strides.
 * @param selection as `get` takes it.
 * @throws InvalidSelectionError; ZarrError for values of another type or shape, and for a store that cannot write
 *   (InvalidArgument, ReadOnly), before anything is written. CodecPipelineError; ZarrError (Conflict, Network); what
 *   the store throws; the signal's reason: chunks that were not written are then as they were.
 */
export async function set<D extends DataType>(
  array: ZarritaArray<D, Mutable>,
  selection: (null | Slice | number)[] | null,
  value: Scalar<D> | Chunk<D>,
  options: SetOptions = {},
): Promise<void> {
  return (await writing()).setRegion(array, selection, value, options);
}

/** How another package holds regions: `prepare` makes what `get` returns. */
export interface Setter<D extends DataType, Made extends Chunk<D>> {
  prepare: Prepare<D, Made>;
  setScalar: SetScalar<D, Made>;
  setFromChunk: SetFromChunk<D, Made>;
}

/** Like {@link set}, with the region in another package's form. */
export async function setPrepared<D extends DataType, Made extends Chunk<D>>(
  array: ZarritaArray<D, Mutable>,
  selection: (number | Slice | null)[] | null,
  value: Scalar<D> | Made,
  options: SetOptions,
  setter: Setter<D, Made>,
): Promise<void> {
  return (await writing()).setPreparedRegion(array, selection, value, options, setter);
}
