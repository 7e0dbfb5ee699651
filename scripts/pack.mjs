// Packs the built packages like `npm pack --ignore-scripts`, with links in their Markdown that work outside a checkout.
//   node scripts/pack.mjs [FOLDER]     writes the archives to a folder (default: the working directory)
//   node scripts/pack.mjs --check      fails if the Markdown of package pages has links that lead outside the package,
//                                      which npm pack runs first
// Relative links become absolute with the address of `repository` in package.json. Without it, only links to files of
// the package remain, and others become plain text.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packages, packedFiles, packFolder } from "./lib/packages.mjs";
import { deadLinks, withPackedLinks } from "./lib/packed-links.mjs";
import { buildDir, root } from "./lib/paths.mjs";
import { runMain, SetupError } from "./lib/process.mjs";

/** Fields of package.json that its publisher fills in. */
const publisherFields = ["repository", "homepage", "bugs", "author"];

const read = (file) => readFileSync(path.join(root, file), "utf8");
const manifest = JSON.parse(read("package.json"));

/** npm's pages resolve relative links by the repository; without one, they must lead to files of the package. */
function check() {
  const files = packedFiles(root).files.map((file) => file.path);
  const pages = manifest.repository ? [] : files.filter((file) => /^[^/]+\.md$/.test(file));
  const dead = pages.flatMap((file) => deadLinks(file, read(file), files).map((link) => `${file}: ${link}`));
  if (dead.length > 0) throw new SetupError(`links lead outside the package:\n  ${dead.join("\n  ")}`);
  return 0;
}

/** The publisher's fields of the first package.json, for another package. */
function publisherValues(directory) {
  const values = publisherFields.map((field) => [field, manifest[field]]).filter(([, value]) => value);
  const { repository, ...others } = Object.fromEntries(values);
  if (!repository) return others;
  return {
    ...others,
    repository: { type: "git", ...(repository.url ? repository : { url: repository }), directory },
  };
}

/** Copies the files of a package into a folder, and packs that. @returns the archive */
function pack(name, folder, destination) {
  const staging = path.join(buildDir, "package", name);
  rmSync(staging, { recursive: true, force: true });
  const inside = path.relative(root, folder).replaceAll(path.sep, "/");
  const files = packedFiles(folder).files.map((file) => path.posix.join(inside, file.path));
  for (const file of files) {
    const to = path.join(staging, path.relative(inside, file));
    mkdirSync(path.dirname(to), { recursive: true });
    if (!file.endsWith(".md")) cpSync(path.join(root, file), to);
    else writeFileSync(to, withPackedLinks(file, read(file), { repository: manifest.repository, files }));
  }
  const list = path.join(staging, "package.json");
  const own = JSON.parse(readFileSync(list, "utf8"));
  if (inside !== "") writeFileSync(list, JSON.stringify({ ...own, ...publisherValues(inside) }, null, 2));
  return packFolder(staging, destination);
}

function main() {
  if (process.argv[2] === "--check") return check();
  const missing = publisherFields.filter((field) => manifest[field] === undefined);
  if (missing.length > 0) console.error(`package.json has no ${missing.join(", ")}`);
  const destination = path.resolve(process.argv[2] ?? ".");
  for (const [name, folder] of Object.entries(packages)) console.log(pack(name, folder, destination));
  return 0;
}

runMain(main);
