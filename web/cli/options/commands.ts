/** Every command of the command line. Help, completion and the parser use this list. */
import { type Option, type OptionName, options, versionOptions } from "./options.js";

/** Placeholder of an operand, in order, and its kind of completion. */
type Operand = "SOURCE" | "DEST" | "SHELL";

/** An option of a command, with its meaning there if that differs from other commands. */
type OwnOption = OptionName | readonly [OptionName, Partial<Pick<Option, "value" | "what" | "completes">>];

interface Example {
  readonly says: string;
  readonly line: string;
}

export interface Command {
  readonly operands: readonly Operand[];
  /** A short description. */
  readonly what: string;
  readonly options: readonly OwnOption[];
  /** More lines of help. */
  readonly details?: string;
  readonly examples: readonly Example[];
}

export const shells = ["bash", "zsh", "fish"] as const;

const choice = (...completes: string[]) => ({ value: completes.join("|"), completes });

export const commands: Readonly<Record<string, Command>> = {
  info: {
    operands: ["SOURCE"],
    what: "facts about an array (shape, chunks, data type, codecs, sizes), or the tree below a group",
    options: ["path", "json", "history", "bucket", "v1-order", ...versionOptions],
    examples: [
      { says: "the tree of an archive", line: "zarr-wasm info image.ozx" },
      {
        says: "one array, as JSON",
        line: "zarr-wasm info https://example.org/data.zarr --path temperature --json",
      },
      {
        says: "the versions of an Icechunk repository",
        line: "zarr-wasm info https://example.org/repo --history",
      },
    ],
  },
  read: {
    operands: ["SOURCE"],
    what: "elements of an array, in C order",
    options: [
      "path",
      "select",
      ["format", { ...choice("raw", "jsonl", "npy", "text"), what: "how elements are written; text" }],
      ["json", { what: "the same as --format jsonl" }],
      "out",
      "v1-order",
      ...versionOptions,
    ],
    details: `raw    little-endian element bytes
jsonl  one JSON value per element and line
npy    a NumPy file
text   a table; control characters are escaped, as \\u001b`,
    examples: [
      { says: "ten rows as a table", line: "zarr-wasm read data.zarr --select 0:10" },
      {
        says: "every other column into a NumPy file",
        line: 'zarr-wasm read data.zarr --path a/b --select ":,::2" --format npy --out part.npy',
      },
    ],
  },
  copy: {
    operands: ["SOURCE", "DEST"],
    what: "an array, or a group with all below it; what is not named stays as it is",
    options: [
      "path",
      "select",
      ["format", { ...choice("1", "2", "3"), what: "the Zarr version of the copy" }],
      ...(["chunks", "shards", "codecs", "fill", "overwrite", "resume", "part", "metadata-only"] as const),
      ...(["verify", "memory", "temp", "threads"] as const),
      ["bucket", { what: "the S3-compatible bucket that DEST is in" }],
      ...(["wait", "v1-order", "json"] as const),
      ...versionOptions,
    ],
    details: `DEST is a folder, a .zip or .ozx archive, or an http(s) URL that takes PUT. Shares of --part go by chunks or
shards; the nodes are made by --part 0/N, for which others --wait, or before by --metadata-only. From rows to
columns a copy goes through a temporary folder beside DEST, or in --temp, of the array's size.`,
    examples: [
      {
        says: "Zarr v3 with shards, read again and compared",
        line: "zarr-wasm copy https://example.org/data.zarr copy.zarr --format 3 --shards auto --verify",
      },
      {
        says: "other chunks and codecs of one array",
        line: "zarr-wasm copy data.zarr a.zarr --path a --chunks 256,256 --codecs blosc:lz4",
      },
      { says: "into an archive", line: "zarr-wasm copy image.zarr image.ozx" },
    ],
  },
  pyramid: {
    operands: ["SOURCE", "DEST"],
    what: "an OME-Zarr image (0.5, or 0.4 for --format 2): the array, and smaller versions of it",
    options: [
      ...(["path", "levels", "method", "factor", "axes", "units", "scale", "name"] as const),
      ["format", { ...choice("2", "3"), what: "the Zarr version of the image" }],
      "ome-version",
      ...(["chunks", "shards", "codecs", "overwrite", "resume"] as const),
      ["metadata-only", { what: "makes the image and its arrays, to be filled by --level" }],
      ...(["level", "part", "threads"] as const),
      ["bucket", { what: "the S3-compatible bucket that DEST is in" }],
      ...(["v1-order", "json"] as const),
      ...versionOptions,
    ],
    details: `SOURCE is an array, or an image, whose finest level is taken; an array that lies in DEST stays where it is,
others are copied. --part is a share of one --level.`,
    examples: [
      {
        says: "five levels of an array",
        line: "zarr-wasm pyramid data.zarr image.zarr --path raw --levels 5",
      },
      {
        says: "labels of a stack that is not reduced along z",
        line: "zarr-wasm pyramid labels.zarr out.zarr --axes z,y,x --factor 1,2,2 --method mode",
      },
    ],
  },
  verify: {
    operands: ["SOURCE"],
    what: "decodes every chunk; each bad one with its reason, and exit status 1 if there are any",
    options: ["path", "part", "clean", "json", "bucket", "v1-order", ...versionOptions],
    examples: [
      { says: "a whole store", line: "zarr-wasm verify copy.zarr" },
      { says: "the first quarter, as JSON", line: "zarr-wasm verify copy.zarr --part 0/4 --json" },
    ],
  },
  bench: {
    operands: ["SOURCE"],
    what: "how long a sample of the chunks takes to arrive and to decode, and what would make that faster",
    options: ["path", "time", "bytes", "json", "bucket", "v1-order", ...versionOptions],
    details: `Chunks are read from all over the arrays, and decoded on one core. They are also encoded in other ways, in
memory, to see what those would gain.`,
    examples: [
      { says: "data on a server", line: "zarr-wasm bench https://example.org/data.zarr" },
      { says: "one array, for a moment", line: "zarr-wasm bench data.zarr --path a --time 3 --bytes 16M" },
    ],
  },
  view: {
    operands: ["SOURCE"],
    what: "the viewer's page on this machine; prints the link",
    options: ["path", "port", "open", ["json", { what: "the link as JSON" }], "v1-order", ...versionOptions],
    examples: [
      { says: "an image in the browser", line: "zarr-wasm view image.zarr --open" },
      {
        says: "a version of an Icechunk repository",
        line: "zarr-wasm view https://example.org/repo --tag v1",
      },
    ],
  },
  completion: {
    operands: ["SHELL"],
    what: "a script that completes commands and options in bash, zsh or fish",
    options: [],
    examples: [
      { says: "bash, in ~/.bashrc", line: "source <(zarr-wasm completion bash)" },
      { says: "zsh, in ~/.zshrc after compinit", line: "source <(zarr-wasm completion zsh)" },
      {
        says: "fish, once",
        line: "zarr-wasm completion fish > ~/.config/fish/completions/zarr-wasm.fish",
      },
    ],
  },
};

/** The options of a command by name, with their meanings there. */
export function optionsOf({ options: own }: Command): [name: OptionName, option: Option][] {
  return own.map((entry) => {
    const [name, meaning] = typeof entry === "string" ? [entry, {}] : entry;
    const option: Option = { ...options[name], ...meaning };
    return [name, option];
  });
}
