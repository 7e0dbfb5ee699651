/** Files of other formats: the tree is walked, and a small region of each array is read. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { ArrayFileStore } from "../../../dist/formats.js";
import { get, open, type ZarrArray, type ZarrGroup } from "../../../dist/index.js";
import { mutatedFields } from "./fields.js";
import { mutatedText } from "./mutations.js";
import { isResponsive } from "./responsive.js";
import { type FuzzTarget, holds, throwFirst } from "./target.js";

const home = path.resolve("tests/golden/files");
const tags = ["InvalidMetadata", "Unsupported", "NotFound", "CorruptChunk", "LimitExceeded"] as const;

/** Chunks are bounded, since the parsers are tested here. Other limits are the defaults. */
const limits = { chunkBytes: 2 ** 24, encodedBytes: 2 ** 24 };

const maxSeed = 2 ** 14;
const maxNodes = 12;

/** Files by the path in their folder. */
type Folder = ReadonlyMap<string, Uint8Array>;

function readFolder(folder: string): Folder {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => statSync(path.join(folder, name)).isFile());
  return new Map(files.map((name) => [name, Uint8Array.from(readFileSync(path.join(folder, name)))]));
}

/** Opens nodes of a store, other ones for each number, and reads a region of each array. */
async function walk(root: ZarrGroup | ZarrArray, number: number): Promise<void> {
  const failures: unknown[] = [];
  const waiting = [root];
  for (let count = 0; waiting.length > 0 && count < maxNodes; ) {
    const node = waiting.shift()!;
    try {
      holds(typeof node.attributes === "object", "nodes have attributes");
      if (node.kind === "array") await readRegion(node);
      else {
        const members = await node.members();
        for (let i = 0; i < members.length && count < maxNodes; i++, count++) {
          const { name } = members[(i + number) % members.length]!;
          await node.open(name).then(
            (member) => waiting.push(member as ZarrGroup | ZarrArray),
            (error: unknown) => failures.push(error),
          );
        }
      }
    } catch (error) {
      failures.push(error);
    }
  }
  throwFirst(failures);
}

async function readRegion(array: ZarrArray): Promise<void> {
  const selection = array.shape.map((length) => ({ start: Math.max(0, length - 2), stop: length }));
  const { data, shape } = await get(array, selection as never);
  const count = shape.reduce((product: number, length: number) => product * length, 1);
  const size = (data as { length?: number }).length;
  holds(size === undefined || size >= count, "a region has its elements");
}

/** A number that depends on all bytes. */
const numberOf = (input: Uint8Array) => input.reduce((sum, byte) => sum + byte, 0);

interface FileTarget {
  readonly name: string;
  /** Folders of tests/golden/files. */
  readonly folders?: readonly string[];
  /** Names of the files that are changed. Default: all. */
  readonly seeds?: RegExp;
  readonly covers?: readonly string[];
}

/** A target for files of a format. Other files of its folders are beside the changed one. */
function fileTarget({
  name,
  folders = [name],
  seeds = /./,
  covers = [`formats/${name}/`],
}: FileTarget): FuzzTarget {
  const all = new Map(folders.flatMap((folder) => [...readFolder(path.join(home, folder))]));
  const changed = [...all].filter(
    ([file, { length }]) => seeds.test(file) && !/\.(?:jsonl|bin|pages\.gz)$/.test(file) && length <= maxSeed,
  );
  const siblings = (file: string) => all.get(file);
  return {
    name,
    inputs: mutatedFields(changed.map(([, bytes]) => bytes)),
    covers,
    tags,
    run: (input) =>
      isResponsive(async () => {
        const store = await ArrayFileStore.open(input, { siblings, limits });
        await walk(await open(store, { limits }), numberOf(input));
      }),
  };
}

/** A target for folders of a format: byte 0 is the number of the changed file, whose folder is opened. */
function folderTarget(name: string, document: string): FuzzTarget {
  const all = readFolder(path.join(home, name));
  const documents = [...all.keys()].filter((file) => path.basename(file) === document);
  const changed = [...all.keys()].flatMap((file) => {
    const folders = documents.map((one) => one.slice(0, -document.length));
    const folder = folders
      .filter((one) => one !== "" && file.startsWith(one))
      .sort((a, b) => b.length - a.length)[0];
    return folder === undefined ? [] : [{ file, folder }];
  });
  const inputs = changed.map(({ file }, i) => {
    const bytes = all.get(file)!;
    const contents = file.endsWith(document) ? mutatedText([textOf(bytes)]) : mutatedFields([bytes]);
    return contents.map((more) => Uint8Array.from([i, ...more]));
  });
  return {
    name,
    inputs: fc.oneof(...inputs),
    covers: ["formats/folder/"],
    tags,
    run: (input) => {
      const { file, folder } = changed[(input[0] ?? 0) % changed.length]!;
      const below = [...all].filter(([key]) => key.startsWith(folder));
      const objects = new Map(below.map(([key, bytes]) => [`/${key.slice(folder.length)}`, bytes]));
      objects.set(`/${file.slice(folder.length)}`, input.subarray(1));
      return isResponsive(async () => walk(await open(objects, { limits }), numberOf(input)));
    },
  };
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

export const fileTargets: readonly FuzzTarget[] = [
  fileTarget({ name: "tiff" }),
  fileTarget({ name: "hdf5", folders: ["hdf5", "hdf5_chunks", "netcdf4"] }),
  fileTarget({ name: "netcdf3" }),
  fileTarget({ name: "grib2" }),
  fileTarget({ name: "fits" }),
  fileTarget({ name: "nifti" }),
  folderTarget("n5", "attributes.json"),
  folderTarget("precomputed", "info"),
];
