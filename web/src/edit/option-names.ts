/** Options of what is written by name: one that does not exist is refused, so that none is asked for in vain. */
import { invalidArgument } from "../util/errors.js";
import type { CreateLikeOptions, CreateOptions, GroupCreateOptions, NodeCreateOptions } from "./options.js";

/** The names that there are. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

const nodeOptions: OptionNames<NodeCreateOptions> = {
  path: true,
  attributes: true,
  zarrFormat: true,
  overwrite: true,
  signal: true,
};

/** Of `createGroup`. */
export const groupOptions: OptionNames<GroupCreateOptions> = { ...nodeOptions, like: true };

/** Of `create`. */
export const arrayOptions: OptionNames<CreateOptions & CreateLikeOptions> = {
  ...nodeOptions,
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
const otherNames: Readonly<Record<string, readonly string[]>> = {
  chunk: ["chunkShape"],
  chunks: ["chunkShape"],
  shard: ["shardShape"],
  shards: ["shardShape"],
  datatype: ["dtype"],
  codec: ["codecs"],
  compressor: ["codecs"],
  compressors: ["codecs"],
  compression: ["codecs"],
  filters: ["codecs"],
  attrs: ["attributes"],
  name: ["path"],
  dims: ["dimensionNames", "axes"],
  dimensionnames: ["axes"],
  zarrversion: ["zarrFormat"],
  dimensionseparator: ["chunkKeyEncoding"],
  factors: ["factor"],
};

/** @throws InvalidArgument for an option of another name, saying which may be meant. */
export function checkOptionNames(options: object, known: OptionNames<object>): void {
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const bare = name.replaceAll("_", "").toLowerCase();
    const others = Object.hasOwn(otherNames, bare) ? otherNames[bare]! : [];
    const meant = names.find((key) => key.toLowerCase() === bare || others.includes(key));
    throw invalidArgument(
      `there is no option ${JSON.stringify(name)}${meant ? `: did you mean ${meant}?` : `; there are ${names.join(", ")}`}`,
    );
  }
}
