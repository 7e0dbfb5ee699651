// System packages that the build and the tests need: how to detect them, and their Debian names.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { capture, run, SetupError, step, which } from "./process.mjs";

/** Modules of Python that write and read files of other formats: tests/files. */
const pythonModules = [
  "h5py",
  "netCDF4",
  "tifffile",
  "rasterio",
  "xarray",
  "astropy",
  "nibabel",
  "eccodes",
  "cfgrib",
];

const pythonModule = (name, use = "") => ({
  what: `${name} for /usr/bin/python3${use}`,
  debian: `python3-${name.toLowerCase()}`,
  has: () => pythonSays(`import ${name}; print("found")`).startsWith("found"),
});

/**
 * All requirements except Node and git. `has` looks for the program itself, so an Emscripten or a Chromium from
 * elsewhere serves as well as Debian's. `debian` names the packages that provide it, or is a function that returns its
 * name.
 */
const requirements = {
  emscripten: {
    what: "Emscripten 3.1.6 or newer (emcc on PATH, or emsdk at $EMSDK)",
    debian: "emscripten",
    has: () => findEmcc(),
  },
  cmake: { what: "CMake 3.22 or newer", debian: "cmake", has: () => which("cmake") },
  ninja: { what: "Ninja", debian: "ninja-build", has: () => which("ninja") },
  patch: { what: "patch", debian: "patch", has: () => which("patch") },
  xz: { what: "xz", debian: "xz-utils", has: () => which("xz") },
  bzip2: { what: "bzip2", debian: "bzip2", has: () => which("bzip2") },
  gcc: { what: "GCC 11 or newer (C and C++)", debian: "g++", has: () => which("g++") && which("gcc") },
  clang: { what: "Clang 14 or newer (C and C++)", debian: "clang", has: () => findClang() },
  sanitizers: {
    what: "Clang's sanitizer runtime",
    debian: clangRuntimePackage,
    has: () => hasRuntime("asan"),
  },
  fuzzer: { what: "Clang's libFuzzer", debian: clangRuntimePackage, has: () => hasRuntime("fuzzer") },
  googletest: { what: "GoogleTest", debian: "libgtest-dev", has: () => hasHeader("gtest/gtest.h") },
  blosc: { what: "c-blosc with its static library", debian: "libblosc-dev", has: () => hasHeader("blosc.h") },
  zstd: { what: "libzstd", debian: "libzstd-dev", has: () => hasHeader("zstd.h") },
  lz4: { what: "liblz4", debian: "liblz4-dev", has: () => hasHeader("lz4.h") },
  googlebenchmark: {
    what: "Google Benchmark",
    debian: "libbenchmark-dev",
    has: () => hasHeader("benchmark/benchmark.h"),
  },
  libdeflate: { what: "libdeflate", debian: "libdeflate-dev", has: () => hasHeader("libdeflate.h") },
  tiffcp: { what: "libtiff's tools", debian: "libtiff-tools", has: () => which("tiffcp") },
  cjpeg: { what: "libjpeg-turbo's tools", debian: "libjpeg-turbo-progs", has: () => which("cjpeg") },
  fpack: { what: "CFITSIO's tools", debian: "libcfitsio-bin", has: () => which("fpack") },
  zsh: { what: "zsh", debian: "zsh", has: () => which("zsh") },
  fish: { what: "fish", debian: "fish", has: () => which("fish") },
  nginx: { what: "nginx", debian: "nginx", has: () => findNginx() },
  zarrPython: {
    what: "zarr-python 2 for /usr/bin/python3",
    debian: "python3-zarr",
    has: () => hasZarrPython(),
  },
  zfpy: pythonModule("zfpy", ", with which zarr-python reads zfp"),
  msgpack: pythonModule("msgpack", ", with which zarr-python reads msgpack2"),
  ...Object.fromEntries(pythonModules.map((name) => [name, pythonModule(name)])),
  chromium: {
    what: "Chromium or Chrome",
    debian: ["chromium", "chromium-headless-shell"],
    has: () => findChromium(),
  },
  firefox: { what: "Firefox ($FIREFOX, or on PATH)", debian: "firefox-esr", has: () => findFirefox() },
  webkit: {
    what: "WebKitGTK's WebKitWebDriver (on PATH) and MiniBrowser ($MINIBROWSER)",
    debian: "webkit2gtk-driver",
    has: () => findWebKitDriver() && findMiniBrowser(),
  },
  slurmctld: { what: "Slurm's slurmctld", debian: "slurmctld", has: () => findDaemon("slurmctld") },
  slurmd: { what: "Slurm's slurmd", debian: "slurmd", has: () => findDaemon("slurmd") },
  sbatch: { what: "Slurm's sbatch", debian: "slurm-client", has: () => which("sbatch") },
  munge: { what: "MUNGE (munged)", debian: "munge", has: () => findDaemon("munged") },
  xvfb: { what: "Xvfb", debian: "xvfb", has: () => which("Xvfb") },
};

/** Names of requirements by kind of work. */
const needs = {
  sources: ["patch", "xz", "bzip2"],
  build: ["emscripten", "cmake", "ninja", "patch", "xz", "bzip2"],
  native: ["cmake", "ninja", "clang", "sanitizers", "googletest"],
  fuzz: ["cmake", "ninja", "clang", "sanitizers", "fuzzer"],
  library: ["cmake", "ninja", "patch", "xz", "bzip2", "gcc", "clang", "zstd"],
  node: ["nginx", "zarrPython", "zfpy", "msgpack", "zsh", "fish"],
  files: [...pythonModules, "cjpeg", "fpack", "tiffcp"],
  browser: ["chromium"],
  firefox: ["firefox"],
  webkit: ["webkit", "xvfb"],
  cluster: ["slurmctld", "slurmd", "sbatch", "munge"],
  bench: ["cmake", "ninja", "clang", "googlebenchmark", "blosc", "zstd", "lz4", "libdeflate"],
};

/** Path of emcc: of the emsdk in $EMSDK, else the one on PATH; undefined if there is none. */
export function findEmcc() {
  const { EMSDK } = process.env;
  const emcc = EMSDK && path.join(EMSDK, "upstream/emscripten/emcc");
  return emcc && existsSync(emcc) ? emcc : which("emcc");
}

/** Minimum version of Clang. */
const oldestClang = 14;

/** Path of clang++, or of the newest one with Debian's version suffix; undefined if there is none. */
export function findClang() {
  const plain = which("clang++");
  if (plain) return plain;
  const versions = (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((dir) => dir && existsSync(dir))
    .flatMap((dir) => readdirSync(dir))
    .map((name) => Number(/^clang\+\+-(\d+)$/.exec(name)?.[1]))
    .filter((version) => version >= oldestClang)
    .sort((a, b) => b - a);
  return versions.map((version) => which(`clang++-${version}`)).find(Boolean);
}

/** Debian's package of the runtime of the installed Clang; of its default Clang if none is installed. */
export function clangRuntimePackage() {
  const clang = findClang();
  const major = clang && /^(\d+)/.exec(capture(clang, ["-dumpversion"]))?.[1];
  return major ? `libclang-rt-${major}-dev` : "libclang-rt-dev";
}

/** Path of nginx, or undefined. */
export function findNginx() {
  return findDaemon("nginx");
}

/** Path of a program that Debian installs into an sbin folder outside the PATH of users, or undefined. */
function findDaemon(name) {
  return which(name) ?? [`/usr/sbin/${name}`, `/usr/local/sbin/${name}`].find((file) => existsSync(file));
}

/** Path of a Chromium: $CHROMIUM, else the usual names on PATH; or undefined. */
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"].map(which).find(Boolean);
}

/** Path of Chromium without windows, which starts and draws faster; else of a whole one; or undefined. */
export function findHeadlessShell() {
  return process.env.CHROMIUM ?? which("chromium-headless-shell") ?? findChromium();
}

/** Path of a Firefox: $FIREFOX, else the usual names on PATH; or undefined. */
export function findFirefox() {
  if (process.env.FIREFOX) return process.env.FIREFOX;
  return ["firefox-esr", "firefox"].map(which).find(Boolean);
}

/** Path of WebKitGTK's WebDriver server, or undefined. */
export function findWebKitDriver() {
  return which("WebKitWebDriver");
}

/** Path of WebKitGTK's own small browser: $MINIBROWSER, else the paths that distributions use; or undefined. */
export function findMiniBrowser() {
  if (process.env.MINIBROWSER) return process.env.MINIBROWSER;
  const libraries = ["/usr/lib", "/usr/libexec", "/usr/lib64"].filter(existsSync);
  const places = libraries.flatMap((dir) => [
    dir,
    ...readdirSync(dir)
      .filter((name) => name.endsWith("-linux-gnu"))
      .map((name) => `${dir}/${name}`),
  ]);
  return places
    .flatMap((dir) => ["4.1", "4.0"].map((version) => `${dir}/webkit2gtk-${version}/MiniBrowser`))
    .concat(places.map((dir) => `${dir}/webkitgtk-6.0/MiniBrowser`))
    .find(existsSync);
}

/** Whether Clang has a part of its runtime: "asan", "fuzzer". */
function hasRuntime(part) {
  const clang = findClang();
  if (!clang) return false;
  if (process.platform !== "linux") return true; // comes with the compiler elsewhere
  const arch = { x64: "x86_64", arm64: "aarch64" }[process.arch];
  const name = `libclang_rt.${part}-${arch}.a`;
  const file = capture(clang, [`-print-file-name=${name}`]).trim();
  return file !== name || existsSync(capture(clang, [`-print-file-name=libclang_rt.${part}.a`]).trim());
}

/** Whether the system's Python, for which Debian's packages are, can import zarr-python 2. */
function hasZarrPython() {
  return pythonSays("import zarr; print(zarr.__version__)").startsWith("2.");
}

/** Stdout of a program run by the system's Python; "" if it fails. */
function pythonSays(program) {
  const { status, stdout } = spawnSync("/usr/bin/python3", ["-c", program], { encoding: "utf8" });
  return status === 0 ? stdout : "";
}

function hasHeader(name) {
  return ["/usr", "/usr/local", "/opt/homebrew"].some((p) => existsSync(`${p}/include/${name}`));
}

function isDebian() {
  try {
    return /^ID(_LIKE)?=.*debian/m.test(readFileSync("/etc/os-release", "utf8")) && Boolean(which("apt-get"));
  } catch {
    return false;
  }
}

/** Names of the Debian packages that provide requirements. */
function packagesOf(missing) {
  return [...new Set(missing.flatMap(({ debian }) => (typeof debian === "function" ? debian() : debian)))];
}

function explain(missing) {
  const list = missing.map((r) => `  - ${r.what}`).join("\n");
  const packages = packagesOf(missing).join(" ");
  return (
    `some programs are missing:\n${list}\n` +
    `On Debian or Ubuntu, install them with\n  sudo apt-get install --no-install-recommends ${packages}\n` +
    "On other systems, install them with your package manager, then run the command again."
  );
}

/**
 * Makes sure that the programs for the given kinds of work are installed: installs missing ones on Debian as root,
 * otherwise throws one message that names everything missing.
 * @param {("sources" | "build" | "native" | "fuzz" | "library" | "node" | "files" | "browser" | "firefox" | "webkit" | "cluster"
 * | "bench")[]} kinds
 */
export function ensureSystem(kinds) {
  const unknown = kinds.find((kind) => !Object.hasOwn(needs, kind));
  if (unknown !== undefined)
    throw new SetupError(`unknown task "${unknown}"; expected one of ${Object.keys(needs).join(", ")}`);
  const wanted = [...new Set(kinds.flatMap((kind) => needs[kind]))].map((name) => requirements[name]);
  const missing = wanted.filter((r) => !r.has());
  if (missing.length === 0) return;
  if (!isDebian() || process.getuid?.() !== 0) throw new SetupError(explain(missing));
  const packages = packagesOf(missing);
  step(`Installing Debian packages: ${packages.join(" ")}`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  run("apt-get", ["update", "-qq"], { env });
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { env });
  const still = wanted.filter((r) => !r.has());
  if (still.length > 0) throw new SetupError(explain(still));
}
