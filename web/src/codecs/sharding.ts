/**
 * sharding_indexed: many inner chunks in one stored object, with an index of their positions.
 * Spec: Zarr v3 "sharding_indexed" codec. This file parses its metadata; read/shards.ts reads the data.
 */
import {
  type CodecArray,
  type CodecContext,
  type CodecMetadata,
  type ConfigReader,
  formatValue,
  parseCodecs,
} from "./definition.js";

export interface ShardingConfiguration {
  /** Shape of the inner chunks, in the axes of the codec's input array. */
  readonly chunkShape: readonly number[];
  /** Number of inner chunks along each of these axes. */
  readonly counts: readonly number[];
  readonly codecs: readonly CodecMetadata[];
  readonly indexCodecs: readonly CodecMetadata[];
  readonly indexLocation: "start" | "end";
}

export interface ShardingDefinition {
  readonly kind: "array-to-bytes";
  readonly names: { readonly 3: readonly string[] };
  parse(config: ConfigReader, context: CodecContext): ShardingConfiguration;
}

function readChunkShape(config: ConfigReader, { shape }: CodecArray): number[] {
  const value = config.get("chunk_shape");
  const valid = (length: unknown) =>
    typeof length === "number" && Number.isSafeInteger(length) && length >= 1;
  if (!Array.isArray(value) || value.length !== shape.length || !value.every(valid)) {
    throw config.error(
      `"chunk_shape" must be a list of ${shape.length} positive integers, not ${formatValue(value)}`,
    );
  }
  const chunkShape = value as number[];
  const uneven = chunkShape.findIndex((length, axis) => shape[axis]! % length !== 0);
  if (uneven >= 0) {
    throw config.error(
      `"chunk_shape" [${chunkShape.join(", ")}] does not divide the shard's shape [${shape.join(", ")}] along axis ${uneven}`,
    );
  }
  return chunkShape;
}

export const shardingIndexed: ShardingDefinition = {
  kind: "array-to-bytes",
  names: { 3: ["sharding_indexed"] },
  parse(config, { array }) {
    config.only("chunk_shape", "codecs", "index_codecs", "index_location");
    const chunkShape = readChunkShape(config, array);
    const list = (name: string) => parseCodecs(config.get(name), `codec ${config.codec}: "${name}"`);
    return {
      chunkShape,
      counts: chunkShape.map((length, axis) => array.shape[axis]! / length),
      codecs: list("codecs"),
      indexCodecs: list("index_codecs"),
      indexLocation: config.choice("index_location", ["start", "end"], "end") === 0 ? "start" : "end",
    };
  },
};
