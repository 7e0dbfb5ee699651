// Builds the wasm modules with CMake, the library and command line with tsc, and the viewer with Rolldown.
// Every step is incremental.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { programEntries } from "./entries.mjs";
import { buildDir, distDir, root, wasmModules } from "./paths.mjs";
import { capture, findTool, quiet, run, SetupError, step, which } from "./process.mjs";
import { sourceRecords, sourcesByHand } from "./sources.mjs";
import { findClang, findEmcc } from "./system.mjs";
import { copyTypes } from "./types.mjs";

/** Emscripten's CMake toolchain file, beside its emcc. */
function emscriptenToolchain() {
  const emcc = findEmcc();
  if (!emcc) throw new SetupError("emcc is neither at $EMSDK nor on PATH");
  const places = [path.dirname(realpathSync(emcc)), "/usr/share/emscripten"];
  const file = places
    .map((dir) => path.join(dir, "cmake/Modules/Platform/Emscripten.cmake"))
    .find(existsSync);
  if (!file) throw new SetupError(`Emscripten.cmake was not found beside ${emcc}`);
  return file;
}

/**
 * Debian's Emscripten looks for the packages of its JavaScript optimiser there; others bring their own.
 * Evaluated lazily, as the set-up may have just installed them.
 */
function emscriptenEnv(toolchain) {
  const isDebians = toolchain.startsWith("/usr/share/emscripten/") && existsSync("/usr/share/nodejs");
  // A version manager's python3 on PATH would double the time that emcc takes to start, once per file.
  return isDebians ? { NODE_PATH: "/usr/share/nodejs", EMSDK_PYTHON: "/usr/bin/python3" } : {};
}

/** Files in which CMake and Ninja store absolute paths; a build folder may hold others. */
const placesKnown = ["CMakeCache.txt", "CMakeFiles", "build.ninja", ".ninja_deps", ".ninja_log", "_deps"];

/**
 * Whether a build folder is configured for this checkout. CMake would refuse or keep a configuration that was copied
 * with another checkout, or that names a missing or unwanted toolchain: it is removed.
 */
export function isConfigured(dir, wanted) {
  const cache = path.join(dir, "CMakeCache.txt");
  if (!existsSync(cache)) return false;
  const text = readFileSync(cache, "utf8");
  const cached = (name) => new RegExp(`^${name}:\\w+=(.*)$`, "m").exec(text)?.[1];
  const isAt = (name, place) => {
    const value = cached(name);
    return value !== undefined && existsSync(value) && realpathSync(value) === realpathSync(place);
  };
  const toolchain = cached("CMAKE_TOOLCHAIN_FILE");
  const launcher = cached("CMAKE_C_COMPILER_LAUNCHER");
  if (
    isAt("CMAKE_HOME_DIRECTORY", root) &&
    isAt("CMAKE_CACHEFILE_DIR", dir) &&
    [toolchain, launcher].every((file) => file === undefined || existsSync(file)) &&
    (wanted === undefined || toolchain === wanted)
  )
    return existsSync(path.join(dir, "build.ninja"));
  for (const name of placesKnown) rmSync(path.join(dir, name), { recursive: true, force: true });
  return false;
}

function configure(dir, options, env, source = root) {
  try {
    quiet("cmake", ["-S", source, "-B", dir, "-G", "Ninja", ...options], { env });
  } catch (error) {
    // CMake's own message is long, and hidden among others.
    if (/zw_\w+-populate|Each download failed/.test(error.message)) throw new SetupError(sourcesByHand());
    throw error;
  }
}

function cmake(dir, options, targets, env) {
  if (!isConfigured(dir)) configure(dir, options, env);
  run("cmake", ["--build", dir, "--target", ...targets, "--", "--quiet"], { env });
}

/**
 * Builds the WebAssembly modules with their Embind glue, in a build folder.
 * @param source the checkout: this one, or a copy.
 */
export function compileWasm(dir, targets = wasmModules, source = root) {
  const toolchain = emscriptenToolchain();
  const options = [`-DCMAKE_TOOLCHAIN_FILE=${toolchain}`, "-DCMAKE_BUILD_TYPE=Release"];
  const env = emscriptenEnv(toolchain);
  if (source !== root || !isConfigured(dir, toolchain)) configure(dir, options, env, source);
  run("cmake", ["--build", dir, "--target", ...targets, "--", "--quiet"], { env });
}

const wasmDir = path.join(buildDir, "wasm");

/** Builds the modules, or other targets of CMake, in build/wasm. */
export function buildWasm(targets = wasmModules) {
  step(`Building ${targets.map((name) => `${name}.wasm`).join(", ")}`);
  compileWasm(wasmDir, targets);
}

/** Copies built modules with their glue into dist/wasm. */
export function copyWasm() {
  const out = path.join(distDir, "wasm");
  mkdirSync(out, { recursive: true });
  for (const name of wasmModules) {
    copyIfNewer(path.join(wasmDir, `${name}.wasm`), path.join(out, `${name}.wasm`));
    minifyGlue(path.join(wasmDir, `${name}.mjs`), path.join(out, `${name}.mjs`));
  }
  writeRecord(path.join(out, "sources.json"));
}

/** Writes the sources of the modules: the C libraries and the compiler. */
function writeRecord(file) {
  const emscripten = capture(findEmcc(), ["-dumpversion"]).trim();
  writeIfChanged(file, `${JSON.stringify({ emscripten, libraries: sourceRecords() }, null, 2)}\n`);
}

/** Keeps the time of a file that has this text already. */
function writeIfChanged(file, text) {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

function isNewer(from, to) {
  return !existsSync(to) || statSync(from).mtimeMs > statSync(to).mtimeMs;
}

function copyIfNewer(from, to) {
  if (isNewer(from, to)) copyFileSync(from, to);
}

/**
 * Minifies the glue: Emscripten leaves comments and long names in it. Removes its use of its own URL, which it does
 * not need, and which would make bundlers emit its module a second time.
 */
function minifyGlue(from, to) {
  if (!isNewer(from, to) && !isNewer(fileURLToPath(import.meta.url), to)) return;
  const text = capture(findTool("esbuild"), [
    from,
    "--minify",
    "--format=esm",
    "--target=es2022",
    '--define:import.meta.url=""',
    "--log-level=error",
  ]);
  writeFileSync(to, text);
}

/** Builds the native core, its tests or benchmarks. ccache, if it is installed, keeps objects across build folders. */
export function buildNative(preset, targets, options = []) {
  const clang = findClang();
  const compilers = clang
    ? [`-DCMAKE_CXX_COMPILER=${clang}`, `-DCMAKE_C_COMPILER=${clang.replace("clang++", "clang")}`]
    : [];
  const ccache = which("ccache");
  const launchers = ccache
    ? ["C", "CXX"].map((language) => `-DCMAKE_${language}_COMPILER_LAUNCHER=${ccache}`)
    : [];
  const dir = path.join(buildDir, preset);
  cmake(dir, [`--preset=${preset}`, ...compilers, ...launchers, ...options], targets, {});
  return dir;
}

/**
 * Runs tsc on a project. An incremental compiler trusts its build info: if `output` is missing, the build info is
 * removed.
 */
export function compileProject(config, output) {
  const notes = path.join(buildDir, "ts", `${path.basename(path.dirname(config))}.tsbuildinfo`);
  if (!existsSync(output)) rmSync(notes, { force: true });
  run(findTool("tsc"), ["-p", config]);
  removeOrphans(path.join(root, path.dirname(config)), path.dirname(output));
}

/** Removes compiled files whose sources were deleted: tsc leaves them, and the package would contain them. */
function removeOrphans(sources, outputs) {
  for (const file of readdirSync(outputs, { recursive: true })) {
    if (!file.endsWith(".d.ts")) continue;
    const name = file.slice(0, -".d.ts".length);
    // Built by separate projects, and by bundles.mjs.
    const isElsewhere = /^(cli|types)[\\/]|^workers[\\/]worker$/.test(name);
    const isSource = (ending) => existsSync(path.join(sources, name + ending));
    if (isElsewhere || isSource(".ts") || isSource(".d.ts")) continue;
    for (const ending of [".d.ts", ".js", ".js.map"])
      rmSync(path.join(outputs, name + ending), { force: true });
  }
}

/** Writes the types of files that are not compiled: the glue, to which the library's types refer, and `worker.js`. */
function writeDeclarations() {
  const from = path.join(root, "web/src/wasm");
  mkdirSync(path.join(distDir, "wasm"), { recursive: true });
  for (const file of readdirSync(from)) copyIfNewer(path.join(from, file), path.join(distDir, "wasm", file));
  const worker = 'export { startWorker } from "./worker-main.js";\n';
  writeIfChanged(path.join(distDir, "workers/worker.d.ts"), worker);
}

/** Compiles the library and the command line into dist. */
export function compileLibrary() {
  step("Compiling TypeScript");
  compileProject("web/src/tsconfig.json", path.join(distDir, "index.js"));
  writeDeclarations();
  compileProject("web/cli/tsconfig.json", path.join(distDir, "cli/main.js"));
  copyTypes(programEntries, distDir, path.join(distDir, "types"));
}

/**
 * Bundles the compiled library.
 * @param {"entries" | "copies"} part the entries of the package and the scripts of workers; or the files that contain
 *   copies of the wasm modules
 */
export function bundleLibrary(part) {
  run(process.execPath, [path.join(root, "scripts/lib/bundles.mjs"), part]);
}
