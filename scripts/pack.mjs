// Packs the built package like `npm pack --ignore-scripts`, with links in its Markdown that work outside a checkout.
//   node scripts/pack.mjs [FOLDER]     writes the archive to a folder (default: the working directory)
// Relative links become absolute with the address of `repository` in package.json. Without it, only links to files of
// the package remain, and others become plain text.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packedFiles, withPackedLinks } from "./lib/packed-links.mjs";
import { buildDir, root } from "./lib/paths.mjs";
import { capture, runMain } from "./lib/process.mjs";

function main() {
  const staging = path.join(buildDir, "package");
  rmSync(staging, { recursive: true, force: true });
  const { repository } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const files = packedFiles();
  for (const file of files) {
    const [from, to] = [path.join(root, file), path.join(staging, file)];
    mkdirSync(path.dirname(to), { recursive: true });
    if (!file.endsWith(".md")) cpSync(from, to);
    else writeFileSync(to, withPackedLinks(file, readFileSync(from, "utf8"), { repository, files }));
  }
  const destination = path.resolve(process.argv[2] ?? ".");
  const packed = ["pack", staging, "--ignore-scripts", "--silent", "--pack-destination", destination];
  console.log(path.join(destination, capture("npm", packed).trim()));
  return 0;
}

runMain(main);
