/** Options of new arrays by name: one that does not exist is refused, so that none is asked for in vain. */
import { invalidArgument } from "../../base/errors.js";
import type { CreateLikeOptions, CreateOptions } from "../create.js";

const known: Readonly<Record<keyof CreateOptions | keyof CreateLikeOptions, true>> = {
  path: true,
  attributes: true,
  zarrFormat: true,
  overwrite: true,
  signal: true,
  like: true,
  shape: true,
  chunkShape: true,
  shardShape: true,
  dtype: true,
  fillValue: true,
  codecs: true,
  dimensionNames: true,
  order: true,
  chunkKeyEncoding: true,
  limits: true,
};

/** What other libraries and the documents of arrays call them, in lower case and without "_". */
const otherNames: Readonly<Record<string, keyof typeof known>> = {
  chunk: "chunkShape",
  chunks: "chunkShape",
  shard: "shardShape",
  shards: "shardShape",
  datatype: "dtype",
  codec: "codecs",
  compressor: "codecs",
  compressors: "codecs",
  compression: "codecs",
  filters: "codecs",
  attrs: "attributes",
  name: "path",
  dims: "dimensionNames",
  zarrversion: "zarrFormat",
  dimensionseparator: "chunkKeyEncoding",
};

/** @throws InvalidArgument for an option of another name, saying which may be meant. */
export function checkOptionNames(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const bare = name.replaceAll("_", "").toLowerCase();
    const other = Object.hasOwn(otherNames, bare) ? otherNames[bare] : undefined;
    const meant = Object.keys(known).find((key) => key === other || key.toLowerCase() === bare);
    throw invalidArgument(
      `there is no option ${JSON.stringify(name)}${meant ? `: did you mean ${meant}?` : `; there are ${Object.keys(known).join(", ")}`}`,
    );
  }
}
