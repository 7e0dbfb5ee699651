/**
 * Which files of a folder import which. Lazy `import()`s are left out: they are how a lower layer reaches what it loads
 * only when it is asked for.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

/** The files that each file imports, types included; all by their paths from the folder. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export function readImports(folder: string): ImportGraph {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /(?<!\.d)\.ts$/.test(file));
  const statement = /^(?:import|export)\b[^;"]*"(\.[^"]+)\.js"/gm;
  return new Map(
    files.map((file) => {
      const text = readFileSync(path.join(folder, file), "utf8");
      const imported = [...text.matchAll(statement)].map(([, name]) =>
        path.posix.join(path.posix.dirname(file), `${name}.ts`),
      );
      return [file, imported.filter((name) => files.includes(name))];
    }),
  );
}

/** Tests that imports stay in their layer or go down, and never in a circle. @param layers from the bottom up. */
export function testLayers(
  imports: ImportGraph,
  layers: readonly string[],
  layerOf: (file: string) => string,
): void {
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
    for (const file of imports.keys()) visit(file, []);
    expect(done.size).toBe(imports.size);
  });
}
