// Follows the guides of docs/ with their examples in a copy of the checkout, changing only the files that they name.
// The copy must build, and the tests that depend on the lists of such parts must pass.
//
//   npm run check -- guide [codec] [store] [convention] [command] [--native]
//
// Default: all. Without codec, it uses the wasm modules of dist. --native: also the native tests, which take longer
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
import { editsOfGuide, filesOfGuide, guides } from "../lib/guide.mjs";
import { distDir, root, tempDir } from "../lib/paths.mjs";
import { capture, run, runMain, SetupError, step } from "../lib/process.mjs";

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

function follow(guide, dir) {
  const edits = editsOfGuide(guide);
  for (const { file, isNew, command } of filesOfGuide(guide)) {
    if (command) continue;
    const place = path.join(dir, file);
    if (existsSync(place) === isNew)
      throw new Error(`${file} ${isNew ? "exists already" : "does not exist"}`);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, edits[file](isNew ? "" : readFileSync(place, "utf8")));
  }
}

function main() {
  const asked = process.argv.slice(2).filter((arg) => arg !== "--native");
  const unknown = asked.find((name) => !Object.hasOwn(guides, name));
  if (unknown) throw new SetupError(`"${unknown}" is not one of ${Object.keys(guides).join(", ")}`);
  const names = asked.length > 0 ? asked : Object.keys(guides);
  const followed = names.map((name) => guides[name]);
  const dir = mkdtempSync(path.join(tempDir(), "guide-"));
  const sh = (command) => run("sh", ["-c", command], { cwd: dir });
  try {
    step(`Following ${names.join(", ")} in ${dir}`);
    copyCheckout(dir);
    for (const guide of followed) follow(guide, dir);
    if (!names.includes("codec")) cpSync(distDir, path.join(dir, "dist"), { recursive: true });
    sh(`npm run build${names.includes("codec") ? "" : " -- bundles"}`);
    for (const command of new Set(followed.flatMap(filesOfGuide).flatMap((file) => file.command ?? [])))
      sh(command);
    sh(`npx vitest run guides ${[...new Set(followed.flatMap(({ tests }) => tests))].join(" ")}`);
    if (process.argv.includes("--native")) sh("npm test -- native");
    step("The guides name every file that is needed");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

runMain(main);
