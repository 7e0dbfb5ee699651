// The package from a user's view: exports, the ways to supply the wasm, the published files.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { programEntries } from "../../../scripts/lib/entries.mjs";
import { packages } from "../../../scripts/lib/packages.mjs";

const root = new URL("../../../", import.meta.url).pathname;

/** Runs a module in a fresh process, without any wasm loaded. */
function runModule(code: string): string {
  const result = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: root,
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(result.stderr);
  return result.stdout.trim();
}

const decode = `
  const { createCodecChain, configureWasm } = await import("zarr-wasm/codecs");
  const check = async () => {
    const chain = await createCodecChain({ dtype: "int16", shape: [2], codecs: [{ name: "bytes", configuration: { endian: "big" } }] });
    console.log([...chain.decode(Uint8Array.of(0, 1, 0, 2))].join());
  };`;
const wasmFile = JSON.stringify(new URL("../../../dist/wasm/decode.wasm", import.meta.url).pathname);

/** Classes of which zarr-wasm/zarrita exports only the type, which reports do not tell. */
const exportedAsTypes: Readonly<Record<string, readonly string[]>> = {
  zarrita: ["ReferenceStore", "ZipFileStore"],
  formats: ["FileReferences"],
};

/** Names of the values that an entry exports, by its report in tests/api, which `npm run api` writes. */
function valuesInReport(report: string): string[] {
  const text = readFileSync(path.join(root, `tests/api/${report}.api.md`), "utf8");
  const declared = [...text.matchAll(/^(export )?(?:abstract )?(?:class|const|function) (\w+)/gm)];
  const values = new Set(declared.map(([, , name]) => name!));
  const renamed = [...text.matchAll(/^export \{ (\w+)(?: as (\w+))? \}/gm)].filter(([, name]) =>
    values.has(name!),
  );
  return [
    ...new Set([
      ...declared.flatMap(([, isExported, name]) => (isExported ? [name!] : [])),
      ...renamed.map(([, name, other]) => other ?? name!),
    ]),
  ]
    .filter((name) => !exportedAsTypes[report]?.includes(name))
    .sort();
}

describe("public API", () => {
  // The classes of numcodecs/* are default exports, and "worker" is the script of workers.
  const entries = programEntries.filter(
    ({ name, subpath }) => /^\.(?:\/\w+)?$/.test(subpath) && name !== "worker",
  );
  it.each(entries.map((entry) => [entry.subpath, entry] as const))(
    "%s exports the values of its report",
    async (_subpath, { module, name }) => {
      const names = valuesInReport(name.replaceAll("/", "-"));
      expect(names.length).toBeGreaterThan(0);
      expect(Object.keys(await import(module)).sort()).toEqual(names);
    },
  );

  it("the aliases, which Parcel reads instead of exports, name every subpath", () => {
    const { alias, exports } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
      alias: Record<string, string>;
      exports: Record<string, { default?: string }>;
    };
    const files = Object.entries(exports).flatMap(([subpath, { default: file }]) =>
      subpath !== "." && file ? [[subpath, file]] : [],
    );
    expect(alias).toEqual(Object.fromEntries(files));
  });
});

describe("loading the wasm", () => {
  it.each([
    ["the packaged file", ""],
    ["bytes", `configureWasm({ decode: (await import("node:fs")).readFileSync(${wasmFile}) });`],
    [
      "an ArrayBuffer promise",
      `configureWasm({ decode: (await import("node:fs/promises")).readFile(${wasmFile}).then((b) => new Uint8Array(b)) });`,
    ],
    [
      "a function",
      `configureWasm({ decode: async () => (await import("node:fs")).readFileSync(${wasmFile}) });`,
    ],
    ["a file URL", `configureWasm({ decode: new URL("file://" + ${wasmFile}) });`],
    [
      "a compiled module",
      `configureWasm({ decode: new WebAssembly.Module((await import("node:fs")).readFileSync(${wasmFile})) });`,
    ],
    [
      "a Response",
      `configureWasm({ decode: new Response((await import("node:fs")).readFileSync(${wasmFile}), { headers: { "content-type": "application/wasm" } }) });`,
    ],
  ])("from %s", (_what, configure) => {
    expect(runModule(`${decode} ${configure} await check();`)).toBe("1,2");
  });

  it("fails with a typed error, and can be tried again", () => {
    const code = `${decode}
      configureWasm({ decode: new URL("file:///nowhere.wasm") });
      await check().catch((e) => console.log(e._tag));
      configureWasm({ decode: new Uint8Array([1, 2, 3]) });
      await check().catch((e) => console.log(e._tag));
      configureWasm({ decode: new URL("file://" + ${wasmFile}) });
      await check();`;
    expect(runModule(code)).toBe("EngineFailed\nEngineFailed\n1,2");
  });

  it("works if strings cannot be compiled", () => {
    const code = `${decode} await check();`;
    const args = ["--disallow-code-generation-from-strings", "--input-type=module", "-e", code];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    expect([stdout.trim(), stderr]).toEqual(["1,2", ""]);
  });

  it("imports nothing and loads nothing before it is needed", () => {
    expect(
      runModule(
        `globalThis.WebAssembly = undefined; await import("zarr-wasm"); await import("zarr-wasm/codecs"); await import("zarr-wasm/zarrita"); await import("zarr-wasm/numcodecs"); console.log("ok")`,
      ),
    ).toBe("ok");
  });
});

it("no script of the viewer imports its page, which would start in other pages", () => {
  const viewer = `${root}web/viewer/dist/`;
  const scripts = readdirSync(viewer).filter((file) => file.endsWith(".js") && file !== "page.min.js");
  expect(scripts.length).toBeGreaterThan(20);
  expect(scripts.filter((file) => readFileSync(viewer + file, "utf8").includes("page.min.js"))).toEqual([]);
});

it("addresses of the viewer page's files change with their contents", () => {
  const viewer = `${root}web/viewer/dist/`;
  const page = readFileSync(`${viewer}index.html`, "utf8");
  const addresses = [...page.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, at]) => at!);
  const scripts = readdirSync(viewer).filter((file) => file.endsWith(".js"));
  const code = scripts.map((file) => readFileSync(viewer + file, "utf8")).join("\n");
  const ofModules: string[] = code.match(/(?<=[`"])[\w.-]+\?v=\w+(?=[`"])/g) ?? [];
  expect([...new Set(ofModules)].map((at) => at.split("?")[0]).sort()).toEqual([
    "decode.wasm",
    "worker-chunk.js",
  ]);
  for (const at of [...addresses, ...ofModules].filter((name) => name !== "icon.svg")) {
    const [name, version] = at.split("?v=");
    const folder = ofModules.includes(at) ? `${root}dist/wasm/` : viewer;
    const sum = createHash("sha256")
      .update(readFileSync(folder + name))
      .digest("hex");
    if (version === undefined) expect(name).toMatch(/-[0-9a-z]{8}\.js$/);
    else expect([name, version]).toEqual([name, sum.slice(0, 8)]);
  }
  expect(addresses.filter((at) => at.includes("?v="))).toHaveLength(4);
});

it("no class has a static field called name: compilers that make assignments of fields would fail on it", () => {
  const files = ["dist/", "web/viewer/dist/"].flatMap((dist) =>
    readdirSync(root + dist, { recursive: true, encoding: "utf8" }).map((file) => dist + file),
  );
  const withField = files.filter(
    (file) => file.endsWith(".js") && /\bstatic name\s*=/.test(readFileSync(root + file, "utf8")),
  );
  expect(withField).toEqual([]);
});

describe("the bundles", () => {
  it.each(programEntries.map((entry) => [entry.subpath, entry] as const))(
    "%s exports the same as its source module",
    (_subpath, { name, module, targets }) => {
      const names = (file: string) =>
        runModule(`console.log(Object.keys(await import(${JSON.stringify(file)})).sort().join())`);
      expect(targets["default"]).toBe(`./dist/bundle/${name}.js`);
      expect(names(path.join(root, targets["default"]!))).toBe(names(module));
    },
  );

  it("share their parts: errors, arrays and modules are the same objects in all of them", () => {
    const code = `
      const [main, codecs] = [await import("zarr-wasm"), await import("zarr-wasm/codecs")];
      console.log(main.ZarrError === codecs.ZarrError, main.DType === codecs.DType, main.configureWasm === codecs.configureWasm);`;
    expect(runModule(code)).toBe("true true true");
  });

  it("find both modules, and the workers' script", () => {
    const code = `
      const { createCodecChain } = await import("zarr-wasm/codecs");
      const { get, open, WorkerPool } = await import("zarr-wasm");
      const codecs = [{ name: "bytes", configuration: { endian: "big" } }, { name: "zstd", configuration: { level: 1, checksum: false } }];
      const elements = Int32Array.from({ length: 100_000 }, (_, i) => i * i);
      const chain = await createCodecChain({ dtype: "int32", shape: [100_000], codecs });
      const meta = { zarr_format: 3, node_type: "array", shape: [100_000], data_type: "int32", codecs, fill_value: 0,
        chunk_grid: { name: "regular", configuration: { chunk_shape: [100_000] } }, chunk_key_encoding: { name: "default" } };
      const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(meta))], ["/c/0", chain.encode(elements)]]);
      const pool = new WorkerPool({ size: 1 });
      const array = await open(store, { kind: "array" });
      for (const options of [{}, { pool }]) {
        const { data } = await get(array, null, options);
        console.log(data.every((value, i) => value === elements[i]), pool.size);
      }`;
    expect(runModule(code)).toBe("true 1\ntrue 1");
  });
});

describe("the copies of the modules", () => {
  it("are the same bytes", () => {
    const code = `
      const { readFileSync } = await import("node:fs");
      const { embeddedModule } = await import("zarr-wasm/embedded");
      for (const name of ["decode", "full"])
        console.log(Buffer.compare(await embeddedModule(name), readFileSync("dist/wasm/" + name + ".wasm")));`;
    expect(runModule(code)).toBe("0\n0");
  });

  it("are found where the package's name cannot be resolved", () => {
    const home = mkdtempSync(path.join(tmpdir(), "zarr-wasm-copies-"));
    try {
      const filter = (file: string) => !file.endsWith(".wasm");
      for (const folder of ["bundle", "wasm"])
        cpSync(`${root}dist/${folder}`, path.join(home, "dist", folder), { recursive: true, filter });
      writeFileSync(path.join(home, "package.json"), '{ "type": "module" }');
      const codecs = JSON.stringify(path.join(home, "dist/bundle/codecs.js"));
      const code = `${decode.replace('"zarr-wasm/codecs"', codecs)} await check();
        const full = await createCodecChain({ dtype: "uint8", shape: [2], codecs: [{ name: "bytes" }, { name: "zstd" }] });
        console.log(full.encode(Uint8Array.of(1, 2)).length > 2);
        const png = createCodecChain({ dtype: "uint8", shape: [2, 2], codecs: [{ name: "imagecodecs_png" }] });
        await png.catch(({ code, message }) => console.log(code, message));`;
      const lines = runModule(code).split("\n");
      expect(lines.slice(0, 2)).toEqual(["1,2", "true"]);
      expect(lines[2]).toMatch(/^engine-failed images\.wasm could not be loaded: /);
      expect(lines[2]).toContain(
        "serve the package's dist/wasm/images.wasm and call configureWasm({ images: ",
      );
    } finally {
      rmSync(home, { recursive: true });
    }
  });

  it("are not in programs for workerd", () => {
    const { outputFiles } = buildSync({
      stdin: { contents: 'export { get, open } from "zarr-wasm";', resolveDir: root },
      absWorkingDir: root,
      bundle: true,
      format: "esm",
      conditions: ["workerd"],
      external: ["node:*", "*.wasm"],
      write: false,
      logOverride: { "ignored-bare-import": "silent" }, // see scripts/lib/chunks.mjs
    });
    expect(outputFiles).toHaveLength(1);
    expect(outputFiles[0]!.text.length).toBeLessThan(900_000);
    for (const name of ["decode", "full", "images"])
      expect(outputFiles[0]!.text).toContain(`import("../wasm/${name}.wasm")`);
  });
});

describe("the published packages", () => {
  /** Files that exports do not name. */
  it("the viewer's has the same licence and notices, which its build copies", () => {
    for (const name of ["LICENSE", "THIRD_PARTY_NOTICES.md"])
      expect(readFileSync(path.join(packages["zarr-wasm-viewer"], name), "utf8")).toBe(
        readFileSync(root + name, "utf8"),
      );
  });

  it("lists the sources of its modules, and their licences", () => {
    const { emscripten, libraries } = JSON.parse(readFileSync(`${root}dist/wasm/sources.json`, "utf8")) as {
      emscripten: string;
      libraries: Record<string, Record<string, string>>;
    };
    const pinned = JSON.parse(readFileSync(`${root}scripts/sources.json`, "utf8")) as Record<string, unknown>;
    expect(emscripten).toMatch(/^\d+\.\d+\.\d+/);
    expect(Object.keys(libraries)).toEqual(Object.keys(pinned));
    for (const [name, record] of Object.entries(libraries)) {
      if (record["folder"]) continue; // sources supplied by hand
      expect(record["sha256"], name).toMatch(/^[0-9a-f]{64}$/);
      expect(record["url"] ?? record["revision"], name).toBeTruthy();
      if (record["revision"]) expect(record["patchesSha256"], name).toMatch(/^[0-9a-f]{64}$/);
    }
    const notices = readFileSync(`${root}THIRD_PARTY_NOTICES.md`, "utf8");
    const titles = [...notices.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    const modules = [
      "zstd",
      "lz4",
      "libdeflate",
      "bzip2",
      "liblzma",
      "libjpeg-turbo",
      "LERC",
      "libwebp",
      "openjpeg",
      "Emscripten",
      "musl",
      "LLVM",
    ];
    expect(titles).toEqual([
      ...modules,
      "@preact/signals-core",
      "proj4",
      "mgrs",
      "wkt-parser",
      "Colour maps",
    ]);
  });

  it("has no bare imports: every module loads in a browser unchanged", () => {
    const seen = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, "utf8");
      for (const [, target] of text.matchAll(/(?:from\s+|import\(\s*)"([^"]+)"/g)) {
        // Bundlers find copies of the modules by this name; pages load them from the file's own folder.
        if (target === "zarr-wasm/embedded") continue;
        expect(target, file).toMatch(/^\.{1,2}\//);
        visit(new URL(target!, `file://${file}`).pathname);
      }
    };
    visit(`${root}dist/bundle/index.js`);
    visit(`${root}dist/bundle/codecs.js`);
    visit(`${root}dist/bundle/node.js`);
    visit(`${root}dist/bundle/compute.js`);
    visit(`${root}dist/bundle/transfer.js`);
    visit(`${root}dist/bundle/worker.js`);
    visit(`${root}dist/bundle/zarrita.js`);
    visit(`${root}dist/bundle/numcodecs.js`);
    expect(seen.size).toBeGreaterThan(20);
  });
});
