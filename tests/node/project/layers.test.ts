// The layers of web/src: imports point down, and no files import one another in a circle.
import path from "node:path";
import { expect, it } from "vitest";
import { readImports, testLayers } from "../support/import-graph.js";

/** From the bottom up; docs/architecture.md says what each holds. Files of one layer may import one another. */
const layers = [
  "base",
  "dtypes",
  "engine",
  "codecs",
  "chain",
  "metadata",
  "store",
  "region/selection",
  "region/fetch",
  "region/assemble",
  "region/write",
  "workers",
  "region",
  "hierarchy",
  "conventions",
  "zarrita",
  "numcodecs",
  "entries",
  "lazy",
];

const root = path.join(import.meta.dirname, "../../../web/src");

const layerOf = (file: string): string => {
  const [folder, below] = path.dirname(file).split("/");
  if (folder === ".") return "entries";
  return folder === "region" && below ? `region/${below}` : folder!;
};

const imports = readImports(root);

it("every file stands in a layer, and every layer has files", () => {
  expect(new Set([...imports.keys()].map(layerOf))).toEqual(new Set(layers));
});

testLayers(imports, layers, layerOf);
