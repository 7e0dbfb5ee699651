/** What the state of a view depends on: facts about the array, and suggestions of the dataset. */
import type { ZarrArray } from "zarr-wasm";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { dtypeLeaves, isNumeric, type Leaf } from "../source/leaf.js";
import { type ChannelState, defaultChannels, findChannelAxis } from "./channels.js";

/** Facts about an array that settings depend on, and suggestions for it. */
export type ArrayFacts = Pick<ZarrArray, "shape" | "chunkShape" | "dtype"> & {
  readonly hints?: Dataset["hints"] | undefined;
  readonly channelAxis?: number | undefined;
  /** The default channels. */
  readonly channels?: readonly ChannelState[] | undefined;
};

/** The facts of a dataset that states depend on. */
export function arrayFacts(dataset: Dataset): ArrayFacts {
  const { array, dtype, hints } = dataset;
  const [channelAxis, channels] = [findChannelAxis(dataset), defaultChannels(dataset)];
  return { shape: datasetShape(dataset), chunkShape: array.chunkShape, dtype, hints, channelAxis, channels };
}

/** The leaf to draw: the requested one, or else the first numeric one, or else the first. */
export function drawnLeaf({ dtype }: Pick<ArrayFacts, "dtype">, name: unknown): Leaf | undefined {
  const leaves = dtypeLeaves(dtype);
  return (
    leaves.find((leaf) => leaf.name === name) ?? leaves.find((leaf) => isNumeric(leaf.dtype)) ?? leaves[0]
  );
}
