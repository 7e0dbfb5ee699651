// npm run test:compat -- files [FORMAT…]: files of other formats, written by h5py, netCDF4, tifffile, GDAL and others
// (tests/files/FORMAT.py, with Debian's Python), must give the same values and attributes as in their writer's own reader.
// The files are in build/files.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { buildAll } from "../build.mjs";
import { buildDir, root } from "../lib/paths.mjs";
import { attempt, runMain, SetupError, step } from "../lib/process.mjs";
import { runVitest, summarise } from "../lib/reports.mjs";
import { ensureSystem } from "../lib/system.mjs";

const home = path.join(root, "tests/files");
const out = path.join(buildDir, "files");
const formats = readdirSync(home).flatMap((name) => /^(.*)\.py$/.exec(name)?.[1] ?? []);

/** Runs the generator of a format. @returns whether it succeeded. */
function generate(format) {
  step(`Writing files: ${format}`);
  const folder = path.join(out, format);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return attempt("/usr/bin/python3", [path.join(home, `${format}.py`), folder]);
}

runMain(async () => {
  const chosen = process.argv.slice(2);
  const unknown = chosen.find((name) => !formats.includes(name));
  if (unknown)
    throw new SetupError(`unknown format "${unknown}"; expected one of ${formats.join(", ")}`);
  ensureSystem(["build", "files"]);
  if (!process.env.ZARR_WASM_BUILT) await buildAll();
  const names = chosen.length > 0 ? chosen : formats;
  rmSync(out, { recursive: true, force: true });
  const failed = names.filter((format) => !generate(format));
  step("Reading them");
  const { passed, failed: wrong, skipped } = runVitest("files", {
    args: ["tests/node/formats/files.test.ts"],
    env: { ZARR_WASM_FILES: out },
  });
  for (const name of failed) console.error(`  tests/files/${name}.py failed`);
  return summarise([{ name: "files", passed, failed: wrong + failed.length, skipped }]);
});
