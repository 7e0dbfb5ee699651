// The folders of web/viewer: imports point down, and no files import one another in a circle.
// docs/viewer-architecture.md says what each holds.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

/** From the bottom up. */
const layers = [
  "base",
  "source",
  "model",
  "numbers",
  "tiles",
  "draw",
  "input",
  "panels",
  "element",
  "page",
  ".",
];

const root = path.join(import.meta.dirname, "../../web/viewer");
const layerOf = (file: string) => path.posix.dirname(file).split("/")[0]!;

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /(?<!\.d)\.ts$/.test(file));

const imports = new Map(
  files.map((file) => {
    const text = readFileSync(path.join(root, file), "utf8");
    const names = [...text.matchAll(/^(?:import|export)\b[^;"]*"(\.[^"]+)\.js"/gm)].map(([, name]) =>
      path.posix.join(path.posix.dirname(file), `${name}.ts`),
    );
    return [file, names.filter((name) => files.includes(name))];
  }),
);

it("every file stands in a folder that is known", () => {
  expect(files.map(layerOf).filter((layer) => !layers.includes(layer))).toEqual([]);
});

it("imports point down", () => {
  const up = [...imports].flatMap(([file, names]) =>
    names
      .filter((name) => layers.indexOf(layerOf(name)) > layers.indexOf(layerOf(file)))
      .map((name) => `${file} → ${name}`),
  );
  expect(up).toEqual([]);
});

it("no files import one another in a circle", () => {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file))
      throw new Error(`a circle: ${[...way.slice(way.indexOf(file)), file].join(" → ")}`);
    if (done.has(file)) return;
    for (const name of imports.get(file)!) visit(name, [...way, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(done.size).toBe(files.length);
});

it("what draws nothing does not touch the document", () => {
  const quiet = files.filter((file) => ["source", "model", "numbers", "tiles"].includes(layerOf(file)));
  const touching = quiet.filter((file) =>
    /\bdocument\.|\bwindow\.(inner|match|device|addEvent|location)/.test(
      readFileSync(path.join(root, file), "utf8"),
    ),
  );
  expect(touching).toEqual([]);
});
