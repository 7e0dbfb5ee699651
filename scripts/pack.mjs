// Packs the built package like `npm pack --ignore-scripts`, with links in its Markdown that work outside a checkout.
//   node scripts/pack.mjs [FOLDER]     writes the archive to a folder (default: the working directory)
//   node scripts/pack.mjs --check      fails if the Markdown of package pages has links that lead outside the package,
//                                      which npm pack runs first
// Relative links become absolute with the address of `repository` in package.json. Without it, only links to files of
// the package remain, and others become plain text.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deadLinks, packedFiles, withPackedLinks } from "./lib/packed-links.mjs";
import { buildDir, root } from "./lib/paths.mjs";
import { capture, runMain, SetupError } from "./lib/process.mjs";

/** Fields of package.json that its publisher fills in. */
const publisherFields = ["repository", "homepage", "bugs", "author"];

const read = (file) => readFileSync(path.join(root, file), "utf8");

/** npm's pages resolve relative links by the repository; without one, they must lead to files of the package. */
function check({ repository }, files) {
  const pages = repository ? [] : files.filter((file) => /^[^/]+\.md$/.test(file));
  const dead = pages.flatMap((file) => deadLinks(file, read(file), files).map((link) => `${file}: ${link}`));
  if (dead.length > 0) throw new SetupError(`links lead outside the package:\n  ${dead.join("\n  ")}`);
  return 0;
}

function main() {
  const manifest = JSON.parse(read("package.json"));
  const files = packedFiles();
  if (process.argv[2] === "--check") return check(manifest, files);
  const missing = publisherFields.filter((field) => manifest[field] === undefined);
  if (missing.length > 0) console.error(`package.json has no ${missing.join(", ")}`);
  const { repository } = manifest;
  const staging = path.join(buildDir, "package");
  rmSync(staging, { recursive: true, force: true });
  for (const file of files) {
    const [from, to] = [path.join(root, file), path.join(staging, file)];
    mkdirSync(path.dirname(to), { recursive: true });
    if (!file.endsWith(".md")) cpSync(from, to);
    else writeFileSync(to, withPackedLinks(file, read(file), { repository, files }));
  }
  const destination = path.resolve(process.argv[2] ?? ".");
  const packed = ["pack", staging, "--ignore-scripts", "--silent", "--pack-destination", destination];
  console.log(path.join(destination, capture("npm", packed).trim()));
  return 0;
}

runMain(main);
