// The layers of web/src: imports point down, and neither files nor folders import one another in a cycle.
import path from "node:path";
import { expect, it } from "vitest";
import { readImports, testLayers } from "../support/import-graph.js";

/** Lowest layer first; docs/architecture.md describes each layer. Files of one layer may import one another. */
const layers = [
  "util",
  "dtypes",
  "engine",
  "codecs",
  "chain",
  "metadata",
  "store",
  "formats",
  "plan",
  "read",
  "write",
  "workers",
  "hierarchy",
  "edit",
  "walk",
  "conventions",
  "compute",
  "transfer",
  "compat",
  "entries",
];

const root = path.join(import.meta.dirname, "../../../web/src");

const layerOf = (file: string): string => (file.includes("/") ? file.split("/")[0]! : "entries");

const imports = readImports(root);

it("every file belongs to a layer, and every layer has files", () => {
  expect(new Set([...imports.keys()].map(layerOf))).toEqual(new Set(layers));
});

testLayers(imports, layers, layerOf);
