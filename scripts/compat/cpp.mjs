// npm run test:compat -- cpp: tests the C++ library as an installed package. Builds it with GCC and with Clang,
// installs it into a separate folder, then builds examples/cpp and tests/library against it with CMake, and runs them.
//   npm run test:compat -- cpp gcc      one compiler
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { root, tempDir } from "../lib/paths.mjs";
import { attempt, capture, quiet, run, runMain, SetupError, step } from "../lib/process.mjs";
import { ensureSources } from "../lib/sources.mjs";
import { ensureSystem, findClang } from "../lib/system.mjs";

const compilers = {
  gcc: () => ({ c: "gcc", cxx: "g++" }),
  clang: () => ({ c: findClang().replace("clang++", "clang"), cxx: findClang() }),
};

function configure(source, build, { c, cxx }, options) {
  const chosen = [`-DCMAKE_CXX_COMPILER=${cxx}`, `-DCMAKE_C_COMPILER=${c}`];
  quiet("cmake", ["-S", source, "-B", build, "-G", "Ninja", ...chosen, ...options]);
}

/** Builds and installs the library. @returns the folder of the installation. */
function install(dir, name, compiler) {
  const build = path.join(root, "build/library", name); // kept, so that a second run is incremental
  configure(root, build, compiler, ["-DCMAKE_BUILD_TYPE=Release", "-DZW_INSTALL=ON", "-DZW_TESTS=OFF"]);
  run("cmake", ["--build", build, "--target", "zarr_wasm_core", "--", "--quiet"]);
  const prefix = path.join(dir, "prefix");
  quiet("cmake", ["--install", build, "--prefix", prefix]);
  return prefix;
}

/** Symbols that the archive exports in addition to the header. */
function foreignNames(prefix) {
  const archive = readdirSync(prefix, { recursive: true }).find((file) => file.endsWith("zarr_wasm_core.a"));
  if (archive === undefined) throw new SetupError("no archive was installed");
  const lines = capture("nm", ["-g", "--defined-only", path.join(prefix, archive)]).split("\n");
  const names = lines.flatMap((line) => /^[0-9a-f]+ \S (\S+)$/.exec(line)?.[1] ?? []);
  if (!names.some((name) => /zarr_wasm.*decode/.test(name))) throw new SetupError("nothing can be called");
  return names.filter((name) => !/^_ZN\w?9zarr_wasm/.test(name));
}

function testWith(name) {
  step(`The C++ library, built with ${name}`);
  const dir = mkdtempSync(path.join(tempDir(), `cpp-${name}-`));
  const compiler = compilers[name]();
  let failed = 0;
  const check = (what, holds) => {
    console.log(`  ${holds ? "✓" : "✗"} ${what}`);
    failed += holds ? 0 : 1;
  };
  try {
    const prefix = install(dir, name, compiler);
    if (process.platform === "linux") {
      const foreign = foreignNames(prefix);
      check(
        `exports no foreign names${foreign.length > 0 ? `: ${foreign.slice(0, 9).join(", ")}` : ""}`,
        foreign.length === 0,
      );
    }
    for (const [source, programs] of [
      ["examples/cpp", ["chunk"]],
      ["tests/library", ["consumer_plain", "consumer_bare"]],
    ]) {
      const build = path.join(dir, path.basename(source));
      configure(path.join(root, source), build, compiler, [`-DCMAKE_PREFIX_PATH=${prefix}`]);
      check(`${source} is built against it`, attempt("cmake", ["--build", build, "--", "--quiet"]));
      for (const program of programs) check(`${program} runs`, attempt(path.join(build, program), []));
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  return { name, failed };
}

runMain(async () => {
  const chosen = process.argv.slice(2);
  const names = chosen.length > 0 ? chosen : Object.keys(compilers);
  const unknown = names.find((name) => !Object.hasOwn(compilers, name));
  if (unknown)
    throw new SetupError(
      `unknown compiler "${unknown}"; expected one of ${Object.keys(compilers).join(", ")}`,
    );
  ensureSystem(["library"]);
  await ensureSources();
  const failed = names.map(testWith).reduce((sum, result) => sum + result.failed, 0);
  console.log(failed === 0 ? "all passed" : `${failed} failed`);
  return failed === 0 ? 0 : 1;
});
