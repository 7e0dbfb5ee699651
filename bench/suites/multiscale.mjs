// Writes a multi-resolution image to a folder, compared with zarr-python (Debian's python3-zarr) and means by NumPy, on one
// thread each.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { writeMultiscale } from "zarr-wasm/conventions";
import { corpora } from "../corpora.mjs";
import { effort, speedRow } from "../measure.mjs";

const python = "/usr/bin/python3";
const side = 4096;
const bytes = 2 * side ** 2;
const name =
  "writeMultiscale, 3 levels of 4096² uint16 in 512² blosc lz4 chunks: zarr-wasm over zarr-python and NumPy";

/** Prints the minimum seconds of several calls. */
const script = `
import sys, time, numpy, zarr, numcodecs
numcodecs.blosc.use_threads = False
numcodecs.blosc.set_nthreads(1)
image, dest, side, calls = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
data = numpy.fromfile(image, "<u2").reshape(side, side)
def write(dest):
    group, level = zarr.open_group(dest, mode="w"), data
    for index in range(3):
        if index > 0:
            height, width = level.shape[0] // 2, level.shape[1] // 2
            level = level.reshape(height, 2, width, 2).mean(axis=(1, 3)).round().astype("<u2")
        array = group.create_dataset(str(index), shape=level.shape, chunks=(512, 512), dtype="<u2",
                                     compressor=numcodecs.Blosc("lz4", 5, 1))
        array[:] = level
def seconds(call):
    start = time.perf_counter()
    write(f"{dest} {call}")
    return time.perf_counter() - start
print(min(seconds(call) for call in range(calls)))
`;

async function ownSeconds(dest, data, calls) {
  let best = Number.POSITIVE_INFINITY;
  for (let call = 0; call < calls; call++) {
    const start = performance.now();
    await writeMultiscale(
      pathToFileURL(`${dest} ${call}/`),
      { data, shape: [side, side] },
      { axes: ["y", "x"], levels: 3, chunkShape: [512, 512], codecs: "blosc:lz4:5:1", zarrFormat: 2 },
    );
    best = Math.min(best, (performance.now() - start) / 1000);
  }
  return best;
}

function theirSeconds(image, dest, calls) {
  const args = ["-c", script, image, dest, String(side), String(calls)];
  const { status, stdout, stderr } = spawnSync(python, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`zarr-python failed\n${stderr}`);
  return Number(stdout);
}

/**
 * @param {string} workDir for the images
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function multiscaleSuite(workDir) {
  const measure = async () => {
    const dir = path.join(workDir, "multiscale");
    mkdirSync(dir, { recursive: true });
    try {
      const data = corpora.microscopy.make(bytes);
      const image = path.join(dir, "image");
      writeFileSync(image, data);
      const calls = effort.calls + 2; // until the code is compiled
      const ours = await ownSeconds(path.join(dir, "own"), data, calls);
      return [speedRow(name, bytes, ours, theirSeconds(image, path.join(dir, "other"), calls))];
    } finally {
      rmSync(dir, { recursive: true });
    }
  };
  return [{ rows: [name], measure }];
}
