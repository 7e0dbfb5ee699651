// The layers of web/cli: imports point down, and neither files nor folders import one another in a cycle. Of the library
// the command line uses public entries and `#internal`.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readImports, testLayers } from "../support/import-graph.js";

/** Lowest layer first. */
const layers = ["text", "options", "source", "server", "commands", "main"];

const repository = path.join(import.meta.dirname, "../../..");
const root = path.join(repository, "web/cli");

const layerOf = (file: string): string => (file.includes("/") ? file.split("/")[0]! : "main");

const imports = readImports(root);

it("every file belongs to a layer, and every layer has files", () => {
  expect(new Set([...imports.keys()].map(layerOf))).toEqual(new Set(layers));
});

testLayers(imports, layers, layerOf);

it("imports of the library are of its public entries and #internal", () => {
  const { exports } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8")) as {
    exports: Record<string, unknown>;
  };
  const allowed = new Set(["#internal", ...Object.keys(exports).map((name) => `zarr-wasm${name.slice(1)}`)]);
  const others: string[] = [];
  for (const file of imports.keys()) {
    const text = readFileSync(path.join(root, file), "utf8");
    for (const [, name] of text.matchAll(/(?:\bfrom\s+|\bimport\(\s*|^import\s+)"([^"]+)"/gm)) {
      const isInside =
        /^\.\.?\//.test(name!) && path.join(path.dirname(file), name!).startsWith("..") === false;
      if (!isInside && !name!.startsWith("node:") && !allowed.has(name!)) others.push(`${file}: ${name}`);
    }
  }
  expect(others).toEqual([]);
});

it("#internal has few names", () => {
  const text = readFileSync(path.join(repository, "web/src/internal.ts"), "utf8");
  const names = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => list!.split(","));
  expect(names.length).toBeLessThanOrEqual(24);
});

it("every command has code that runs it", async () => {
  const { commands } = await import("#src/cli/options/commands.js");
  const text = readFileSync(path.join(root, "run.ts"), "utf8");
  const runners = [...text.matchAll(/^ {2}(\w+): async \(/gm)].map(([, name]) => name!);
  expect(runners.sort()).toEqual(Object.keys(commands).sort());
  expect(readdirSync(path.join(root, "commands")).length).toBeGreaterThanOrEqual(runners.length);
});
