// Follows docs/adding-a-codec.md with a toy filter in a copy of the checkout, changing only the files that the guide
// names. The copy must build, and every test that depends on the lists of codecs must pass.
//
//   npm run check -- guide [--native]     --native: also the native tests, which take longer
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { filesOfGuide, toyEdits } from "../lib/guide.mjs";
import { root, tempDir } from "../lib/paths.mjs";
import { capture, run, runMain, step } from "../lib/process.mjs";

/** Filters of Vitest for the tests that check the lists of codecs. */
const tests = ["guide", "mirrors", "matrix", "codecs", "parts", "mutations", "vlen", "layers"];

function copyCheckout(to) {
  for (const file of capture("git", ["-C", root, "ls-files"]).split("\n").filter(Boolean)) {
    if (!existsSync(path.join(root, file))) continue;
    mkdirSync(path.dirname(path.join(to, file)), { recursive: true });
    cpSync(path.join(root, file), path.join(to, file));
  }
  for (const folder of ["node_modules", "third_party"]) {
    if (existsSync(path.join(root, folder))) symlinkSync(path.join(root, folder), path.join(to, folder));
  }
}

function follow(dir) {
  for (const { file, isNew, isWritten } of filesOfGuide()) {
    if (isWritten) continue;
    const place = path.join(dir, file);
    if (existsSync(place) === isNew)
      throw new Error(`${file} ${isNew ? "exists already" : "does not exist"}`);
    writeFileSync(place, toyEdits[file](isNew ? "" : readFileSync(place, "utf8")));
  }
}

function main() {
  const dir = mkdtempSync(path.join(tempDir(), "guide-"));
  try {
    step(`Following the guide in ${dir}`);
    copyCheckout(dir);
    follow(dir);
    const node = (...args) => run(process.execPath, args, { cwd: dir });
    node("scripts/build.mjs");
    const vitest = (files, env = {}) =>
      run(path.join(root, "node_modules/.bin/vitest"), ["run", ...files], { cwd: dir, env });
    vitest(["tests/node/project/support-matrix.test.ts"], { ZARR_WASM_WRITE_SUPPORT: "1" });
    vitest(tests);
    if (process.argv.includes("--native")) node("scripts/test.mjs", "native");
    step("The guide names every file that is needed");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

runMain(main);
