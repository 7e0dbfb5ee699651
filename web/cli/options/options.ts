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

const flag = (summary: string) => ({ type: "boolean", summary }) as const;

/** An option with a value, and what shells complete it with. */
const text = (value: string, summary: string, completes?: Completion) =>
  ({ type: "string", value, summary, ...(completes && { completes }) }) as const;

const choice = (summary: string, ...completes: string[]) => text(completes.join("|"), summary, completes);

export const options = {
  all: flag("print every element instead of an abbreviated table"),
  path: text("PATH", "node below SOURCE"),
  json: flag("print results as JSON"),
  select: text('"0:10,5,::2"', "part of an array; an index drops its dimension"),
  sel: {
    ...text("NAME=LABEL", "elements by label: time=2001-07,lat=40:50,level=500,850; repeatable"),
    multiple: true,
  },
  nearest: flag("match single labels of --sel to the nearest coordinate"),
  decode: flag("unpack numbers by CF attributes; missing values are NaN, times ISO dates"),
  over: text("DIM,DIM", "dimensions to reduce, by name or number (default: all, or that of the groups)"),
  "group-by": text("time.month", "groups: a part of times, such as season or year, or a coordinate"),
  weights: text("latitude|NAME", "weights: the areas of latitudes, or an array beside the array", [
    "latitude",
  ]),
  quantile: text("Q,Q", "quantiles to add to the statistics, from 0 to 1, such as 0.1,0.5"),
  write: flag("store the statistics in the attributes of the array, for later minima and maxima"),
  format: text("F", "output format"),
  out: text("FILE", "write to FILE, which is replaced at the end", "file"),
  "v1-order": choice(
    "element order of Zarr v1: as specified, or as zarr-python 1.x wrote it (default: spec)",
    ...["spec", "writer"],
  ),
  chunks: text("64,64", "chunk shape"),
  shards: text("512,512|auto|none", "shard shape; auto: at most 32 MiB per shard", ["auto", "none"]),
  codecs: text(
    "NAME[:LEVEL]|none|JSON",
    "codecs of the new chunks",
    "zstd zstd:5 blosc:lz4 blosc:zstd gzip none".split(" "),
  ),
  fill: text("V", "new fill value; elements keep their values"),
  overwrite: flag("replace the Zarr data at DEST"),
  resume: flag("continue an interrupted run, keeping complete chunks"),
  verify: flag("read the result back, decode it and compare it with SOURCE"),
  clean: flag("remove unfinished files that killed processes left in a folder"),
  part: text("I/N", "process one of N shares of the chunks (I counts from 0)"),
  "metadata-only": flag("create the nodes without chunks"),
  memory: text("MIB", "memory for decoded data in flight (default: 128)"),
  temp: text("DIR", "folder for intermediate chunks (default: beside DEST)", "folder"),
  threads: text("N", "decode and encode on N threads"),
  bucket: text("URL", "S3-compatible bucket of the URL, to list its keys"),
  wait: text("SECONDS", "how long to wait for nodes and for other writers (default: 30)"),
  levels: text("N", "number of levels, including the finest"),
  level: text("L[+]", "fill level L (0 is the finest); L+: and all levels after it"),
  method: choice(
    "downsampling method (default: mean, or mode for labels)",
    ...["mean", "mode", "nearest", "max"],
  ),
  factor: text("2|1,2,2", "downsampling factor, for all spatial axes or per axis (default: 2)"),
  axes: text("c,y,x", "names of the axes"),
  units: text(",micrometer,micrometer", "units of the axes, empty for axes without one"),
  scale: text("1,0.5,0.5", "units per element of the finest level"),
  name: text("TEXT", "name of the image"),
  "ome-version": choice("OME-Zarr version: 0.4 is Zarr v2, others are v3", "0.4", "0.5", "0.6rc0"),
  branch: text("NAME", "newest version of an Icechunk branch (default: main)"),
  tag: text("NAME", "tag of an Icechunk repository"),
  snapshot: text("ID", "snapshot of an Icechunk repository"),
  "as-of": text("TIME", "version of the branch at that time, such as 2025-01-31"),
  virtual: {
    ...text(
      "PREFIX=BASE",
      "allow virtual chunks at PREFIX and read them from BASE, a URL or a folder; repeatable",
    ),
    multiple: true,
  },
  along: text("DIM", "dimension along which several files are joined; a new name stacks them"),
  inline: text("BYTES", "write smaller chunks into the references (default: 500)"),
  relative: flag("name files relative to the folder of the references"),
  "record-size": text("N", "references in each Parquet file (default: 10000)"),
  history: flag("list the branches, tags and versions of an Icechunk repository"),
  port: text("N", "port to listen on (default: any free port)"),
  open: flag("open the link in the browser"),
  time: text("SECONDS", "time limit for measuring (default: 10)"),
  bytes: text("SIZE", "maximum number of bytes to read, such as 500K or 1G (default: 64M)"),
  help: { ...flag("show this help, or the help of a command"), short: "h" },
  version: { ...flag("print the version"), short: "v" },
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
