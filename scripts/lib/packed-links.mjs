// The Markdown of the package: its links must work on package pages and in node_modules, without the rest of the
// checkout.
import path from "node:path";
import { mapLinks } from "./site.mjs";

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
    if (!isRelative(target)) return target;
    const [, anchor] = target.split("#");
    const to = placeOf(file, target);
    if (address) return `${address}/${isImage ? "raw" : "blob"}/HEAD/${to}${anchor ? `#${anchor}` : ""}`;
    return files.includes(to) ? target : dead;
  };
  return mapLinks(text, change)
    .replaceAll(new RegExp(`!\\[[^\\]]*\\]\\(${dead}\\)\n*`, "g"), "")
    .replaceAll(new RegExp(`\\[([^\\]]*)\\]\\(${dead}\\)`, "g"), "$1");
}

/**
 * Relative links of a Markdown file of the package that lead outside it: dead on package pages and in node_modules.
 * @param {string} file from the checkout's top
 * @param {string} text
 * @param {string[]} files the packed files
 * @returns {string[]}
 */
export function deadLinks(file, text, files) {
  const found = [];
  mapLinks(text, (target) => {
    if (isRelative(target) && !files.includes(placeOf(file, target))) found.push(target);
    return target;
  });
  return found;
}

const isRelative = (target) => !/^(\w+:|#|\/\/)/.test(target);

/** The target of a link from the checkout's top, without its anchor. */
const placeOf = (file, target) =>
  path.posix.normalize(path.posix.join(path.posix.dirname(file), target.split("#")[0]));

/** Stands for the target of a link that leads outside the package. */
const dead = "outside-the-package";
