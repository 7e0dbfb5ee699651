/** Lists every command of the command line, for the parser, help and completion. */
import { type Option, type OptionName, options, versionOptions } from "./options.js";

/** Placeholder of an operand, which also selects its completion: optional ones are in brackets, "…" marks a list. */
type Operand = "SOURCE" | "SOURCE…" | "DEST" | "SHELL" | "[COMMAND]";

/** An option of a command, with the properties that differ from those of other commands. */
type OwnOption = OptionName | readonly [OptionName, Partial<Pick<Option, "value" | "summary" | "completes">>];

export interface Command {
  readonly operands: readonly Operand[];
  /** A short description. */
  readonly summary: string;
  readonly options: readonly OwnOption[];
  /** More lines of help. */
  readonly details?: string;
  readonly examples: readonly (readonly [caption: string, line: string])[];
}

/** Reductions of `stats`. */
export const methods = [
  ...(["count", "sum", "mean", "std", "var", "min", "max", "argmin", "argmax"] as const),
  ...(["any", "all", "first", "last"] as const),
] as const;

export const shells = ["bash", "zsh", "fish"] as const;

const choice = (...completes: string[]) => ({ value: completes.join("|"), completes });

export const commands: Readonly<Record<string, Command>> = {
  info: {
    operands: ["SOURCE"],
    summary: "show the properties of an array, or the tree below a group",
    options: ["path", "json", "history", "bucket", "v1-order", ...versionOptions],
    examples: [
      ["show the tree of an archive", "zarr-wasm info image.ozx"],
      [
        "describe one array as JSON",
        "zarr-wasm info https://example.org/data.zarr --path temperature --json",
      ],
      ["list the versions of an Icechunk repository", "zarr-wasm info https://example.org/repo --history"],
    ],
  },
  read: {
    operands: ["SOURCE"],
    summary: "print or save elements of an array",
    options: [
      ...(["path", "select", "sel", "nearest", "decode"] as const),
      [
        "format",
        { ...choice("raw", "jsonl", "npy", "text", "csv"), summary: "output format (default: text)" },
      ],
      ["json", { summary: "short for --format jsonl" }],
      "all",
      "out",
      "v1-order",
      ...versionOptions,
    ],
    details: `Elements are in C order.

raw    little-endian bytes
jsonl  one JSON value per element, one per line
npy    a NumPy file
csv    a row per element: its coordinates, or indices, and its value; missing values are empty
text   a table. Arrays of more than 1000 elements are abbreviated to the first and last three along each axis,
       unless --all or --out is given. Control characters are escaped, for example as \\u001b

--sel takes labels of xarray coordinates and axes of OME-Zarr images: several of a dimension, with commas,
or an interval with both ends. Times may be as short as a year or month. Quotes make a number a string.`,
    examples: [
      ["print ten rows as a table", "zarr-wasm read data.zarr --select 0:10"],
      [
        "save every other column as a NumPy file",
        'zarr-wasm read data.zarr --path a/b --select ":,::2" --format npy --out part.npy',
      ],
      [
        "save a month at the nearest latitude as CSV",
        "zarr-wasm read climate.zarr --path pr --sel time=2001-07,lat=50.5 --nearest --format csv",
      ],
    ],
  },
  stats: {
    operands: ["SOURCE"],
    summary: "compute statistics of an array, or reduce its dimensions",
    options: [
      ...(["path", "select", "sel", "nearest", "over"] as const),
      [
        "method",
        {
          value: "mean,std",
          summary: `reductions, one or several (default: mean): ${methods.join(", ")}`,
          completes: methods,
        },
      ],
      ...(["group-by", "weights", "quantile"] as const),
      ["format", { ...choice("text", "json", "csv"), summary: "output format (default: text)" }],
      ["json", { summary: "short for --format json" }],
      ["out", { value: "DEST", summary: "write the result as a Zarr group to DEST", completes: "folder" }],
      "overwrite",
      ["threads", { summary: "decode and reduce on N threads (default: one per processor, at most 4)" }],
      ...(["write", "v1-order"] as const),
      ...versionOptions,
    ],
    details: `Without --over, --group-by and --method, prints the count, range, mean, standard deviation and histogram of all
elements. Values are decoded by CF attributes and missing ones left out. Memory does not depend on the size
of the array. DEST is a folder, an archive or a server; xarray opens it with the coordinates of the result.`,
    examples: [
      [
        "show the statistics of an array with two quantiles",
        "zarr-wasm stats data.zarr --path a --quantile 0.05,0.95",
      ],
      [
        "compute a climatology",
        "zarr-wasm stats climate.zarr --path pr --group-by time.month --method mean,std --out monthly.zarr",
      ],
      [
        "print the mean of the globe for each time of a year",
        "zarr-wasm stats climate.zarr --path tas --sel time=2001 --over lat,lon --weights latitude --format csv",
      ],
    ],
  },
  copy: {
    operands: ["SOURCE", "DEST"],
    summary: "copy, convert or rechunk an array or a hierarchy",
    options: [
      "path",
      "select",
      ["format", { ...choice("1", "2", "3"), summary: "Zarr version of the copy" }],
      ...(["chunks", "shards", "codecs", "fill", "overwrite", "resume", "part", "metadata-only"] as const),
      ...(["verify", "memory", "temp", "threads"] as const),
      ["bucket", { summary: "S3-compatible bucket of DEST, to list its keys" }],
      ...(["wait", "v1-order", "json"] as const),
      ...versionOptions,
    ],
    details: `DEST is a folder, a .zip or .ozx archive, or an http(s) URL of a server that accepts PUT. Properties without
an option are kept. --part 0/N creates the nodes and the other parts wait for it; or run --metadata-only first.
Rechunking from rows to columns takes disk space for the whole array, beside DEST or in --temp. After Ctrl-C,
the command prints how to continue.`,
    examples: [
      [
        "convert to Zarr v3 with shards, and verify the result",
        "zarr-wasm copy https://example.org/data.zarr copy.zarr --format 3 --shards auto --verify",
      ],
      [
        "rechunk and recompress one array",
        "zarr-wasm copy data.zarr a.zarr --path a --chunks 256,256 --codecs blosc:lz4",
      ],
      ["pack a store into an archive", "zarr-wasm copy image.zarr image.ozx"],
    ],
  },
  pyramid: {
    operands: ["SOURCE", "DEST"],
    summary: "make a multiscale OME-Zarr image of an array",
    options: [
      ...(["path", "levels", "method", "factor", "axes", "units", "scale", "name"] as const),
      ["format", { ...choice("2", "3"), summary: "Zarr version of the image" }],
      "ome-version",
      ...(["chunks", "shards", "codecs", "overwrite", "resume"] as const),
      ["metadata-only", { summary: "create the image and its arrays, to be filled by --level" }],
      ...(["level", "part", "threads"] as const),
      ["bucket", { summary: "S3-compatible bucket of DEST, to list its keys" }],
      ...(["v1-order", "json"] as const),
      ...versionOptions,
    ],
    details: `SOURCE is an array, or an image whose finest level is used. An array inside DEST stays in place; any other is
copied. The image is OME-Zarr 0.5, or 0.4 with --format 2. --part is a share of one --level.`,
    examples: [
      ["make five levels of an array", "zarr-wasm pyramid data.zarr image.zarr --path raw --levels 5"],
      [
        "downsample labels, except along z",
        "zarr-wasm pyramid labels.zarr out.zarr --axes z,y,x --factor 1,2,2 --method mode",
      ],
    ],
  },
  verify: {
    operands: ["SOURCE"],
    summary: "decode every chunk and report the bad ones",
    options: ["path", "part", "clean", "json", "bucket", "v1-order", ...versionOptions],
    examples: [
      ["verify a whole store", "zarr-wasm verify copy.zarr"],
      ["verify the first quarter, with a JSON report", "zarr-wasm verify copy.zarr --part 0/4 --json"],
    ],
  },
  references: {
    operands: ["SOURCE…", "DEST"],
    summary: "write the chunks of array files as kerchunk references",
    options: [
      ...(["along", "inline", "relative", "record-size"] as const),
      ["overwrite", { summary: "replace the references at DEST" }],
      "json",
    ],
    details: `Each SOURCE is an HDF5, NetCDF, TIFF or other array file, as a path or URL. DEST is a .json document, or a
folder of Parquet files whose name ends in .parq or .parquet. zarr-python reads both through fsspec, as Zarr v2.
Arrays without a form in Zarr v2 are refused. Joined files need equal types, codecs, chunks and units;
coordinates of the dimension become part of the references.`,
    examples: [
      ["describe one file", "zarr-wasm references 2024-01.nc january.json"],
      ["join a folder of files", "zarr-wasm references 2024-*.nc 2024.parq --along time"],
    ],
  },
  bench: {
    operands: ["SOURCE"],
    summary: "measure reading and decoding, and suggest faster settings",
    options: ["path", "time", "bytes", "json", "bucket", "v1-order", ...versionOptions],
    details: `Reads a sample of chunks, spread over the arrays, and decodes it on one core. Re-encodes some of them in
memory to estimate the gain of other codecs.`,
    examples: [
      ["measure data on a server", "zarr-wasm bench https://example.org/data.zarr"],
      ["measure one array briefly", "zarr-wasm bench data.zarr --path a --time 3 --bytes 16M"],
    ],
  },
  view: {
    operands: ["SOURCE"],
    summary: "serve the viewer locally and print its link",
    options: [
      "path",
      "port",
      "open",
      ["json", { summary: "print the link as JSON" }],
      "v1-order",
      ...versionOptions,
    ],
    examples: [
      ["open an image in the browser", "zarr-wasm view image.zarr --open"],
      ["view a version of an Icechunk repository", "zarr-wasm view https://example.org/repo --tag v1"],
    ],
  },
  completion: {
    operands: ["SHELL"],
    summary: "print a completion script for bash, zsh or fish",
    options: [],
    examples: [
      ["bash, in ~/.bashrc", "source <(zarr-wasm completion bash)"],
      ["zsh, in ~/.zshrc after compinit", "source <(zarr-wasm completion zsh)"],
      ["fish (run once)", "zarr-wasm completion fish > ~/.config/fish/completions/zarr-wasm.fish"],
    ],
  },
  help: {
    operands: ["[COMMAND]"],
    summary: "show this help, or the help of a command",
    options: [],
    examples: [["show the options of copy", "zarr-wasm help copy"]],
  },
};

/** Commands of other tools, and what does the same here. */
export const otherCommands: Readonly<Record<string, string>> = {
  ls: "info SOURCE",
  tree: "info SOURCE",
  list: "info SOURCE",
  stat: "info SOURCE --path PATH",
  cat: "read SOURCE",
  head: "read SOURCE --select 0:10",
  get: "read SOURCE --format npy --out FILE",
  cp: "copy SOURCE DEST",
  download: "copy SOURCE DEST",
  rechunk: "copy SOURCE DEST --chunks 64,64",
  convert: "copy SOURCE DEST --format 3",
  migrate: "copy SOURCE DEST --format 3",
  shard: "copy SOURCE DEST --shards auto",
  recompress: "copy SOURCE DEST --codecs zstd",
  zip: "copy SOURCE DEST.zip",
  unzip: "copy SOURCE.zip DEST",
  check: "verify SOURCE",
  validate: "verify SOURCE",
  kerchunk: "references SOURCE DEST",
  virtualize: "references SOURCE DEST",
  downsample: "pyramid SOURCE DEST",
  multiscale: "pyramid SOURCE DEST",
  show: "view SOURCE --open",
  open: "view SOURCE --open",
  serve: "view SOURCE --open",
};

/** Returns the options of a command with their names. */
export function commandOptions({ options: own }: Command): [name: OptionName, option: Option][] {
  return own.map((entry) => {
    const [name, meaning] = typeof entry === "string" ? [entry, {}] : entry;
    const option: Option = { ...options[name], ...meaning };
    return [name, option];
  });
}
