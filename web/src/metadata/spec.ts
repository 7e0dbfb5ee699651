/** ArraySpec: the description of an array, independent of the Zarr version. */

import type { CodecMetadata } from "../chain/chain.js";
import { type ChunkLayout, ChunkLayouts, layoutArray } from "../chain/layout.js";
import type { ZarrVersion } from "../codecs/definition.js";
import type { DType } from "../dtypes/dtype.js";
import type { FillValue } from "../dtypes/fill-value.js";
import { invalidMetadata, limitExceeded, type OnWarning } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import type { Attributes, KeyEncoding } from "./document.js";
import { type AxisGrid, type ChunkGrid, RectilinearAxis, regularGrid } from "./grid.js";

/** The description of an array that the parsers of every version produce. */
export interface ArrayDescription extends KeyEncoding {
  readonly zarrFormat: ZarrVersion;
  /** Length of each dimension. */
  readonly shape: readonly number[];
  /** The grid of stored chunks: one chunk shape, or lengths axis by axis. */
  readonly grid: ChunkGrid;
  readonly dtype: DType;
  readonly fill: FillValue;
  /** The chain in Zarr v3 terms, in encoding order. */
  readonly codecs: readonly CodecMetadata[];
  readonly attributes: Attributes;
  readonly dimensionNames: readonly (string | null)[] | undefined;
}

export interface ArraySpec extends Omit<ArrayDescription, "grid"> {
  /** The grid of stored chunks, axis by axis. */
  readonly axes: readonly AxisGrid[];
  /** Whether all stored chunks have the same shape. */
  readonly isRegular: boolean;
  /** Whether stored chunks are shards. */
  readonly isSharded: boolean;
  /** Shape of the chunks that are decoded; of the first one if they differ. */
  readonly chunkShape: readonly number[];
  /** Shape of the shards, if any; of the first one if they differ. */
  readonly shardShape: readonly number[] | undefined;
  readonly layouts: ChunkLayouts;
  /** Layout of the first chunk, and of all chunks if the grid is regular. */
  readonly firstLayout: ChunkLayout;
}

export interface SpecOptions {
  readonly limits: Limits;
  readonly verifyChecksums?: boolean | undefined;
  readonly onWarning?: OnWarning | undefined;
}

/**
 * Completes a description: checks the rules common to all versions (ranks, sizes, limits) and resolves the
 * codec chain.
 * @throws InvalidMetadata, UnknownCodec, Unsupported or LimitExceeded.
 */
export function completeSpec(description: ArrayDescription, options: SpecOptions): ArraySpec {
  const { grid, ...rest } = description;
  const { shape, dtype, fill, codecs, zarrFormat, dimensionNames } = rest;
  const { limits } = options;
  if (shape.length > limits.rank)
    throw limitExceeded(`the array has ${shape.length} dimensions, more than the limit of ${limits.rank}`);
  if (dimensionNames && dimensionNames.length !== shape.length) {
    throw invalidMetadata(
      `"dimension_names" has ${dimensionNames.length} entries for ${shape.length} dimensions`,
    );
  }
  const axes = gridAxes(shape, grid);
  const layouts = new ChunkLayouts(codecs, layoutArray(dtype, fill), { ...options, version: zarrFormat });
  const first = axes.map((axis) => axis.size(0));
  const firstLayout = layouts.of(first);
  const isRegular = "chunkShape" in grid;
  if (!isRegular) checkLayouts(axes, layouts);
  const isSharded = firstLayout.levels.length > 0;
  return {
    ...rest,
    axes,
    isRegular,
    isSharded,
    chunkShape: firstLayout.leaf.shape,
    shardShape: isSharded ? first : undefined,
    layouts,
    firstLayout,
  };
}

function gridAxes(shape: readonly number[], grid: ChunkGrid): readonly AxisGrid[] {
  const axes = "axes" in grid ? grid.axes : grid.chunkShape;
  if (axes.length !== shape.length) {
    throw invalidMetadata(`shape has ${shape.length} dimensions, the chunks have ${axes.length}`);
  }
  return "axes" in grid ? grid.axes : regularGrid(shape, grid.chunkShape);
}

/** Maximum number of chunk shapes per axis that are checked in advance. */
const maxChecked = 256;

/** Checks the chain for chunk shapes other than the first: each length along its axis, and the largest shape. */
function checkLayouts(axes: readonly AxisGrid[], layouts: ChunkLayouts): void {
  const sizes = axes.map((axis) => [...(axis instanceof RectilinearAxis ? axis.sizes : [axis.size(0)])]);
  const largest = sizes.map((list) => list.reduce((a, b) => Math.max(a, b)));
  layouts.of(largest);
  sizes.forEach((list, axis) => {
    for (const size of list.slice(0, maxChecked)) layouts.of(largest.map((l, i) => (i === axis ? size : l)));
  });
}
