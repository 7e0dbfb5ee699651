// Copies arrays on disk: the command line compared with zarr-python (Debian's python3-zarr), one thread each.
// Both report their own time, without starting up.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { create, set, slice } from "zarr-wasm";
import { root } from "../../scripts/lib/paths.mjs";
import { corpora } from "../corpora.mjs";
import { effort, speedRow } from "../measure.mjs";

const python = "/usr/bin/python3";
const tool = path.join(root, "dist/cli/main.js");
const side = 512;
const bytes = 2 * side ** 3;

/**
 * zarr-python's own functions: `copy_store` if the encoding stays the same, otherwise `copy`, chunk by chunk.
 */
const script = `
import sys, time, json
import zarr, numcodecs
numcodecs.blosc.use_threads = False
numcodecs.blosc.set_nthreads(1)
source, dest, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
start = time.perf_counter()
if options is None:
    zarr.copy_store(zarr.DirectoryStore(source), zarr.DirectoryStore(dest))
else:
    if "compressor" in options:
        options["compressor"] = numcodecs.get_codec(options["compressor"])
    if "chunks" in options:
        options["chunks"] = tuple(options["chunks"])
    zarr.copy(zarr.open_array(source, mode="r"), zarr.open_group(dest, mode="w"), name="a", **options)
print(time.perf_counter() - start)
`;

/** The copies: options of the command line, of zarr-python, and of `copy`. */
export const copies = [
  { what: "as stored", args: [], options: null, own: {} },
  {
    what: "rechunked to [32, 256, 256]",
    args: ["--chunks", "32,256,256"],
    options: { chunks: [32, 256, 256] },
    own: { chunkShape: [32, 256, 256] },
  },
  {
    what: "re-encoded, blosc lz4 to blosc zstd 1",
    args: ["--codecs", "blosc:zstd:1"],
    options: { compressor: { id: "blosc", cname: "zstd", clevel: 1, shuffle: 1 } },
    own: { codecs: "blosc:zstd:1" },
  },
];

export async function writeSource(dir) {
  rmSync(dir, { recursive: true, force: true });
  const array = await create(pathToFileURL(dir), {
    ...{ shape: [side, side, side], chunkShape: [64, 64, 64], dtype: "<u2" },
    ...{ codecs: "blosc:lz4:5:1", zarrFormat: 2 },
  });
  const slab = 2 * 64 * side * side;
  const elements = corpora.microscopy.make(slab);
  for (let at = 0; at < side; at += 64) {
    elements[0] = at; // makes all chunk files different
    await set(array, [slice(at, at + 64), null, null], elements);
  }
}

function seconds(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} failed\n${stderr}`);
  return stdout;
}

/**
 * Minimum seconds of each, in turn. Each copy goes to another folder, and the caller deletes them: ext4 takes much longer
 * to create files within minutes after many were deleted.
 */
function compare(dir, source, { args, options }) {
  const best = { ours: Number.POSITIVE_INFINITY, theirs: Number.POSITIVE_INFINITY };
  for (let call = 0; call <= effort.calls; call++) {
    const [own, other] = ["own", "other"].map((name) => path.join(dir, `${name} ${call}`));
    const ours = JSON.parse(
      seconds(process.execPath, [tool, "copy", source, own, ...args, "--json"]),
    ).seconds;
    const theirs = Number(seconds(python, ["-c", script, source, other, JSON.stringify(options)]));
    if (call === 0) continue;
    best.ours = Math.min(best.ours, ours);
    best.theirs = Math.min(best.theirs, theirs);
  }
  return best;
}

/**
 * @param {string} workDir for the arrays
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function copySuite(workDir) {
  return copies.map((copy) => {
    const name = `copy, disk to disk, 256 MiB uint16 in 64³ blosc lz4 chunks, ${copy.what}: zarr-wasm over zarr-python`;
    return {
      rows: [name],
      measure: async () => {
        const dir = path.join(workDir, "copies");
        const source = path.join(dir, "source");
        mkdirSync(dir, { recursive: true });
        try {
          await writeSource(source);
          const { ours, theirs } = compare(dir, source, copy);
          return [speedRow(name, bytes, ours, theirs)];
        } finally {
          rmSync(dir, { recursive: true });
        }
      },
    };
  });
}
