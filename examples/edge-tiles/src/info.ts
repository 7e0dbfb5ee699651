/** Description of a dataset as TileJSON 3.0.0, with some extensions. */
import { type Dataset } from "./dataset.js";
import type { InfoRoute } from "./route.js";
import { knownRange } from "./shade.js";

export function infoOf(dataset: Dataset, { dataset: name, choice }: InfoRoute, origin: string, tileSize: number) {
  const { axes, y, x, levels, channels } = dataset;
  const finest = levels.at(-1)!;
  const path = name.split("/").map(encodeURIComponent).join("/");
  const query = new URLSearchParams(choice.variable === undefined ? {} : { variable: choice.variable });
  for (const [axis, index] of choice.indices) query.set(axis, String(index));
  const range = knownRange(dataset, choice.indices);
  return {
    tilejson: "3.0.0",
    name: dataset.title || name,
    scheme: "xyz",
    tiles: [`${origin}/${path}/{z}/{y}/{x}.png${query.size > 0 ? `?${query}` : ""}`],
    minzoom: 0,
    maxzoom: levels.length - 1,
    tileSize,
    dtype: String(finest.dtype),
    range: range ?? null,
    axes: axes.map((axis, at) => ({
      name: axis,
      length: finest.shape[at],
      role: at === y ? "row" : at === x ? "column" : "index",
    })),
    channels: channels.map(({ label, color, window }) => ({ label, color, window })),
    levels: levels.map((level, z) => ({
      z,
      path: level.path,
      shape: level.shape,
      chunks: level.chunkShape,
      shards: level.shardShape ?? null,
      rows: Math.ceil(level.shape[y]! / tileSize),
      columns: Math.ceil(level.shape[x]! / tileSize),
    })),
  };
}
