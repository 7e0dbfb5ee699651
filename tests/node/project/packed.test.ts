// The archives of the packages, as scripts/pack.mjs packs them for a release: their files, sizes and links, and their
// types in programs that also check the types of libraries (`skipLibCheck: false`).
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installArchives, packages } from "../../../scripts/lib/packages.mjs";
import { deadLinks, withPackedLinks } from "../../../scripts/lib/packed-links.mjs";
import { amount } from "../support/amounts.js";
import { root, textOf } from "../support/doc-samples.js";

type Name = keyof typeof packages;
const build = path.join(root, "build");
/** Names of entries with types; those of frameworks need the framework (scripts/compat/frameworks.mjs). */
const namesOf = (name: Name) => {
  const { exports } = JSON.parse(readFileSync(path.join(packages[name], "package.json"), "utf8")) as {
    exports: Record<string, string | Record<string, string>>;
  };
  return Object.entries(exports).flatMap(([subpath, entry]) =>
    typeof entry === "object" && entry["types"] && entry["default"] ? [name + subpath.slice(1)] : [],
  );
};

mkdirSync(build, { recursive: true });
/** A program that sees only the packed packages and Node's types. */
const consumer = mkdtempSync(path.join(build, "consumer-"));
const modules = path.join(consumer, "node_modules");
let archives: Record<Name, string>;

beforeAll(() => {
  const lines = execFileSync(process.execPath, ["scripts/pack.mjs", consumer], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [library, viewer] = lines.trim().split("\n");
  archives = { "zarr-wasm": library!, "zarr-wasm-viewer": viewer! };
  installArchives(modules, archives);
  mkdirSync(path.join(modules, "@types"));
  for (const name of ["@types/node", "undici-types"])
    symlinkSync(path.join(root, "node_modules", name), path.join(modules, name));
  writeFileSync(path.join(consumer, "package.json"), JSON.stringify({ type: "module", private: true }));
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

const names = Object.keys(packages) as Name[];

/** The files of an installed package, from its folder. */
const filesOf = (name: Name) =>
  readdirSync(path.join(modules, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(path.join(modules, name), path.join(entry.parentPath, entry.name)));

/** Files that no field of package.json names. */
const others = {
  "zarr-wasm": [
    "dist/wasm/sources.json",
    "dist/cli/main.js",
    "dist/cli/server/server.js",
    "LICENSE",
    "THIRD_PARTY_NOTICES.md",
    "README.md",
  ],
  "zarr-wasm-viewer": [
    ...["index.html", "page.min.js", "page.css", "icon.svg", "viewer.min.js", "anywidget.min.js"].map(
      (name) => `dist/${name}`,
    ),
    "bin.js",
    "LICENSE",
    "THIRD_PARTY_NOTICES.md",
    "README.md",
  ],
};

it.each(names)("%s holds all that it names, and no sources", (name) => {
  const files = filesOf(name);
  const { exports, bin } = JSON.parse(readFileSync(path.join(modules, name, "package.json"), "utf8")) as {
    exports: Record<string, string | Record<string, string>>;
    bin: Record<string, string>;
  };
  const named = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry),
  );
  for (const file of [...named, ...Object.values(bin), ...others[name]])
    expect(files, file).toContain(file.replace("./", ""));
  expect(files.filter((file) => /\.(cpp|hpp|test\.ts|tsbuildinfo|map)$|(?<!\.d)\.ts$/.test(file))).toEqual(
    [],
  );
  expect(files.filter((file) => !file.startsWith("docs/")).length).toBeLessThanOrEqual(375);
});

/** Installed bytes without docs/, which programs do not load. */
const installedSize = (name: Name) =>
  filesOf(name)
    .filter((file) => !file.startsWith("docs/"))
    .reduce((sum, file) => sum + statSync(path.join(modules, name, file)).size, 0);

/** Bytes. docs/ is 0.37 MB of the first archive. */
it.each([
  ["zarr-wasm", 2_330_000, 5_450_000],
  ["zarr-wasm-viewer", 1_090_000, 3_000_000],
] as const)("%s: at most %i bytes packed, and %i installed without docs/", (name, packed, installed) => {
  for (const [size, most] of [
    [statSync(archives[name]).size, packed],
    [installedSize(name), installed],
  ] as const) {
    expect(size).toBeLessThanOrEqual(most);
    expect(size).toBeGreaterThan(most / 2); // as in sizes.test.ts
  }
});

const { repository } = JSON.parse(textOf("package.json")) as { repository?: unknown };
const unpacked = path.join(modules, "zarr-wasm");
const linksIn = (text: string) => [...text.matchAll(/\]\(([^)\s]+)/g)].map(([, link]) => link!);

describe.each([
  "README.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "THIRD_PARTY_NOTICES.md",
  "../zarr-wasm-viewer/README.md",
])("the packed %s", (file) => {
  it("links to addresses and to files of the package", () => {
    const links = linksIn(readFileSync(path.join(unpacked, file), "utf8"));
    const relative = links.filter((link) => !/^(https?:|mailto:|#)/.test(link));
    const place = path.dirname(path.join(unpacked, file));
    expect(relative.filter((link) => !existsSync(path.join(place, link.split("#")[0]!)))).toEqual([]);
    if (repository) expect(relative).toEqual([]);
  });
});

it("npm pack finds no dead link in README.md and its like, and ships docs with pictures of at most 100 KB", () => {
  execFileSync(process.execPath, ["scripts/pack.mjs", "--check"], { cwd: root, stdio: "ignore" });
  const docs = path.join(unpacked, "docs");
  expect(existsSync(path.join(docs, "reading.md"))).toBe(true);
  for (const file of readdirSync(docs, { recursive: true, encoding: "utf8" }))
    if (!file.endsWith(".md")) expect(statSync(path.join(docs, file)).size).toBeLessThanOrEqual(100 * 1024);
});

describe("relative links of Markdown in the package", () => {
  const text = "![a chart](docs/a.svg)\n\nSee [the `guide`](docs/start.md#write) and [the licence](LICENSE).";
  const files = ["LICENSE"];

  it("become absolute with the repository of package.json", () => {
    const address = "https://example.org/owner/name";
    expect(withPackedLinks("README.md", text, { repository: { url: `git+${address}.git` }, files })).toBe(
      `![a chart](${address}/raw/HEAD/docs/a.svg)\n\nSee [the \`guide\`](${address}/blob/HEAD/docs/start.md#write) and [the licence](${address}/blob/HEAD/LICENSE).`,
    );
  });

  it("that lead outside the package are dead", () => {
    expect(deadLinks("README.md", text, files)).toEqual(["docs/a.svg", "docs/start.md#write"]);
    expect(deadLinks("docs/start.md", "[a](../LICENSE#b) [c](#d) [e](https://example.org)", files)).toEqual(
      [],
    );
  });

  it("without it lead to files of the package, or become text", () => {
    expect(withPackedLinks("README.md", text, { files })).toBe("See the `guide` and [the licence](LICENSE).");
  });
});

/** The oldest supported TypeScript (docs/bundlers.md) and the current one, each with the path of its compiler. */
const compilers = {
  "5.7.3": path.join(root, "node_modules/typescript-oldest/bin/tsc"),
  current: path.join(root, "node_modules/typescript/bin/tsc"),
};

function compile(name: string, code: string, options: object, compiler = compilers.current): string {
  writeFileSync(path.join(consumer, `${name}.ts`), code);
  const config = path.join(consumer, `${name}.json`);
  const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: "es2022", ...options };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", config], { encoding: "utf8" });
  return status === 0 ? "" : stdout;
}

const resolutions = {
  bundler: { module: "esnext", moduleResolution: "bundler" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
};
const platforms = {
  "a page": { lib: ["es2023", "dom", "dom.iterable"], types: [] },
  "Node with the DOM's types": { lib: ["es2023", "dom", "dom.iterable"], types: ["node"] },
  "Node alone": { lib: ["es2023"], types: ["node"] },
};
const cases = Object.entries(resolutions).flatMap(([resolution, how]) =>
  Object.entries(platforms).map(([platform, where]) => [resolution, platform, { ...how, ...where }] as const),
);

describe("a program compiles with all of the packages' types checked", () => {
  // A sample has each platform and each resolution.
  it.each(cases.filter((_, i) => amount(i % 2, 0) === 0))("%s, for %s", (resolution, platform, options) => {
    // The viewer needs the DOM library.
    const names = [
      ...namesOf("zarr-wasm"),
      ...(options.lib.includes("dom") ? namesOf("zarr-wasm-viewer") : []),
    ];
    const lines = names.map((name, i) => `export * as m${i} from "${name}";`);
    const use = `
      import { configureWasm, HttpStore, open } from "zarr-wasm";
      import { FetchStore, registry } from "zarr-wasm/zarrita";
      configureWasm({ decode: new Uint8Array(1) });
      export const store = new HttpStore("https://example.org", { headers: { a: "b" } });
      export const opened = open(store, { kind: "array" }).then((array) => array.shape.length);
      export const got = new FetchStore("https://example.org").get("/x", { headers: { a: "b" } });
      export const entry: Promise<unknown> | unknown = registry.get("blosc")?.();`;
    const name = `${resolution}-${platform.replaceAll(/\W/g, "-")}`;
    expect(compile(name, [...lines, use].join("\n"), options)).toBe("");
  });

  it.for(Object.entries(compilers))(
    "and TypeScript %s gives elements their types",
    ([version, compiler], { skip }) => {
      skip(!existsSync(compiler), `TypeScript ${version} is not installed: npm ci`);
      const code = readFileSync(path.join(root, "tests/types/promises.ts"), "utf8");
      const options = {
        ...resolutions.nodenext,
        ...platforms["Node alone"],
        types: [],
        lib: ["es2023", "dom"],
      };
      expect(compile(`promises-${version}`, code, options, compiler)).toBe("");
      const wrong = code.replaceAll("// @ts-expect-error", "//");
      expect(compile(`wrong-${version}`, wrong, options, compiler).match(/error TS/g)).toHaveLength(
        code.match(/@ts-expect-error/g)!.length,
      );
    },
  );

  it("and declarations of inferred types name exported types only", () => {
    const code = `
      import { create, get, getBytes, getChunk, isZarrError, open, slice, WorkerPool } from "zarr-wasm";
      import { coordinateGraph, coordinatesOf, decodeCF, georeference, multiscales, sel } from "zarr-wasm/conventions";
      import { IcechunkStore, readParquet } from "zarr-wasm/formats";
      import { copy, verify } from "zarr-wasm/transfer";
      import { mountViewer } from "zarr-wasm-viewer";
      export const opened = await open("x");
      export const group = await open("x", { kind: "group" });
      export const array = await open("x", { kind: "array" });
      export const { zarrFormat, fillValue, attributes, dtype, shape } = array;
      export const region = await get(array, [slice(1)]);
      export const numbers = array.is("number") ? await get(array) : undefined;
      export const created = await create(new Map(), { shape: [2], dtype: "float32" });
      export const [chunk, bytes] = [await getChunk(created, [0]), await getBytes(array)];
      export const members = await group.members();
      export const { status } = new WorkerPool();
      export const tag = (error: unknown) => (isZarrError(error) ? [error._tag, error.code] : undefined);
      export const selection = await sel(array, { time: "2020" });
      export const levels = multiscales(group).map((image) => image.levels);
      export const mapping = await (await coordinateGraph(group)).between("a", "b");
      export const [coordinates, decoded] = [await coordinatesOf(group, array), decodeCF(array, region)];
      export const place = georeference(array);
      export const history = await IcechunkStore.open("x");
      export const table = await readParquet(new Uint8Array());
      export const [copied, verified] = [await copy("a", "b"), await verify("b")];
      export const viewer = mountViewer(document.body);
      export const { view } = viewer;
      export const { dataset, settings } = view!;
      export const { colormap, labels, layers, orbit, outside, curve, interpolation, clip, cut } = settings;
      export const wanted = document.createElement("zarr-viewer").settings;`;
    const options = { noEmit: false, declaration: true, outDir: "declarations" };
    const program = `import "zarr-wasm-viewer/element";${code}`;
    expect(
      compile("inferred", program, { ...resolutions.nodenext, ...platforms["a page"], ...options }),
    ).toBe("");
  });

  it("and the errors in it are found", () => {
    const code = `import { HttpStore } from "zarr-wasm"; export const store = new HttpStore(7);`;
    const options = { ...resolutions.nodenext, ...platforms["Node alone"] };
    expect(compile("wrong", code, options)).toContain("TS2345");
  });

  it("and the element's events, attributes and methods are typed", () => {
    const code = `
      import { ZarrViewerElement, type ZarrViewerProps } from "zarr-wasm-viewer/element";
      const viewer: ZarrViewerElement = document.createElement("zarr-viewer");
      viewer.addEventListener("change", (event) => event.detail.view.settings.colormap satisfies string);
      viewer.addEventListener("pointer", ({ detail }) => {
        // @ts-expect-error null when the pointer leaves
        detail.text;
        if (detail === null) return;
        detail.index satisfies readonly number[];
      });
      viewer.addEventListener("error", ({ detail }) => detail.message satisfies string);
      viewer.addEventListener("click", (event) => event.clientX satisfies number);
      viewer.range = [0, 255];
      viewer.range = "0:255";
      // @ts-expect-error not a range
      viewer.range = "all";
      // @ts-expect-error not a colour map
      viewer.colormap = "virdis";
      export const props: ZarrViewerProps = { src: "a.zarr", fps: 10, outside: "clamp", theme: "dark" };
      // @ts-expect-error not a mode
      export const wrong: ZarrViewerProps = { controls: "some" };`;
    expect(compile("element", code, { ...resolutions.bundler, ...platforms["a page"] })).toBe("");
  });

  it("and using declares pools and archives, in libraries that have it", () => {
    const code = `
      import { WorkerPool, ZipWriter } from "zarr-wasm";
      export async function use() {
        using pool = new WorkerPool();
        await using writer = new ZipWriter(() => {});
        await writer[Symbol.asyncDispose]();
        return pool.size;
      }
      // @ts-expect-error an archive must be awaited
      export function wrong() { using writer = new ZipWriter(() => {}); return writer.conditional; }`;
    const lib = ["es2023", "dom", "dom.iterable", "esnext.disposable"];
    expect(compile("using", code, { ...resolutions.bundler, lib, types: [] })).toBe("");
    const without = `
      import { WorkerPool } from "zarr-wasm";
      export const size: number = new WorkerPool().size;
      // @ts-expect-error not in this library
      export const symbol = Symbol.dispose;`;
    const old = { ...resolutions.bundler, lib: ["es2022", "dom", "dom.iterable"], types: [] };
    expect(compile("without-using", without, old)).toBe("");
  });

  it("every declaration that one of them imports is in its package", () => {
    const declarations = names.flatMap((name) =>
      filesOf(name)
        .filter((file) => /\.d\.m?ts$/.test(file))
        .map((file) => path.join(name, file)),
    );
    for (const file of declarations) {
      const text = readFileSync(path.join(modules, file), "utf8");
      for (const [, target] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
        const declaration = path.join(modules, path.dirname(file), target!.replace(/\.(m?)js$/, ".d.$1ts"));
        expect(existsSync(declaration), `${file}: ${target}`).toBe(true);
      }
    }
    expect(declarations.length).toBeGreaterThan(50);
  });
});
