/** Rejects unknown option names, which would otherwise be ignored. */
import { invalidArgument } from "../util/errors.js";
import type { CreateGroupOptions, CreateLikeOptions, CreateOptions, NodeCreateOptions } from "./options.js";

/** Names of known options. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

const nodeOptions: OptionNames<NodeCreateOptions> = {
  path: true,
  attributes: true,
  zarrFormat: true,
  overwrite: true,
  signal: true,
};

/** Options of `createGroup`. */
export const groupOptions: OptionNames<CreateGroupOptions> = { ...nodeOptions, like: true };

/** Options of `create`. */
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

/** Names used by other libraries and in array metadata, in lower case and without "_". */
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

/** @throws InvalidArgument for an unknown option, with a suggestion. */
export function checkOptionNames(options: object, known: OptionNames<object>): void {
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const bare = name.replaceAll("_", "").toLowerCase();
    const others = Object.hasOwn(otherNames, bare) ? otherNames[bare]! : [];
    const meant = names.find((key) => key.toLowerCase() === bare || others.includes(key));
    throw invalidArgument(
      `unknown option ${JSON.stringify(name)}${meant ? `; did you mean ${meant}?` : `; expected one of ${names.join(", ")}`}`,
    );
  }
}
