// The set-up behind `npm start` and `npm test`: other machines, copied checkouts, no network.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { skipFor, unsupportedSystem } from "../../shared/skips.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
let dir = "";

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "zarr-wasm-set-up-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A program that is found on the path. */
function addProgram(name: string, body: string): void {
  mkdirSync(path.join(dir, "bin"), { recursive: true });
  writeFileSync(path.join(dir, "bin", name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}

/** Runs a module in the folder, with the programs of this test before (or instead of) the machine's. */
function run(code: string, { alone = false } = {}) {
  const bin = path.join(dir, "bin");
  const env = { ...process.env, PATH: alone ? bin : `${bin}:${process.env["PATH"]}` };
  const args = ["--input-type=module", "-e", code];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: dir,
    env,
    encoding: "utf8",
    timeout: 20_000,
  });
  return { text: stdout + stderr, status };
}

const importFrom = (checkout: string, name: string) =>
  `await import(${JSON.stringify(path.join(checkout, "scripts/lib", name))})`;

describe("set-up", skipFor(unsupportedSystem(process.platform !== "win32")), () => {
  it("asks for the runtime of the installed Clang", () => {
    const code = `console.log((${importFrom(root, "system.mjs")}).clangRuntimePackage())`;
    addProgram("other", "");
    expect(run(code, { alone: true }).text).toBe("libclang-rt-dev\n");
    addProgram("clang++-9", "echo 9.0.1");
    addProgram("clang++-16", "echo 16.0.6");
    addProgram("clang++-19", "echo 19.1.7");
    expect(run(code, { alone: true }).text).toBe("libclang-rt-19-dev\n");
    addProgram("clang++", "echo 21.1.0");
    expect(run(code, { alone: true }).text).toBe("libclang-rt-21-dev\n");
  });

  it("reconfigures another checkout's configuration, and keeps files that are not CMake's", () => {
    const build = path.join(dir, "build/sanitize");
    const findings = path.join(build, "findings/a");
    const configure = (source: string, toolchain = "", launcher = "") => {
      mkdirSync(path.dirname(findings), { recursive: true });
      writeFileSync(findings, "");
      writeFileSync(path.join(build, "build.ninja"), "");
      const cache = [`CMAKE_HOME_DIRECTORY:INTERNAL=${source}`, `CMAKE_CACHEFILE_DIR:INTERNAL=${build}`];
      if (toolchain) cache.push(`CMAKE_TOOLCHAIN_FILE:FILEPATH=${toolchain}`);
      if (launcher) cache.push(`CMAKE_C_COMPILER_LAUNCHER:UNINITIALIZED=${launcher}`);
      writeFileSync(path.join(build, "CMakeCache.txt"), `${cache.join("\n")}\n`);
    };
    const code = `console.log((${importFrom(root, "build.mjs")}).isConfigured(${JSON.stringify(build)}))`;
    configure(root);
    expect(run(code).text).toBe("true\n");
    for (const [source, toolchain, launcher] of [
      [dir],
      [path.join(dir, "gone")],
      [root, path.join(dir, "gone.cmake")],
      [root, "", path.join(dir, "ccache")],
    ]) {
      configure(source!, toolchain, launcher);
      expect(run(code).text).toBe("false\n");
      expect(existsSync(path.join(build, "CMakeCache.txt"))).toBe(false);
      expect(existsSync(findings)).toBe(true);
    }
    // Emscripten has changed since the build was configured: a new emsdk, for example.
    const toolchains = [path.join(dir, "old.cmake"), path.join(dir, "new.cmake")] as const;
    for (const file of toolchains) writeFileSync(file, "");
    const codeFor = (wanted: string) => code.replace(/\)\)$/, `, ${JSON.stringify(wanted)}))`);
    configure(root, toolchains[0]);
    expect(run(codeFor(toolchains[0])).text).toBe("true\n");
    expect(run(codeFor(toolchains[1])).text).toBe("false\n");
    expect(existsSync(path.join(build, "CMakeCache.txt"))).toBe(false);
  });

  it("finds Emscripten on the path, and before that where EMSDK says", () => {
    const code = `console.log((${importFrom(root, "system.mjs")}).findEmcc())`;
    addProgram("emcc", "");
    const onPath = path.join(dir, "bin/emcc");
    expect(run(code, { alone: true }).text).toBe(`${onPath}\n`);
    const sdk = path.join(dir, "emsdk");
    const findWith = `process.env.EMSDK = ${JSON.stringify(sdk)}; ${code}`;
    expect(run(findWith, { alone: true }).text).toBe(`${onPath}\n`);
    const emcc = path.join(sdk, "upstream/emscripten/emcc");
    mkdirSync(path.dirname(emcc), { recursive: true });
    writeFileSync(emcc, "");
    expect(run(findWith, { alone: true }).text).toBe(`${emcc}\n`);
  });

  it("refuses unknown suites before it sets anything up", () => {
    const args = [path.join(root, "scripts/test.mjs"), "nonsense"];
    const { stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 20_000 });
    expect([status, stderr]).toEqual([1, expect.stringContaining('unknown suite "nonsense"')]);
  });
});
