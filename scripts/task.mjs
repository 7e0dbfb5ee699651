// npm run test:compat -- NAME [ARGS…] and npm run check -- NAME [ARGS…]: tests that are not part of npm test, one per
// file in scripts/compat and scripts/check. Without a name, lists them.
import { runMain, SetupError } from "./lib/process.mjs";

/** Descriptions of the tasks, by folder and file name. */
const tasks = {
  compat: {
    browsers: "the suite that all engines share, in Chromium, Firefox and WebKitGTK",
    bundlers: "the packed package in a fresh project per bundler",
    clients: "programs from npm that use zarrita, over the drop-in",
    cluster: "examples/cluster on a Slurm cluster of this one machine",
    compute: "random reductions against exact results and xarray",
    cpp: "the C++ library, installed, with GCC and Clang",
    edge: "examples/edge-tiles on workerd",
    files: "TIFF, HDF5, NetCDF and others, as written by their usual tools",
    frameworks: "<zarr-viewer> in React, Vue, Svelte and Observable Framework",
    maps: "examples/maps: OpenLayers, MapLibre GL and deck.gl",
    origins: "the tests of zarrita or numcodecs, from a checkout, over the drop-in",
    runtimes: "the packed package in a fresh project per runtime",
    views: "views of images, maps and grids against NumPy, matplotlib, cartopy and healpy",
  },
  check: {
    docs: "builds the site, and opens it in Chromium",
    guide: "follows the guides to codecs, stores, conventions and commands in a copy of the checkout",
    memory: "memory of copies of 2 and 10 GiB; takes 25 GB of disk, and minutes",
    reproducible: "builds the wasm modules in two folders and compares their bytes",
    screens: "screenshots of the viewer, in build/screens; errors, overflow and accessibility of each",
  },
};

runMain(async () => {
  const [folder, name, ...args] = process.argv.slice(2);
  const known = tasks[folder];
  if (name === undefined) {
    for (const [task, what] of Object.entries(known)) console.log(`${task.padEnd(14)}${what}`);
    return 0;
  }
  if (!Object.hasOwn(known, name))
    throw new SetupError(`"${name}" is not one of ${Object.keys(known).join(", ")}`);
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  await import(`./${folder}/${name}.mjs`);
  return process.exitCode;
});
