// Prepares the compiled library for bundlers that split code.
//
// esbuild assigns each module to the chunk of all entry points and `import()`s that reach it, where "reach" counts every
// import of a file that is used, whether or not that import is. Two of its effects would make `import { get, open }` twice
// as large:
//
// - A lazy part shares modules with what is loaded from the start, and each combination of parts becomes a chunk. If
//   every part imports what is loaded from the start, there is one combination, and one chunk.
// - A module that an entry re-exports and that a part uses too is loaded from the start by whoever imports anything from
//   that entry. A module in between, which is dropped if nothing uses it, breaks that path.
//
// All modules are free of side effects (package.json says so), so that neither changes what programs do.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { distDir } from "./paths.mjs";

/** What `open` and `get` load from the start. */
const start = ["hierarchy/open.js", "hierarchy/get.js"];
/** Modules that are loaded by `import()`, besides the parts. */
const otherParts = ["engine/embedded-modules.js", "store/file/store.js", "store/http/node.js"];
/** Entries whose re-exports may be of modules that parts use. */
const entries = ["index.js", "zarrita.js"];
const folder = "exports";

const read = (file) => readFileSync(path.join(distDir, file), "utf8");
const write = (file, text) => {
  mkdirSync(path.dirname(path.join(distDir, file)), { recursive: true });
  writeFileSync(path.join(distDir, file), text);
};
const relative = (from, to) => {
  const name = path.posix.relative(path.posix.dirname(from), to);
  return name.startsWith(".") ? name : `./${name}`;
};

/** The modules that a module of the library loads with itself. */
function loadedWith(file, seen = new Set()) {
  if (seen.has(file) || !existsSync(path.join(distDir, file))) return seen;
  seen.add(file);
  for (const [, name] of read(file).matchAll(/^(?:import|export)\b[^;"]*"(\.[^"]+\.js)";/gm))
    loadedWith(path.posix.join(path.posix.dirname(file), name), seen);
  return seen;
}

const parts = () => [
  ...readdirSync(distDir, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll(path.sep, "/"))
    .filter((file) => path.posix.basename(file) === "part.js" && !/^(?:viewer|cli|bundle|edge)\//.test(file)),
  ...otherParts,
];

/** Has every part import what is loaded from the start. */
function importStart(files) {
  const marker = "// What is loaded from the start, for one chunk of it.";
  for (const file of files) {
    const text = read(file);
    if (text.includes(marker)) continue;
    const imports = start.map((name) => `import "${relative(file, name)}";\n`);
    write(file, `${marker}\n${imports.join("")}${text}`);
  }
}

/** Re-exports modules that parts use by way of modules in between. */
function exportBetween(files) {
  const shared = new Set(files.flatMap((file) => [...loadedWith(file)]));
  for (const name of start) for (const file of loadedWith(name)) shared.delete(file);
  const between = new Map();
  for (const entry of entries) {
    const text = read(entry).replace(/^export \{([^}]*)\} from "\.\/([^"]+)";$/gm, (line, list, from) => {
      if (!shared.has(from)) return line;
      const names = list.split(",").flatMap((name) => (name.trim() ? [name.trim().split(/\s+as\s+/)] : []));
      const known = between.get(from) ?? new Set();
      for (const [name] of names) known.add(name);
      between.set(from, known);
      return `export {${list}} from "./${folder}/${from}";`;
    });
    write(entry, text);
  }
  for (const [from, names] of between) {
    const file = `${folder}/${from}`;
    const list = [...names];
    const imported = list.map((name) => `${name} as ${name}_`).join(", ");
    const exported = list.map((name) => `export const ${name} = ${name}_;\n`).join("");
    write(file, `import { ${imported} } from "${relative(file, from)}";\n${exported}`);
  }
}

/** Does both, for a library that has just been compiled. */
export function steerBundlers() {
  const files = parts();
  exportBetween(files);
  importStart(files);
}
