/** Neuroglancer's encoding of segmentations, for chunks of precomputed volumes. */

import { countOf } from "../util/shapes.js";
import { type CodecDefinition, formatValue } from "./definition.js";

/** Maximum number of elements of a block, the core's. */
const maxBlock = 2 ** 26;

export const compressedSegmentation: CodecDefinition = {
  core: "labels",
  kind: "array-to-bytes",
  names: { 3: ["compressed_segmentation"] },
  parse(config, { array: { dtype, shape } }) {
    config.only("block_size");
    if (dtype.core !== "uint32" && dtype.core !== "uint64")
      throw config.error(`does not support data type ${dtype}, only uint32 and uint64`);
    if (shape.length > 4) throw config.error(`does not support ${shape.length} dimensions, only up to 4`);
    const block = config.get("block_size");
    const isLength = (value: unknown) => Number.isInteger(value) && (value as number) > 0;
    if (!Array.isArray(block) || block.length !== 3 || !block.every(isLength) || countOf(block) > maxBlock)
      throw config.error(
        `"block_size" must be 3 lengths with a product of at most ${maxBlock}, not ${formatValue(block)}`,
      );
    return { params: block };
  },
};
