/** Lists every option of the command line, for the parser, help and completion. */

/** Kinds of values that shells complete. */
type Completion = "file" | "folder" | readonly string[];

export interface Option {
  readonly type: "string" | "boolean";
  /** Placeholder of the value in synopses; flags have none. */
  readonly value?: string;
  /** A short description. */
  readonly summary: string;
  readonly short?: string;
  readonly completes?: Completion;
  /** Whether it may be repeated. */
  readonly multiple?: true;
}

const format = (...completes: string[]) => ({ value: completes.join("|"), completes });

export const options = {
  all: { type: "boolean", summary: "print every element instead of an abbreviated table" },
  path: { type: "string", value: "PATH", summary: "node below SOURCE" },
  json: { type: "boolean", summary: "print results as JSON" },
  select: {
    type: "string",
    value: '"0:10,5,::2"',
    summary: "part of an array; an index drops its dimension",
  },
  format: { type: "string", value: "F", summary: "output format" },
  out: {
    type: "string",
    value: "FILE",
    summary: "write to FILE, which is replaced at the end",
    completes: "file",
  },
  "v1-order": {
    type: "string",
    ...format("spec", "writer"),
    summary: "element order of Zarr v1: as specified, or as zarr-python 1.x wrote it (default: spec)",
  },
  chunks: { type: "string", value: "64,64", summary: "chunk shape" },
  shards: {
    type: "string",
    value: "512,512|auto|none",
    summary: "shard shape; auto: at most 32 MiB per shard",
    completes: ["auto", "none"],
  },
  codecs: {
    type: "string",
    value: "NAME[:LEVEL]|none|JSON",
    summary: "codecs of the new chunks",
    completes: ["zstd", "zstd:5", "blosc:lz4", "blosc:zstd", "gzip", "none"],
  },
  fill: { type: "string", value: "V", summary: "new fill value; elements keep their values" },
  overwrite: { type: "boolean", summary: "replace the Zarr data at DEST" },
  resume: { type: "boolean", summary: "continue an interrupted run, keeping complete chunks" },
  verify: { type: "boolean", summary: "read the result back, decode it and compare it with SOURCE" },
  clean: { type: "boolean", summary: "remove unfinished files that killed processes left in a folder" },
  part: { type: "string", value: "I/N", summary: "process one of N shares of the chunks (I counts from 0)" },
  "metadata-only": { type: "boolean", summary: "create the nodes without chunks" },
  memory: { type: "string", value: "MIB", summary: "memory for decoded data in flight (default: 128)" },
  temp: {
    type: "string",
    value: "DIR",
    summary: "folder for intermediate chunks (default: beside DEST)",
    completes: "folder",
  },
  threads: { type: "string", value: "N", summary: "decode and encode on N threads" },
  bucket: { type: "string", value: "URL", summary: "S3-compatible bucket of the URL, to list its keys" },
  wait: {
    type: "string",
    value: "SECONDS",
    summary: "how long to wait for nodes and for other writers (default: 30)",
  },
  levels: { type: "string", value: "N", summary: "number of levels, including the finest" },
  level: {
    type: "string",
    value: "L[+]",
    summary: "fill level L (0 is the finest); L+: and all levels after it",
  },
  method: {
    type: "string",
    ...format("mean", "mode", "nearest", "max"),
    summary: "downsampling method (default: mean, or mode for labels)",
  },
  factor: {
    type: "string",
    value: "2|1,2,2",
    summary: "downsampling factor, for all spatial axes or per axis (default: 2)",
  },
  axes: { type: "string", value: "c,y,x", summary: "names of the axes" },
  units: {
    type: "string",
    value: ",micrometer,micrometer",
    summary: "units of the axes, empty for axes without one",
  },
  scale: { type: "string", value: "1,0.5,0.5", summary: "units per element of the finest level" },
  name: { type: "string", value: "TEXT", summary: "name of the image" },
  "ome-version": {
    type: "string",
    ...format("0.4", "0.5", "0.6rc0"),
    summary: "OME-Zarr version: 0.4 is Zarr v2, others are v3",
  },
  branch: {
    type: "string",
    value: "NAME",
    summary: "newest version of an Icechunk branch (default: main)",
  },
  tag: { type: "string", value: "NAME", summary: "tag of an Icechunk repository" },
  snapshot: { type: "string", value: "ID", summary: "snapshot of an Icechunk repository" },
  "as-of": {
    type: "string",
    value: "TIME",
    summary: "version of the branch at that time, such as 2025-01-31",
  },
  virtual: {
    type: "string",
    value: "PREFIX=BASE",
    summary: "allow virtual chunks at PREFIX and read them from BASE, a URL or a folder; repeatable",
    multiple: true,
  },
  history: { type: "boolean", summary: "list the branches, tags and versions of an Icechunk repository" },
  port: { type: "string", value: "N", summary: "port to listen on (default: any free port)" },
  open: { type: "boolean", summary: "open the link in the browser" },
  time: { type: "string", value: "SECONDS", summary: "time limit for measuring (default: 10)" },
  bytes: {
    type: "string",
    value: "SIZE",
    summary: "maximum number of bytes to read, such as 500K or 1G (default: 64M)",
  },
  help: { type: "boolean", short: "h", summary: "show this help, or the help of a command" },
  version: { type: "boolean", short: "v", summary: "print the version" },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;

/** Values of all commands' options; each command reads its own. */
export type Values = {
  readonly [Name in OptionName]?: OptionValue<(typeof options)[Name]> | undefined;
};

type OptionValue<O extends Option> = O extends { multiple: true }
  ? readonly string[]
  : O["type"] extends "boolean"
    ? boolean
    : string;

/** Options that select a version of an Icechunk repository and locate its virtual chunks. */
export const versionOptions = ["branch", "tag", "snapshot", "as-of", "virtual"] as const;

/** Options that are valid without a command. */
export const everywhere: readonly OptionName[] = ["help", "version"];

/** Incorrect usage of the command line: exit status 2. */
export class UsageError extends Error {
  /** @param command whose help to recommend. */
  constructor(
    message: string,
    readonly command?: string,
  ) {
    super(message);
  }
}
