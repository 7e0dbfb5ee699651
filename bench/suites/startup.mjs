// Time to the first chunk in a new process: loading the code, compiling the module, decoding.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inputBytes } from "../codecs.mjs";
import { effort, timeRow } from "../measure.mjs";

const script = fileURLToPath(new URL("../startup-process.mjs", import.meta.url));

const pairs = [
  ["zarr-wasm/codecs", "npm numcodecs"],
  ["zarr-wasm", "npm zarrita"],
];

/**
 * @param {string} dir for the encoded chunk
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function startupSuite(dir) {
  return pairs.map(([ours, theirs]) => {
    const name = `startup, import to first decoded chunk of 512 KiB, Node: ${ours} over ${theirs}`;
    return {
      rows: [name],
      measure: async () => {
        mkdirSync(dir, { recursive: true });
        const file = path.join(dir, "first chunk.bin");
        writeFileSync(file, await inputBytes("microscopy 512 KiB: blosc lz4 shuffle"));
        const best = { [ours]: Number.POSITIVE_INFINITY, [theirs]: Number.POSITIVE_INFINITY };
        for (let run = 0; run < effort.processes; run++)
          for (const library of [ours, theirs])
            best[library] = Math.min(best[library], startOnce(library, file));
        return [timeRow(name, "ms", best[ours], best[theirs])];
      },
    };
  });
}

/** Seconds reported by a new process. */
function startOnce(library, file) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, library, file], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`starting ${library} failed\n${stderr}`);
  return Number(stdout);
}
