// Copies the declarations that the entries of a package reach, without comments about code.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Modules that a declaration imports, by their relative paths. */
const imported = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;

const declarationOf = (file) => file.replace(/\.(m?)js$/, ".d.$1ts");

/** The comment of a file about its code, which editors do not show; not that of an entry, or of a declaration. */
const fileComment =
  /^\/\*\*(?:(?!@packageDocumentation|\*\/).)*\*\/\n(?=import |export (?:type )?[{*]|\/\*\*)/s;

/**
 * Copies the declarations that compiled entries reach, with the same relative paths.
 * @param {{module: string, targets: Record<string, string>}[]} entries
 * @param {string} from the folder of the compiled modules
 * @param {string} out
 */
export function copyTypes(entries, from, out) {
  rmSync(out, { recursive: true, force: true });
  const copied = new Set();
  const copy = (file) => {
    if (copied.has(file) || !existsSync(file)) return;
    copied.add(file);
    const text = readFileSync(file, "utf8");
    const target = path.join(out, path.relative(from, file));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text.replace(fileComment, ""));
    for (const [, address] of text.matchAll(imported))
      copy(declarationOf(path.resolve(path.dirname(file), address)));
  };
  for (const { module, targets } of entries)
    if (targets.types?.startsWith("./dist/types/")) copy(declarationOf(module));
}
