// The examples of the API reference, docs/site/examples.md: every public function and class has one, and they run.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiExamples } from "../../../scripts/lib/api-examples.mjs";
import { root } from "../support/doc-samples.js";
import { serveStores } from "../support/doc-stores.js";

const examples = apiExamples();

/**
 * Entries without examples: the single codecs of numcodecs repeat its main entry, notebooks call anywidget, and the
 * library loads the copies.
 */
const isListed = (report: string) => !/^(numcodecs-|viewer-anywidget|embedded)/.test(report);

/** Names that other entries share with the main one. */
const shared = /^(configureWasm|isZarrError|ZarrError|DType)$/;
/** Names of zarrita's own documentation: errors, elements, internals; and this library's classes. */
const ofZarrita =
  /^(_zarrita_internal\w+|\w+Error|(Bool|ByteString|UnicodeString)Array|Group|\w+Pool|(Reference|FileSystem|ZipFile)Store)$/;

/** Functions and classes of an entry that need an example. */
function publicNames(report: string): string[] {
  const text = readFileSync(path.join(root, "tests/api", report), "utf8");
  const names = [...text.matchAll(/^export (?:async )?(?:function|class) (\w+)/gm)].map(([, name]) => name!);
  // A type there: zarr-wasm/cache exports the class.
  if (report === "index.api.md") return names.filter((name) => name !== "PersistentCache");
  // A type, too: makeReferences returns it.
  if (report === "formats.api.md") return names.filter((name) => name !== "FileReferences");
  return names.filter(
    (name) =>
      !shared.test(name) &&
      !(report === "zarrita.api.md" && ofZarrita.test(name) && name !== "isZarritaError"),
  );
}

const entryName = (report: string) => {
  const name = report.replace(".api.md", "");
  if (name.startsWith("viewer")) return `zarr-wasm-${name.replace("viewer-", "viewer/")}`;
  return name === "index" ? "zarr-wasm" : `zarr-wasm/${name}`;
};

describe("the API reference", () => {
  const reports = readdirSync(path.join(root, "tests/api")).filter(isListed);

  it.each(reports)("has an example for every function and class of %s", (report) => {
    const shown = new Set(
      examples.filter(({ entry }) => entry === entryName(report)).map(({ name }) => name),
    );
    expect(publicNames(report).filter((name) => !shown.has(name))).toEqual([]);
  });

  it("has no example of another name", () => {
    const known = new Map(
      reports.map((report) => [
        entryName(report),
        readFileSync(path.join(root, "tests/api", report), "utf8"),
      ]),
    );
    const isKnown = ({ entry, name }: (typeof examples)[number]) =>
      new RegExp(`\\b${name}\\b`).test(known.get(entry) ?? "");
    expect(examples.filter((example) => !isKnown(example)).map(({ name }) => name)).toEqual([]);
  });
});

/** What the comments after `console.log` announce: at the end of the line, or in the lines after it. */
const announced = (code: string): string[] =>
  [...code.matchAll(/^.*console\.log\(.*\); \/\/ (.*)$|^\/\/ (\w+ \[.*)$/gm)].map(
    ([, first, more]) => first ?? more!,
  );

describe("examples", () => {
  mkdirSync(path.join(root, "build/tmp"), { recursive: true });
  const folder = mkdtempSync(path.join(root, "build/tmp/examples-"));
  const run = promisify(execFile);
  const programs = examples.filter(({ isBrowser }) => !isBrowser);
  let server: Awaited<ReturnType<typeof serveStores>>;
  let printed: string[][];

  beforeAll(async () => {
    server = await serveStores();
    for (const [i, { code }] of programs.entries()) {
      mkdirSync(path.join(folder, String(i)));
      writeFileSync(
        path.join(folder, String(i), "example.mjs"),
        code.replaceAll("https://example.org", server.url),
      );
    }
    // One process for all: each would load the library again.
    const main = `
      import { formatWithOptions } from "node:util";
      const printed = [];
      for (let i = 0; i < ${programs.length}; i++) {
        const lines = [];
        console.log = (...values) => lines.push(formatWithOptions({ breakLength: Infinity }, ...values));
        await import(\`./\${i}/example.mjs\`).catch((error) => lines.push(String(error.stack).slice(0, 500)));
        printed.push(lines);
      }
      process.stdout.write(JSON.stringify(printed));`;
    writeFileSync(path.join(folder, "main.mjs"), main);
    const { stdout } = await run(process.execPath, [path.join(folder, "main.mjs")], {
      maxBuffer: 2 ** 24,
      env: { ...process.env, XDG_CACHE_HOME: path.join(folder, "caches") },
    });
    printed = JSON.parse(stdout);
  });

  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(programs.map(({ entry, name, code }, i) => [`${entry}: ${name}`, i, code] as const))(
    "%s",
    (_title, i, code) => {
      expect(printed[i]).toEqual(announced(code));
    },
  );
});
