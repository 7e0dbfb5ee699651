// The folders of web/viewer: imports point down, and no files import one another in a circle.
// docs/viewer-architecture.md describes each folder.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readImports, testLayers } from "../support/import-graph.js";

/** Lowest layer first. */
const layers = [
  "language",
  "base",
  "source",
  "model",
  "numbers",
  "tiles",
  "draw",
  "input",
  "volume",
  "panels",
  "element",
  "page",
  ".",
];

const root = path.join(import.meta.dirname, "../../../web/viewer");
const layerOf = (file: string) => path.posix.dirname(file).split("/")[0]!;

const imports = readImports(root);
const files = [...imports.keys()];

it("every file is in a known folder", () => {
  expect(files.map(layerOf).filter((layer) => !layers.includes(layer))).toEqual([]);
});

testLayers(imports, layers, layerOf);

it("files that draw nothing do not use the document", () => {
  const quiet = files.filter((file) => ["source", "model", "numbers", "tiles"].includes(layerOf(file)));
  const touching = quiet.filter((file) =>
    /\bdocument\.|\bwindow\.(inner|match|device|addEvent|location)/.test(
      readFileSync(path.join(root, file), "utf8"),
    ),
  );
  expect(touching).toEqual([]);
});
