// The Markdown of the package: its links must work on package pages and in node_modules, without the rest of the
// checkout.
import path from "node:path";
import { root } from "./paths.mjs";
import { capture } from "./process.mjs";
import { mapLinks } from "./site.mjs";

/** Files that npm packs, relative to the checkout. */
export function packedFiles() {
  const list = JSON.parse(capture("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root }));
  return Object.values(list)[0].files.map((file) => file.path);
}

/** The web address of a repository in package.json: "https://github.com/owner/name", or undefined. */
function addressOf(repository) {
  const url = typeof repository === "string" ? repository : repository?.url;
  return url?.replace(/^git\+/, "").replace(/\.git$/, "");
}

/**
 * Replaces relative links in a Markdown file of the package.
 * @param {string} file from the checkout's top
 * @param {string} text
 * @param {{repository?: string | {url: string}, files: string[]}} packed `repository` of package.json, and the
 *   packed files
 */
export function withPackedLinks(file, text, { repository, files }) {
  const address = addressOf(repository);
  const change = (target, isImage) => {
    if (/^(\w+:|#|\/\/)/.test(target)) return target;
    const [place, anchor] = target.split("#");
    const to = path.posix.normalize(path.posix.join(path.posix.dirname(file), place));
    if (address) return `${address}/${isImage ? "raw" : "blob"}/HEAD/${to}${anchor ? `#${anchor}` : ""}`;
    return files.includes(to) ? target : dead;
  };
  return mapLinks(text, change)
    .replaceAll(new RegExp(`!\\[[^\\]]*\\]\\(${dead}\\)\n*`, "g"), "")
    .replaceAll(new RegExp(`\\[([^\\]]*)\\]\\(${dead}\\)`, "g"), "$1");
}

/** Stands for the target of a link that leads outside the package. */
const dead = "outside-the-package";
