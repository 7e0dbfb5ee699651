// Debian source packages without touching the machine's configuration: the machine's own binary
// package sources, turned into source entries, with private list and cache folders. No root needed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildDir } from "./paths.mjs";
import { capture, quiet, which } from "./process.mjs";

const work = path.join(buildDir, "apt");

function codename() {
  try {
    return /^VERSION_CODENAME=(\S+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** deb822 paragraphs of the files that list this machine's package sources. */
function machineSources() {
  const files = ["/etc/apt/sources.list"];
  const parts = "/etc/apt/sources.list.d";
  if (existsSync(parts))
    files.push(
      ...readdirSync(parts)
        .sort()
        .map((f) => path.join(parts, f)),
    );
  const text = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return files.flatMap((file) =>
    file.endsWith(".sources") ? paragraphs(text(file)) : file.endsWith(".list") ? oneLiners(text(file)) : [],
  );
}

function paragraphs(text) {
  const bare = text.replace(/^#.*\n?/gm, "");
  return bare.split(/\n\s*\n/).map((block) => {
    const fields = {};
    for (const line of block.replace(/\n[ \t]+/g, " ").split("\n")) {
      const m = /^([\w-]+):\s*(.*)$/.exec(line);
      if (m) fields[m[1].toLowerCase()] = m[2].trim();
    }
    return fields;
  });
}

function oneLiners(text) {
  return [...text.matchAll(/^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.+)$/gm)].map(
    ([, options, uri, suite, components]) => ({
      types: "deb",
      uris: uri,
      suites: suite,
      components: components.trim(),
      "signed-by": /signed-by=(\S+)/.exec(options ?? "")?.[1],
    }),
  );
}

/** The distribution's own entries as source entries, in deb822 form; "" if there are none. */
function sourceEntries() {
  const release = codename();
  const own = machineSources().filter(
    (s) => s.types?.split(/\s+/).includes("deb") && s.components?.split(/\s+/).includes("main"),
  );
  const entries = own.flatMap((s) => {
    const suites = (s.suites ?? "")
      .split(/\s+/)
      .filter((x) => [release, `${release}-updates`, `${release}-security`].includes(x));
    if (!release || suites.length === 0) return [];
    const signed = s["signed-by"] ? `Signed-By: ${s["signed-by"]}\n` : "";
    return [`Types: deb-src\nURIs: ${s.uris}\nSuites: ${suites.join(" ")}\nComponents: main\n${signed}`];
  });
  return entries.join("\n");
}

function aptOptions() {
  const dirs = {
    parts: path.join(work, "parts"),
    lists: path.join(work, "lists"),
    cache: path.join(work, "cache"),
  };
  for (const dir of [dirs.parts, path.join(dirs.lists, "partial"), path.join(dirs.cache, "archives/partial")])
    mkdirSync(dir, { recursive: true });
  const settings = {
    "Dir::Etc::SourceList": "/dev/null",
    "Dir::Etc::SourceParts": dirs.parts,
    "Dir::State::Lists": dirs.lists,
    "Dir::Cache": dirs.cache,
    "APT::Sandbox::User": "root", // only meaningful for root: the folders above are not _apt's
  };
  return { dirs, options: Object.entries(settings).flatMap(([k, v]) => ["-o", `${k}=${v}`]) };
}

/** Whether this machine can download Debian source packages. */
export function hasAptSources() {
  return Boolean(which("apt-get")) && sourceEntries() !== "";
}

/**
 * Downloads source packages at a pinned upstream version, newest Debian revision.
 * @param {{source: string, version: string}[]} packages
 * @returns the folder with their .dsc, .orig and .debian archives; packages that the distribution does not have at
 * that
 *   version are skipped.
 */
export function downloadSourcePackages(packages) {
  const { dirs, options } = aptOptions();
  writeFileSync(path.join(dirs.parts, "zarr-wasm.sources"), sourceEntries());
  quiet("apt-get", [...options, "update", "-qq"]);
  const exact = packages.flatMap(({ source, version }) => {
    const revision = newestRevision(options, source, version);
    return revision ? [`${source}=${revision}`] : [];
  });
  const downloads = path.join(work, "downloads");
  mkdirSync(downloads, { recursive: true });
  if (exact.length > 0)
    quiet("apt-get", [...options, "source", "-qq", "--download-only", "--only-source", ...exact], {
      cwd: downloads,
    });
  return downloads;
}

function newestRevision(options, source, version) {
  const text = capture("apt-cache", [...options, "showsrc", "--only-source", source]);
  const found = [...text.matchAll(/^Version: (\S+)$/gm)]
    .map((m) => m[1])
    .filter((v) => v.replace(/^\d+:/, "").startsWith(`${version}-`)); // an epoch is Debian's own
  return found.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
}
