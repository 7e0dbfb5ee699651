// The C libraries' sources (scripts/sources.json) under third_party/: the pinned upstream archive from
// the Debian source package, its hash checked, with the distribution's patches applied.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { downloadSourcePackages, hasAptSources } from "./apt-sources.mjs";
import { root, thirdPartyDir } from "./paths.mjs";
import { quiet, SetupError, step } from "./process.mjs";

const stampName = ".zarr-wasm-source";

/** @returns {Record<string, {debian: {source: string, version: string, archive: string, sha256: string}}>} */
function pinned() {
  return JSON.parse(readFileSync(path.join(root, "scripts/sources.json"), "utf8"));
}

function stampOf({ debian }) {
  return `${debian.archive} ${debian.sha256}\n`;
}

function isUnpacked(name, entry) {
  const stamp = path.join(thirdPartyDir, name, stampName);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === stampOf(entry);
}

/**
 * Makes sure that third_party/ holds every library. Where the machine has no Debian package sources
 * (or not at the pinned version), nothing is done and CMake fetches the upstream release instead.
 */
export function ensureSources() {
  const all = Object.entries(pinned());
  const missing = all.filter(([name, entry]) => !isUnpacked(name, entry));
  if (missing.length === 0 || !hasAptSources()) return;
  step(`Fetching C library sources: ${missing.map(([name]) => name).join(", ")}`);
  const downloads = downloadSourcePackages(missing.map(([, entry]) => entry.debian));
  for (const [name, entry] of missing) unpack(name, entry, downloads);
}

function unpack(name, entry, downloads) {
  const { source, version, archive, sha256 } = entry.debian;
  const file = path.join(downloads, archive);
  if (!existsSync(file)) {
    console.log(
      `  ${source} ${version} is not in this distribution; CMake will fetch the upstream release of ${name}`,
    );
    return;
  }
  const found = createHash("sha256").update(readFileSync(file)).digest("hex");
  if (found !== sha256) throw new SetupError(`${archive} has SHA-256 ${found}, expected ${sha256}`);

  const to = path.join(thirdPartyDir, name);
  const part = `${to}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  quiet("tar", ["xf", file, "-C", part, "--strip-components=1"]);
  applyPatches(part, debianArchive(downloads, source, version));
  writeFileSync(path.join(part, stampName), stampOf(entry));
  rmSync(to, { recursive: true, force: true });
  renameSync(part, to);
}

function debianArchive(downloads, source, version) {
  const found = readdirSync(downloads).filter(
    (f) => f.startsWith(`${source}_${version}-`) && /\.debian\.tar\.\w+$/.test(f),
  );
  if (found.length === 0) throw new SetupError(`no Debian patches found for ${source} ${version}`);
  return path.join(downloads, found.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1));
}

function applyPatches(dir, archive) {
  quiet("tar", ["xf", archive, "-C", dir]);
  const patches = path.join(dir, "debian/patches");
  if (!existsSync(path.join(patches, "series"))) return;
  const series = readFileSync(path.join(patches, "series"), "utf8").split("\n");
  for (const line of series.map((l) => l.replace(/#.*/, "").trim()).filter(Boolean)) {
    quiet("patch", ["-p1", "-s", "-i", path.join(patches, line.split(/\s+/)[0])], { cwd: dir });
  }
}
