// Gets the C libraries' sources (scripts/sources.json) into third_party/: the pinned upstream archive from the Debian
// source package, its hash checked, with the distribution's patches applied. The origin of each is recorded beside it,
// and for a build in dist/wasm/sources.json.
//
// If the machine's own package sources do not have it (another system, a version that has left the mirror), the same
// archives come from the mirrors in scripts/mirrors.json, which keep every version; otherwise the upstream release,
// which CMake takes from third_party/archives and patches itself. docs/building.md has the whole order.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { downloadSourcePackages, hasAptSources } from "./apt-sources.mjs";
import { buildDir, root, thirdPartyDir } from "./paths.mjs";
import { capture, quiet, SetupError, step } from "./process.mjs";

const stampName = ".zarr-wasm-source";

/**
 * @returns {Record<string, {
 *   debian: {source: string, version: string, archive: string, sha256: string, sha1: string,
 *     patches: {archive: string, sha256: string, sha1: string}},
 *   upstream: {url: string, sha256: string}
 * }>} SHA-256 is verified; Debian's archive of old packages names its files by SHA-1.
 */
function pinned() {
  return readJson("scripts/sources.json");
}

const readJson = (file) => JSON.parse(readFileSync(path.join(root, file), "utf8"));

/** Record of the sources in third_party/<name>; undefined if there is none, or if they are not the pinned ones. */
function unpackedFrom(name, { debian }) {
  try {
    const stamp = JSON.parse(readFileSync(path.join(thirdPartyDir, name, stampName), "utf8"));
    return stamp.archive === debian.archive && stamp.sha256 === debian.sha256 ? stamp : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes sure that third_party/ holds every library, or third_party/archives its upstream release. If neither can be
 * downloaded, CMake tries once more (cmake/ThirdParty.cmake), and prints manual instructions.
 */
export function ensureSources() {
  const all = Object.entries(pinned());
  const missing = all.filter(([name, entry]) => !unpackedFrom(name, entry) && !isByHand(name));
  if (missing.length === 0) return;
  step(`Fetching C library sources: ${missing.map(([name]) => name).join(", ")}`);
  const downloads = hasAptSources() ? download(missing.map(([, entry]) => entry.debian)) : undefined;
  const left = missing.filter(([name, entry]) => !downloads || !unpack(name, entry, downloads));
  if (left.length > 0) fetchElsewhere(left);
}

const mirroredDir = path.join(buildDir, "apt/mirrored");
const archivesDir = path.join(thirdPartyDir, "archives");

/** Gets sources missing from the distribution's package sources: Debian's archives from mirrors, else upstream's. */
function fetchElsewhere(missing) {
  const mirrored = missing.flatMap(([, { debian, upstream }]) => [
    wanted(mirroredDir, debian.source, debian, upstream.sha256 === debian.sha256 ? [upstream.url] : []),
    wanted(mirroredDir, debian.source, debian.patches),
  ]);
  const found = fetchFiles(mirrored);
  const left = missing.filter(([name, entry]) => {
    const files = [entry.debian.archive, entry.debian.patches.archive];
    return !files.every((file) => found.has(file)) || !unpack(name, entry, mirroredDir);
  });
  const releases = left.flatMap(([, { debian, upstream }]) => {
    const file = path.join(archivesDir, path.posix.basename(upstream.url));
    if (existsSync(file)) return [];
    const isSame = upstream.sha256 === debian.sha256 && found.has(debian.archive);
    if (!isSame) return [{ file, sha256: upstream.sha256, urls: [upstream.url] }];
    mkdirSync(archivesDir, { recursive: true });
    copyFileSync(path.join(mirroredDir, debian.archive), file);
    return [];
  });
  fetchFiles(releases);
}

/** One of Debian's archives, by its hash, and its possible URLs. */
function wanted(folder, source, { archive, sha1, sha256 }, others = []) {
  const pool = `${source.startsWith("lib") ? source.slice(0, 4) : source[0]}/${source}`;
  const fields = { pool, archive: encodeURIComponent(archive), sha1 };
  const urls = readJson("scripts/mirrors.json").map((mirror) =>
    mirror.replace(/\{(\w+)\}/g, (_all, name) => fields[name]),
  );
  return { file: path.join(folder, archive), sha256, urls: [...urls, ...others] };
}

/**
 * Downloads files, each from the first URL that has it with the right hash.
 * @returns names of the downloaded files.
 */
function fetchFiles(files) {
  if (files.length === 0) return new Set();
  const script = path.join(root, "scripts/lib/download.mjs");
  const results = JSON.parse(capture(process.execPath, [script, JSON.stringify(files)]));
  for (const { failures, file, url } of results) {
    const name = path.basename(file);
    for (const failure of failures) console.log(`  ${name}: ${failure}`);
    if (url !== undefined) console.log(`  ${name}: from ${url}`);
  }
  return new Set(results.filter(({ isThere }) => isThere).map(({ file }) => path.basename(file)));
}

/** Whether sources in third_party/ were put there by hand. */
function isByHand(name) {
  const dir = path.join(thirdPartyDir, name);
  return existsSync(dir) && !existsSync(path.join(dir, stampName));
}

/** The folder of downloads, or undefined if the distribution's package sources cannot be reached. */
function download(packages) {
  try {
    return downloadSourcePackages(packages);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const reason = error.message.trim().split("\n").at(-1);
    console.log(`  the distribution's package sources cannot be reached (${reason})`);
    return undefined;
  }
}

/**
 * Origins of a build's C libraries: Debian's archives of the upstream release and of its patches, with Debian's
 * revision, or the upstream release.
 */
export function sourceRecords() {
  return Object.fromEntries(
    Object.entries(pinned()).map(([name, entry]) => {
      if (isByHand(name)) return [name, { folder: `third_party/${name}` }];
      return [name, unpackedFrom(name, entry) ?? { ...entry.upstream }];
    }),
  );
}

/** Manual instructions if the sources cannot be downloaded: files to put into third_party/archives. */
export function sourcesByHand() {
  const folder = path.join(thirdPartyDir, "archives");
  const missing = Object.entries(pinned()).filter(
    ([name, { upstream }]) =>
      !existsSync(path.join(thirdPartyDir, name)) &&
      !existsSync(path.join(folder, path.posix.basename(upstream.url))),
  );
  const files = missing.map(([, { upstream }]) => `  ${upstream.url}\n    SHA-256 ${upstream.sha256}`);
  return (
    "sources of C libraries are missing and cannot be downloaded. Either make a network available,\n" +
    `or download these files elsewhere, put them into ${path.relative(root, folder)}/ and run the command again:\n` +
    files.join("\n")
  );
}

const sha256Of = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Unpacks downloaded archives. @returns whether they exist. */
function unpack(name, entry, downloads) {
  const { source, version, archive, sha256 } = entry.debian;
  const file = path.join(downloads, archive);
  if (!existsSync(file)) {
    console.log(`  ${source} ${version} is not in this distribution`);
    return false;
  }
  const found = sha256Of(file);
  if (found !== sha256) throw new SetupError(`${archive} has SHA-256 ${found}, expected ${sha256}`);

  const to = path.join(thirdPartyDir, name);
  const part = `${to}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  quiet("tar", ["xf", file, "-C", part, "--strip-components=1"]);
  const patches = debianArchive(downloads, source, version);
  applyPatches(part, patches);
  const stamp = {
    package: source,
    revision: revisionOf(source, patches),
    archive,
    sha256,
    patches: path.basename(patches),
    patchesSha256: sha256Of(patches),
  };
  writeFileSync(path.join(part, stampName), `${JSON.stringify(stamp, null, 2)}\n`);
  rmSync(to, { recursive: true, force: true });
  renameSync(part, to);
  return true;
}

function debianArchive(downloads, source, version) {
  const found = readdirSync(downloads).filter(
    (f) => f.startsWith(`${source}_${version}-`) && /\.debian\.tar\.\w+$/.test(f),
  );
  if (found.length === 0) throw new SetupError(`no Debian patches found for ${source} ${version}`);
  return path.join(downloads, found.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1));
}

/** "libzstd_1.5.4+dfsg2-5.debian.tar.xz" → "1.5.4+dfsg2-5" */
function revisionOf(source, patches) {
  return path
    .basename(patches)
    .slice(source.length + 1)
    .replace(/\.debian\.tar\.\w+$/, "");
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
