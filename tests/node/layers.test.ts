// The layers of web/src: imports point down, and no files import one another in a circle. Lazy `import()`s are left
// out: they are how a lower layer reaches what it loads only when metadata asks for it (lazy/).
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

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

const root = path.join(import.meta.dirname, "../../web/src");

const layerOf = (file: string): string => {
  const [folder, below] = path.dirname(file).split("/");
  if (folder === ".") return "entries";
  return folder === "region" && below ? `region/${below}` : folder!;
};

/** The files that each file imports, types included. */
function readImports(): Map<string, string[]> {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /(?<!\.d)\.ts$/.test(file));
  const statement = /^(?:import|export)\b[^;"]*"(\.[^"]+)\.js"/gm;
  return new Map(
    files.map((file) => {
      const text = readFileSync(path.join(root, file), "utf8");
      const imported = [...text.matchAll(statement)].map(([, name]) =>
        path.posix.join(path.posix.dirname(file), `${name}.ts`),
      );
      return [file, imported.filter((name) => files.includes(name))];
    }),
  );
}

const imports = readImports();

it("every file stands in a layer, and every layer has files", () => {
  expect(new Set([...imports.keys()].map(layerOf))).toEqual(new Set(layers));
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
  for (const file of imports.keys()) visit(file, []);
  expect(done.size).toBe(imports.size);
});
