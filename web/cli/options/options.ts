/** Every option of the command line. Help, completion and the parser use this list. */

/** Kinds of values that shells complete. */
type Completion = "file" | "folder" | readonly string[];

export interface Option {
  readonly type: "string" | "boolean";
  /** Placeholder of the value in synopses; flags have none. */
  readonly value?: string;
  /** A short description. */
  readonly what: string;
  readonly short?: string;
  readonly completes?: Completion;
  /** Whether it may be repeated. */
  readonly multiple?: true;
}

const format = (...completes: string[]) => ({ value: completes.join("|"), completes });

export const options = {
  path: { type: "string", value: "P", what: "a node below SOURCE" },
  json: { type: "boolean", what: "results as JSON" },
  select: { type: "string", value: '"0:10,5,::2"', what: "part of an array; an index drops its dimension" },
  format: { type: "string", value: "F", what: "the format that is written" },
  out: {
    type: "string",
    value: "FILE",
    what: "a file, which is replaced once all is written",
    completes: "file",
  },
  "v1-order": {
    type: "string",
    ...format("spec", "writer"),
    what: "the order of elements in Zarr v1: as its specification has it, or as zarr-python 1.x wrote",
  },
  chunks: { type: "string", value: "64,64", what: "elements of a chunk along each axis" },
  shards: {
    type: "string",
    value: "512,512|auto|none",
    what: "elements of a shard along each axis; auto: of at most 32 MiB",
    completes: ["auto", "none"],
  },
  codecs: {
    type: "string",
    value: "NAME[:LEVEL]|none|JSON",
    what: "codecs of the chunks that are written",
    completes: ["zstd", "zstd:5", "blosc:lz4", "blosc:zstd", "gzip", "none"],
  },
  fill: { type: "string", value: "V", what: "another fill value; elements keep their values" },
  overwrite: { type: "boolean", what: "replaces the Zarr data at DEST" },
  resume: { type: "boolean", what: "goes on with what was ended: what is there is left" },
  verify: { type: "boolean", what: "reads what was written, decodes it and compares" },
  clean: { type: "boolean", what: "removes unfinished files that killed processes have left in a folder" },
  part: { type: "string", value: "I/N", what: "this process' share (I from 0)" },
  "metadata-only": { type: "boolean", what: "makes the nodes, and no chunks" },
  memory: { type: "string", value: "MIB", what: "memory for elements on their way; 128" },
  temp: {
    type: "string",
    value: "DIR",
    what: "the folder of what is stored in between; beside DEST",
    completes: "folder",
  },
  threads: { type: "string", value: "N", what: "decodes in N workers" },
  bucket: { type: "string", value: "URL", what: "the S3-compatible bucket that a URL is in, to list it" },
  wait: {
    type: "string",
    value: "SECONDS",
    what: "how long a part waits for its nodes, and for other writers; 30",
  },
  levels: { type: "string", value: "N", what: "how many there are, the finest included" },
  level: { type: "string", value: "L[+]", what: "fills level L (0 is the finest); L+ that and all after it" },
  method: {
    type: "string",
    ...format("mean", "mode", "nearest", "max"),
    what: "how elements are reduced; mean, or mode for labels",
  },
  factor: { type: "string", value: "2|1,2,2", what: "of all axes of space, or one per axis; 2" },
  axes: { type: "string", value: "c,y,x", what: "names of the axes" },
  units: { type: "string", value: ",micrometer,micrometer", what: "their units, of those that have one" },
  scale: { type: "string", value: "1,0.5,0.5", what: "units per element of the finest level" },
  name: { type: "string", value: "TEXT", what: "the image's name" },
  "ome-version": {
    type: "string",
    ...format("0.4", "0.5", "0.6rc0"),
    what: "the version of OME-Zarr: 0.4 in Zarr v2, others in v3",
  },
  branch: {
    type: "string",
    value: "NAME",
    what: "the newest version of a branch of an Icechunk repository; main",
  },
  tag: { type: "string", value: "NAME", what: "a tag of an Icechunk repository" },
  snapshot: { type: "string", value: "ID", what: "a snapshot of an Icechunk repository" },
  "as-of": {
    type: "string",
    value: "TIME",
    what: "the version that the branch had then, such as 2025-01-31",
  },
  virtual: {
    type: "string",
    value: "PREFIX=BASE",
    what: "virtual chunks at PREFIX may be read, and are at BASE, a URL or a folder; may be repeated",
    multiple: true,
  },
  history: { type: "boolean", what: "the branches, tags and versions of an Icechunk repository" },
  port: { type: "string", value: "N", what: "a port of this machine; else a free one is taken" },
  open: { type: "boolean", what: "opens the link in the browser" },
  time: { type: "string", value: "SECONDS", what: "how long to measure at most; 10" },
  bytes: { type: "string", value: "SIZE", what: "how much to read at most, such as 500K or 1G; 64M" },
  help: { type: "boolean", short: "h", what: "this text, or that of a command" },
  version: { type: "boolean", what: "the version" },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;

/** Values of all commands' options; each command reads its own. */
export type Values = {
  readonly [Name in OptionName]?: ValueOf<(typeof options)[Name]> | undefined;
};

type ValueOf<O extends Option> = O extends { multiple: true }
  ? readonly string[]
  : O["type"] extends "boolean"
    ? boolean
    : string;

/** Selects a version of an Icechunk repository, and the locations of its virtual chunks. */
export const versionOptions = ["branch", "tag", "snapshot", "as-of", "virtual"] as const;

/** Options that are valid without a command. */
export const everywhere: readonly OptionName[] = ["help", "version"];

/** Wrong use of the command line: exit status 2. */
export class UsageError extends Error {}
