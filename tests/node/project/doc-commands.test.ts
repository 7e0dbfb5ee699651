// Every command of the README and the documentation: those of the package run, in the order and the folder of
// their document; scripts and files that other commands name exist.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isNotRun, root, type Sample, samples } from "../support/doc-samples.js";
import { archives, fillFolder, serveStores } from "../support/doc-stores.js";

const { bin, scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  bin: Record<string, string>;
  scripts: Record<string, string>;
};
const tool = path.join(root, bin["zarr-wasm"]!);

/** Replacements for commands whose stores are of another kind than those in the folder. */
const instead: Record<string, Record<string, string>> = {
  "docs/command-line.md": { "data.zarr image.zarr --path raw": "group.zarr image.zarr --path raw" },
};

/** Commands of a sample, one per line, without comments. */
const linesOf = ({ text }: Sample): string[] =>
  text
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s+)#.*$/, "").trim())
    .filter(Boolean);

const isView = (line: string) => / view |zarr-wasm-viewer |viewer\/bin\.js/.test(line);

/** Runs a shell command to its end; servers are stopped after their first line of output. */
async function runCommand(line: string, cwd: string) {
  const child = spawn("sh", ["-c", `exec ${line}`], { cwd, env: { ...process.env, BROWSER: "true" } });
  let [out, err] = ["", ""];
  const isServing = isView(line);
  child.stdout.on("data", (piece) => {
    out += piece;
    if (isServing && out.includes("\n")) child.kill("SIGINT");
  });
  child.stderr.on("data", (piece) => {
    err += piece;
  });
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, out, err };
}

const commandSamples = samples.filter(
  (sample) => ["sh", "bash"].includes(sample.language) && !isNotRun(sample),
);
const files = [...new Set(commandSamples.map(({ file }) => file))];

let server: Awaited<ReturnType<typeof serveStores>>;
mkdirSync(path.join(root, "build/tmp"), { recursive: true });
const folder = mkdtempSync(path.join(root, "build/tmp/commands-"));
const folderOf = (file: string) => path.join(folder, file.replaceAll(/\W/g, "-"));

beforeAll(async () => {
  server = await serveStores();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Creates the folder of a document when its first command runs. */
async function prepare(file: string): Promise<string> {
  const place = folderOf(file);
  if (existsSync(place)) return place;
  mkdirSync(place);
  await fillFolder(place);
  for (const [name, bytes] of Object.entries(await archives())) {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true });
    writeFileSync(path.join(place, name), bytes);
  }
  return place;
}

async function checkPackageCommand(file: string, line: string) {
  const cwd = await prepare(file);
  const swaps = Object.entries(instead[file] ?? {});
  const meant = swaps.reduce((text, [from, to]) => text.replace(from, to), line);
  const command = meant
    .replace(/^npx zarr-wasm-viewer /, `"${process.execPath}" "${root}web/viewer/bin.js" `)
    .replace(/^npx zarr-wasm /, `"${process.execPath}" "${tool}" `)
    .replaceAll("https://example.org", server.url);
  const { status, out, err } = await runCommand(command, cwd);
  expect({ status, err: status === 0 ? "" : err }).toEqual({ status: 0, err: "" });
  if (isView(line)) expect(out).toMatch(/^http:\/\/(127\.0\.0\.1|localhost):\d+\//);
}

/** A command of another program, or one too expensive for a test: the files that it names must exist. */
function checkNames(line: string) {
  const [program, first = "", second = ""] = line.split(/\s+/);
  if (program === "npm" && first === "run") return expect(Object.keys(scripts)).toContain(second);
  if (line.startsWith("npx vitest run "))
    return expect(existsSync(path.join(root, line.split(" ")[3]!))).toBe(true);
  if (program === "sed") {
    const [, pattern = "", file = ""] = /^sed -i '\/(.+?)\/a.*' (\S+)$/.exec(line) ?? [];
    return expect(readFileSync(path.join(root, file), "utf8")).toMatch(new RegExp(pattern, "m"));
  }
  if (program === "npm" && (first === "start" || first === "test"))
    return expect(Object.keys(scripts)).toContain(first);
  if (/^npm install zarr-wasm(?:-viewer| zarr-wasm-viewer)?$/.test(line)) return;
  if (program === "node") return expect(existsSync(path.join(root, first)), first).toBe(true);
  if (program === "esbuild")
    return expect(existsSync(path.join(root, "node_modules/.bin/esbuild"))).toBe(true);
  if (program === "build/bench/bench/inheap/zw_inheap")
    return expect(existsSync(path.join(root, "bench/inheap"))).toBe(true);
  throw new Error(`${line}: run it, or say in tests/node/support/doc-samples.ts why that cannot be`);
}

describe.each(files)("commands of %s", (file) => {
  const lines = commandSamples.filter((sample) => sample.file === file).flatMap(linesOf);
  it.each(lines.map((line, at) => [line, at] as const))("%s", async (line) => {
    if (/^npx zarr-wasm(?:-viewer)? /.test(line)) await checkPackageCommand(file, line);
    else checkNames(line);
  });
});

it("the README's two commands name their requirements", () => {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const work = readme.slice(readme.indexOf("## Development"));
  expect(work).toMatch(/^npm start\b/m);
  expect(work).toMatch(/^npm test\b/m);
  expect(work).toContain("Debian 12 with Node 20, git and root");
  expect(work).toContain("On other systems they list what to install");
});
