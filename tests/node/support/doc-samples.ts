/** Samples of programs, commands and pages in the README and the documentation. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const root = new URL("../../../", import.meta.url).pathname;

export interface Sample {
  /** Path relative to the checkout. */
  readonly file: string;
  readonly line: number;
  /** "js", "ts", "sh", …; "" if none is given. */
  readonly language: string;
  readonly text: string;
}

/** All Markdown that users and contributors read. */
export const documents: readonly string[] = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md"],
  "web/viewer/README.md",
  ...["docs", "examples", "bench"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !/node_modules|^site[\\/]/.test(name))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  ),
].sort();

export const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** A sample, which may be indented in a list, without its indentation. */
export function samplesOf(file: string): Sample[] {
  const text = textOf(file);
  return [...text.matchAll(/^( *)(`{3,})([\w-]*)[^\n]*\n([\s\S]*?)^\1\2$/gm)].map((found) => ({
    file,
    line: text.slice(0, found.index).split("\n").length,
    language: found[3]!,
    text: found[4]!.replaceAll(new RegExp(`^${found[1]}`, "gm"), ""),
  }));
}

export const samples: readonly Sample[] = documents.flatMap(samplesOf);

/** A sample that no test runs, with the reason. Without `has`: all samples of a document. */
export interface NotRun {
  readonly in: string;
  readonly has?: string;
  readonly why: string;
}

/** The whole list of samples that are not run. Keep it short: no test finds errors in these samples. */
export const notRun: readonly NotRun[] = [
  { in: "docs/start.md", why: "doc-start.test.ts runs it as printed" },
  { in: "docs/frameworks.md", why: "doc-frameworks.test.ts compares and runs it" },
  { in: "docs/extending.md", why: "guides.test.ts applies it; npm run check -- guide builds and tests it" },
  { in: "docs/adding-a-panel.md", why: "panel-guide.test.ts compiles it" },
  { in: "docs/bundlers.md", why: "npm run test:compat -- bundlers builds a project with each of these" },
  { in: "docs/building.md", why: "for other machines; npm test builds, npm run check -- reproducible twice" },
  { in: "docs/cpp.md", why: "npm run test:compat -- cpp does the same with two compilers" },
  {
    in: "docs/fuzzing.md",
    has: "cmake --preset fuzz",
    why: "needs Clang's fuzzer; npm test builds the same targets",
  },
  {
    in: "docs/command-line.md",
    has: "source <(",
    why: "tests/node/cli/completion.test.ts does it in three shells",
  },
  { in: "docs/scaling.md", why: "the example's own tests run it" },
  { in: "docs/stores.md", has: "interface Store {", why: "signatures, not a program" },
  {
    in: "docs/stores.md",
    has: "|zarr2:scale0",
    why: "tests/node/formats/pipeline.test.ts opens pipelines of files and of a server",
  },
  {
    in: "docs/stores.md",
    has: "showDirectoryPicker",
    why: "a browser asks its user; tests/browser has the store itself",
  },
  {
    in: "docs/workers.md",
    has: "my-worker.js",
    why: "two files of a page; tests/browser/pool.spec.ts has both",
  },
  {
    in: "docs/viewer.md",
    has: "await loadLanguage()",
    why: "needs a document; docs/site/examples.md has a page that calls it",
  },
  { in: "docs/live.md", has: "ImageData", why: "draws; npm run check -- docs runs it in Chromium" },
  { in: "examples/edge-tiles/README.md", why: "needs packages from npm: npm run test:compat -- edge" },
  { in: "examples/viewer/observable.md", why: "npm run test:compat -- frameworks builds and opens it" },
  { in: "examples/maps/README.md", why: "needs packages from npm: npm run test:compat -- maps" },
  { in: "docs/deckgl.md", why: "examples/maps, as docs/maps.md" },
  { in: "docs/maplibre.md", why: "examples/maps, as docs/maps.md" },
  {
    in: "docs/maps.md",
    has: "valuesAt",
    why: "parts of examples/maps: doc-maps.test.ts, npm run test:compat -- maps",
  },
  { in: "examples/cluster/README.md", why: "needs a cluster: npm run test:compat -- cluster" },
  { in: "docs/conventions.md", has: "sbatch", why: "needs a cluster: npm run test:compat -- cluster" },
];

export const isNotRun = ({ file, text }: Sample): boolean =>
  notRun.some((entry) => entry.in === file && (entry.has === undefined || text.includes(entry.has)));
