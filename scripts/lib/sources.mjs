// Gets the C libraries' sources (scripts/sources.json) into third_party/: the pinned upstream archive from the Debian
// source package, its hash checked, with the distribution's patches applied. The origin of each is recorded beside it,
// and for a build in dist/wasm/sources.json.
//
// The archives come from the sites of apt or, if those do not have them (another system, a version that has left the
// site), from the mirrors in scripts/mirrors.json, which keep every version by its SHA-1; otherwise the upstream
// release, which CMake takes from third_party/archives and patches itself. docs/building.md has the whole order.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { buildDir, root, thirdPartyDir } from "./paths.mjs";
import { capture, quiet, step } from "./process.mjs";

const stampName = ".zarr-wasm-source";
const downloads = path.join(buildDir, "sources");
const archivesDir = path.join(thirdPartyDir, "archives");

/** Timeout of one URL in milliseconds, and maximum size of a file in bytes. */
const patience = 60_000;
const maxBytes = 64 * 2 ** 20;

/**
 * @returns {Record<string, {
 *   debian: {source: string, version: string, archive: string, sha256: string, sha1: string,
 *     patches?: {archive: string, sha256: string, sha1: string}},
 *   upstream: {url: string, sha256: string}
 * }>} SHA-256 is verified; Debian's archive of old packages names its files by SHA-1. `patches` is missing if the
 *   distribution's revision changes no source file.
 */
const pinned = () => readJson("scripts/sources.json");

const readJson = (file) => JSON.parse(readFileSync(path.join(root, file), "utf8"));

/** Record of the sources in third_party/<name>; undefined if there is none, or if they are not the pinned ones. */
function unpackedFrom(name, { debian }) {
  try {
    const stamp = JSON.parse(readFileSync(path.join(thirdPartyDir, name, stampName), "utf8"));
    const isPinned = stamp.sha256 === debian.sha256 && stamp.patchesSha256 === debian.patches?.sha256;
    return isPinned ? stamp : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes sure that third_party/ holds every library, or third_party/archives its upstream release. If neither can be
 * downloaded, CMake tries once more (cmake/ThirdParty.cmake), and prints manual instructions.
 */
export async function ensureSources() {
  const all = Object.entries(pinned());
  const missing = all.filter(([name, entry]) => !unpackedFrom(name, entry) && !isByHand(name));
  if (missing.length === 0) return;
  step(`Fetching C library sources: ${missing.map(([name]) => name).join(", ")}`);
  mkdirSync(downloads, { recursive: true });
  const sites = aptSites();
  const packages = missing.flatMap(([, { debian, upstream }]) => [
    debianFile(debian.source, debian, sites, upstream.sha256 === debian.sha256 ? [upstream.url] : []),
    ...(debian.patches ? [debianFile(debian.source, debian.patches, sites)] : []),
  ]);
  const found = await fetchAll(packages);
  const left = missing.filter(([name, { debian, upstream }]) => {
    if (![debian, debian.patches].every((file) => !file || found.has(file.archive))) return true;
    unpack(name, debian, upstream);
    return false;
  });
  await fetchAll(left.flatMap(([, entry]) => release(entry, found)));
}

/** The distribution's own sites, from which apt downloads packages; none on systems without apt. */
function aptSites() {
  try {
    const codename = /^VERSION_CODENAME=(\S+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
    const list = capture("apt-get", ["update", "--print-uris"]);
    const ofRelease = new RegExp(`^'(.+)/dists/${codename}(?:-updates|-security)?/InRelease'`, "gm");
    return [...new Set([...list.matchAll(ofRelease)].map(([, site]) => site))];
  } catch {
    return [];
  }
}

/** One of Debian's archives, by its hash, and its possible URLs. */
function debianFile(source, { archive, sha1, sha256 }, sites, others = []) {
  const pool = `main/${source.startsWith("lib") ? source.slice(0, 4) : source[0]}/${source}`;
  const ofSites = sites.map(
    (site) => `${site}/pool/${/security$/.test(site) ? "updates/" : ""}${pool}/${archive}`,
  );
  const mirrors = readJson("scripts/mirrors.json").map((mirror) => mirror + sha1);
  return { file: path.join(downloads, archive), sha256, apt: ofSites, urls: [...mirrors, ...others] };
}

/** The upstream release, unless it exists: a copy of Debian's archive if they are the same, else a file to fetch. */
function release({ debian, upstream }, found) {
  const file = path.join(archivesDir, path.posix.basename(upstream.url));
  if (existsSync(file)) return [];
  mkdirSync(archivesDir, { recursive: true });
  if (upstream.sha256 !== debian.sha256 || !found.has(debian.archive))
    return [{ file, sha256: upstream.sha256, urls: [upstream.url] }];
  copyFileSync(path.join(downloads, debian.archive), file);
  return [];
}

/** Gets files, each from the first URL that has it with the right hash. @returns the names of the files found. */
async function fetchAll(files) {
  const found = await Promise.all(
    files.map(async (file) => ((await fetchOne(file)) ? [path.basename(file.file)] : [])),
  );
  return new Set(found.flat());
}

async function fetchOne({ file, sha256, apt = [], urls }) {
  if (existsSync(file) && sha256Of(readFileSync(file)) === sha256) return true;
  const name = path.basename(file);
  for (const [url, get] of [...apt.map((url) => [url, withApt]), ...urls.map((url) => [url, withFetch])]) {
    try {
      await get(url, `${file}.part`, sha256);
      renameSync(`${file}.part`, file);
      if (get === withFetch) console.log(`  ${name}: from ${url}`);
      return true;
    } catch (error) {
      const reason = /^E: .*/m.exec(error.message)?.[0] ?? error.cause?.message ?? error.message;
      const isElsewhere = get === withApt && reason.includes(" 404 "); // on another site of apt, usually
      if (!isElsewhere) console.log(`  ${name}: not from ${url}: ${reason}`);
    }
  }
  return false;
}

/** Downloads with apt's own proxies and credentials; it checks the hash. */
function withApt(url, file, sha256) {
  quiet("/usr/lib/apt/apt-helper", ["download-file", url, file, `SHA256:${sha256}`]);
}

async function withFetch(url, file, sha256) {
  const response = await fetch(url, { signal: AbortSignal.timeout(patience) });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const pieces = [];
  let size = 0;
  for await (const piece of response.body) {
    size += piece.byteLength;
    if (size > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  const found = sha256Of(bytes);
  if (found !== sha256) throw new Error(`it has SHA-256 ${found}, expected ${sha256}`);
  writeFileSync(file, bytes);
}

/** Whether sources in third_party/ were put there by hand. */
function isByHand(name) {
  const dir = path.join(thirdPartyDir, name);
  return existsSync(dir) && !existsSync(path.join(dir, stampName));
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

const sha256Of = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Unpacks downloaded archives, and applies Debian's patches. */
function unpack(name, { source, archive, sha256, patches }, upstream) {
  const to = path.join(thirdPartyDir, name);
  const part = `${to}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  quiet("tar", ["xf", path.join(downloads, archive), "-C", part, "--strip-components=1"]);
  if (patches) applyPatches(part, path.join(downloads, patches.archive));
  const stamp = patches
    ? {
        ...{ package: source, revision: revisionOf(source, patches), archive, sha256 },
        ...{ patches: patches.archive, patchesSha256: patches.sha256 },
      }
    : { archive, ...upstream };
  writeFileSync(path.join(part, stampName), `${JSON.stringify(stamp, null, 2)}\n`);
  rmSync(to, { recursive: true, force: true });
  renameSync(part, to);
}

/** Debian's revision, as in "1.5.7+dfsg-1". */
const revisionOf = (source, { archive }) =>
  archive.slice(source.length + 1).replace(/\.debian\.tar\.\w+$/, "");

function applyPatches(dir, archive) {
  quiet("tar", ["xf", archive, "-C", dir]);
  const patches = path.join(dir, "debian/patches");
  if (!existsSync(path.join(patches, "series"))) return;
  const series = readFileSync(path.join(patches, "series"), "utf8").split("\n");
  for (const line of series.map((l) => l.replace(/#.*/, "").trim()).filter(Boolean)) {
    quiet("patch", ["-p1", "-s", "-i", path.join(patches, line.split(/\s+/)[0])], { cwd: dir });
  }
}
