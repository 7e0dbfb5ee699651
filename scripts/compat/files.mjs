// npm run test:compat -- files [FORMAT…]: files of other formats, written by h5py, netCDF4, tifffile, GDAL and others
// (tests/files, with Debian's Python), must give the same values and attributes as in their writer's own reader.
// Copies of NetCDF files must be identical to them in xarray. The files are in build/files.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { buildAll } from "../build.mjs";
import { buildDir, root } from "../lib/paths.mjs";
import { attempt, capture, runMain, SetupError, step } from "../lib/process.mjs";
import { runVitest, summarise } from "../lib/reports.mjs";
import { ensureSystem } from "../lib/system.mjs";

const home = path.join(root, "tests/files");
const out = path.join(buildDir, "files");
const formats = readdirSync(home).flatMap((name) => /^(.*)\.py$/.exec(name)?.[1] ?? []);

/** Runs the generator of a format. @returns whether it succeeded. */
function generate(format) {
  step(`Writing files: ${format}`);
  const folder = path.join(out, format);
  mkdirSync(folder, { recursive: true });
  return attempt("/usr/bin/python3", [path.join(home, `${format}.py`), folder]);
}

/** Copies NetCDF files to Zarr v2, and compares both in xarray. */
function compareCopies() {
  step("Copies of NetCDF files in xarray");
  const files = formats.flatMap((format) => {
    const folder = path.join(out, format);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.filter((name) => name.endsWith(".nc")).map((name) => path.join(folder, name));
  });
  if (files.length === 0) return { passed: 0, failed: 0 };
  const cli = path.join(root, "dist/cli/main.js");
  const copies = path.join(out, "copies");
  mkdirSync(copies, { recursive: true });
  const lines = capture("/usr/bin/python3", [
    path.join(home, "copies/compare.py"),
    cli,
    copies,
    ...files,
  ]).split("\n");
  const count = (word) => lines.filter((line) => line.startsWith(`${word} `)).length;
  for (const line of lines) if (!line.startsWith("same ")) console.log(`  ${line}`);
  return { passed: count("same"), failed: files.length - count("same") - count("skipped") };
}

runMain(async () => {
  const chosen = process.argv.slice(2);
  const unknown = chosen.find((name) => !formats.includes(name));
  if (unknown) throw new SetupError(`unknown format "${unknown}"; expected one of ${formats.join(", ")}`);
  ensureSystem(["build", "files"]);
  if (!process.env.ZARR_WASM_BUILT) await buildAll();
  const names = chosen.length > 0 ? chosen : formats;
  rmSync(out, { recursive: true, force: true });
  const failed = names.filter((format) => !generate(format));
  step("Reading them");
  const {
    passed,
    failed: wrong,
    skipped,
  } = runVitest("files", {
    args: ["tests/node/formats/files.test.ts"],
    env: { ZARR_WASM_FILES: out },
  });
  for (const name of failed) console.error(`  tests/files/${name}.py failed`);
  const copies = compareCopies();
  return summarise([
    { name: "files", passed, failed: wrong + failed.length, skipped },
    { name: "copies in xarray", ...copies },
  ]);
});
