/** The imports between the files of a folder, types and `import()` included. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

/** The files that each file imports, by their paths from the folder. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export function readImports(folder: string): ImportGraph {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /(?<!\.d)\.ts$/.test(file));
  const statement = /(?:^(?:import|export)\b[^;"]*|\bimport\(\s*(?:\/\*.*?\*\/\s*)*)"(\.[^"]+)\.js"/gm;
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

/** Tests that imports stay in their layer or point down, without cycles. @param layers from the bottom up. */
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

  it("no files import one another in a cycle", () => {
    expect(cycleIn(imports)).toBeUndefined();
  });

  it("no folders import one another in a cycle", () => {
    const folders = new Map<string, Set<string>>();
    for (const [file, names] of imports) {
      const folder = path.posix.dirname(file);
      const known = folders.get(folder) ?? new Set();
      for (const name of names) if (path.posix.dirname(name) !== folder) known.add(path.posix.dirname(name));
      folders.set(folder, known);
    }
    expect(cycleIn(folders)).toBeUndefined();
  });
}

/** Returns a cycle of a graph as text; undefined if there is none. */
function cycleIn(graph: ReadonlyMap<string, Iterable<string>>): string | undefined {
  const done = new Set<string>();
  const visit = (node: string, way: readonly string[]): string | undefined => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node].join(" → ");
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...way, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle) return cycle;
  }
  return undefined;
}
