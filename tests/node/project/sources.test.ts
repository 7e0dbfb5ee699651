// Download of the C libraries' sources if the machine's own package sources do not have them: mirrors of
// Debian's archives, then the upstream release, each checked by its hash. The network is a server on this
// machine.

import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { skipFor, unsupportedSystem } from "../../shared/skips.js";
import { serve } from "../support/support.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const hash = (name: string, bytes: Uint8Array) => createHash(name).update(bytes).digest("hex");

let dir = "";
let checkout = "";
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "zarr-wasm-sources-"));
  checkout = path.join(dir, "checkout");
  cpSync(path.join(root, "scripts"), path.join(checkout, "scripts"), { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A .tar.gz of some files below one folder. */
function archive(folder: string, files: Record<string, string>): Buffer {
  const place = path.join(dir, "made");
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(place, folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const bytes = execFileSync("tar", ["cz", "-C", place, folder]);
  rmSync(place, { recursive: true });
  return bytes;
}

const source = () => archive("libdemo-1.0", { "demo.c": "int demo = 1;\n" });
const patches = () =>
  archive("debian", {
    "patches/series": "fix.patch # the only one\n",
    "patches/fix.patch": "--- a/demo.c\n+++ b/demo.c\n@@ -1 +1 @@\n-int demo = 1;\n+int demo = 2;\n",
  });

/** Responses of the test server by path; the pinned version of the library; and the result of the set-up. */
async function fetchSources(
  answers: (orig: Buffer, fixes: Buffer, release: Buffer) => Record<string, Uint8Array>,
  { isSameUpstream = false } = {},
) {
  const orig = source();
  const fixes = patches();
  const release = isSameUpstream ? orig : archive("demo-1.0", { "demo.c": "int demo = 1;\n", ci: "" });
  const byPath = answers(orig, fixes, release);
  const server = await serve((url) => byPath[url]);
  const files = {
    archive: "libdemo_1.0.orig.tar.gz",
    sha256: hash("sha256", orig),
    sha1: hash("sha1", orig),
  };
  const debian = {
    ...{ source: "libdemo", version: "1.0", ...files },
    patches: {
      archive: "libdemo_1.0-3.debian.tar.gz",
      ...{ sha256: hash("sha256", fixes), sha1: hash("sha1", fixes) },
    },
  };
  const upstream = { url: `${server.url}/releases/demo-1.0.tar.gz`, sha256: hash("sha256", release) };
  const write = (name: string, value: unknown) =>
    writeFileSync(path.join(checkout, "scripts", name), JSON.stringify(value));
  write("sources.json", { demo: { debian, upstream } });
  write("mirrors.json", [`${server.url}/other/`, `${server.url}/file/`]);
  const bin = path.join(dir, "bin");
  mkdirSync(bin);
  const uris = ["", "-updates"].map(
    (more) => `'${server.url}/debian/dists/$VERSION_CODENAME${more}/InRelease'`,
  );
  const apt = ["#!/bin/sh", ". /etc/os-release", ...uris.map((uri) => `echo "${uri} name 0"`)];
  writeFileSync(path.join(bin, "apt-get"), `${apt.join("\n")}\n`, { mode: 0o755 });
  const code = `const s = await import(${JSON.stringify(path.join(checkout, "scripts/lib/sources.mjs"))});
await s.ensureSources(); console.log("RECORDS" + JSON.stringify(s.sourceRecords()));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (text += piece));
  const status = await new Promise((resolve) => child.on("close", resolve));
  await server.close();
  const [log, records] = text.split("RECORDS") as [string, string];
  return {
    status,
    log,
    records: JSON.parse(records ?? "{}") as unknown,
    asked: server.requests.map((r) => r.path),
  };
}

const pool = "/debian/pool/main/libd/libdemo/";
const aptOnly = skipFor(existsSync("/usr/lib/apt/apt-helper") ? undefined : "needs Debian's apt");
const demo = () => readFileSync(path.join(checkout, "third_party/demo/demo.c"), "utf8");
const release = () => path.join(checkout, "third_party/archives/demo-1.0.tar.gz");
const isUnpacked = () => existsSync(path.join(checkout, "third_party/demo"));

describe("sources of C libraries", skipFor(unsupportedSystem(process.platform !== "win32")), () => {
  it("come from the site of apt, with Debian's patches", aptOnly, async () => {
    const { status, log, records, asked } = await fetchSources((orig, fixes) => ({
      [`${pool}libdemo_1.0.orig.tar.gz`]: orig,
      [`${pool}libdemo_1.0-3.debian.tar.gz`]: fixes,
    }));
    expect(status, log).toBe(0);
    expect(demo()).toBe("int demo = 2;\n");
    expect(records).toMatchObject({ demo: { package: "libdemo", revision: "1.0-3" } });
    expect(asked.every((name) => name.startsWith(pool))).toBe(true);
  });

  it("come by hash from an archive of all versions once the mirror has dropped them", async () => {
    const { status, log } = await fetchSources((orig, fixes) => ({
      [`/file/${hash("sha1", orig)}`]: orig,
      [`/file/${hash("sha1", fixes)}`]: fixes,
    }));
    expect(status, log).toBe(0);
    expect(log).toMatch(
      /orig\.tar\.gz: not from .*the server answered 404[\s\S]*orig\.tar\.gz: from .*\/file\//,
    );
    expect(demo()).toBe("int demo = 2;\n");
  });

  it("with other bytes are refused, and requested elsewhere", async () => {
    const changed = archive("libdemo-1.0", { "demo.c": "int demo = 666;\n" });
    const { status, log } = await fetchSources((orig, fixes) => ({
      [`${pool}libdemo_1.0.orig.tar.gz`]: changed,
      [`${pool}libdemo_1.0-3.debian.tar.gz`]: changed,
      [`/other/${hash("sha1", orig)}`]: changed,
      [`/other/${hash("sha1", fixes)}`]: new Uint8Array(fixes.length),
      [`/file/${hash("sha1", orig)}`]: orig,
      [`/file/${hash("sha1", fixes)}`]: fixes,
    }));
    expect(status, log).toBe(0);
    expect(log.match(/it has SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}/g)).toHaveLength(2);
    expect(demo()).toBe("int demo = 2;\n");
  });

  it("are the upstream release, for CMake to unpack, where Debian's archives are gone", async () => {
    const { status, log, records } = await fetchSources((_orig, _fixes, made) => ({
      "/releases/demo-1.0.tar.gz": made,
    }));
    expect(status, log).toBe(0);
    expect(isUnpacked()).toBe(false);
    expect(hash("sha256", readFileSync(release()))).toBe(
      (records as { demo: { sha256: string } }).demo.sha256,
    );
  });

  it("are the upstream release if it equals Debian's archive, and only the patches are missing", async () => {
    const { log, asked } = await fetchSources((orig) => ({ [`/file/${hash("sha1", orig)}`]: orig }), {
      isSameUpstream: true,
    });
    expect(execFileSync("tar", ["tzf", release()], { encoding: "utf8" }), log).toContain(
      "libdemo-1.0/demo.c",
    );
    expect(isUnpacked()).toBe(false);
    expect(asked).not.toContain("/releases/demo-1.0.tar.gz");
  });

  it("that are missing, or wrong everywhere, leave no files: CMake prints the remedy", async () => {
    const { status, log } = await fetchSources((orig) => ({
      [`/file/${hash("sha1", orig)}`]: Uint8Array.of(1),
      "/releases/demo-1.0.tar.gz": Uint8Array.of(2),
    }));
    expect(status, log).toBe(0);
    expect([isUnpacked(), existsSync(release())]).toEqual([false, false]);
    for (const place of ["/other/", "/file/", "/releases/"]) expect(log).toContain(place);
  });
});
