// Copies the declarations that the package's entries reach into dist/types, without comments about code.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { programEntries } from "./entries.mjs";
import { distDir, root } from "./paths.mjs";

const out = path.join(distDir, "types");

/** Modules that a declaration imports, by their relative paths. */
const imported = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;

const declarationOf = (file) => file.replace(/\.(m?)js$/, ".d.$1ts");

/** The comment of a file about its code, which editors do not show; not that of an entry, or of a declaration. */
const fileComment =
  /^\/\*\*(?:(?!@packageDocumentation|\*\/).)*\*\/\n(?=import |export (?:type )?[{*]|\/\*\*)/s;

/** Copies the declarations that the compiled entries reach into dist/types, with the same relative paths. */
export function copyTypes() {
  rmSync(out, { recursive: true, force: true });
  const copied = new Set();
  const copy = (file) => {
    if (copied.has(file) || !existsSync(file)) return;
    copied.add(file);
    const text = readFileSync(file, "utf8");
    const target = path.join(out, path.relative(distDir, file));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text.replace(fileComment, ""));
    for (const [, address] of text.matchAll(imported))
      copy(declarationOf(path.resolve(path.dirname(file), address)));
  };
  for (const { module, targets } of programEntries)
    if (targets.types?.startsWith("./dist/types/")) copy(declarationOf(module));
  copyFrameworks();
}

/** Declarations of <zarr-viewer> for frameworks: written by hand, as they augment packages that are not installed. */
function copyFrameworks() {
  cpSync(path.join(root, "web/viewer/frameworks"), path.join(out, "viewer/frameworks"), { recursive: true });
}
