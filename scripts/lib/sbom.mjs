// The contents of the package as a CycloneDX document: dist/sbom.cdx.json. The package has no dependencies, but the
// WebAssembly modules contain C libraries and parts of the compiler's runtime, and the viewer bundled npm packages.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { distDir, root, wasmModules } from "./paths.mjs";

/** Licences of the modules' contents, as SPDX expressions; their wording is in THIRD_PARTY_NOTICES.md. */
const licences = {
  zstd: "BSD-3-Clause",
  lz4: "BSD-2-Clause",
  libdeflate: "MIT",
  bzip2: "bzip2-1.0.6",
  xz: "LicenseRef-public-domain",
  libjpeg: "IJG AND BSD-3-Clause AND Zlib",
  lerc: "Apache-2.0",
  libwebp: "BSD-3-Clause",
  openjpeg: "BSD-2-Clause",
  emscripten: "MIT",
  musl: "MIT",
  llvm: "Apache-2.0 WITH LLVM-exception",
  "@preact/signals-core": "MIT",
  proj4: "MIT",
  mgrs: "MIT",
  "wkt-parser": "MIT",
};

/** Packages of npm in the package's scripts. */
const bundledPackages = ["@preact/signals-core", "proj4", "mgrs", "wkt-parser"];

const licence = (name) => {
  if (!licences[name]) throw new Error(`scripts/lib/sbom.mjs has no licence for ${name}`);
  return [{ expression: licences[name] }];
};

/** "1.5.4" of an archive's name or URL. */
const versionOf = ({ archive, url }) =>
  /(\d+(?:\.\d+)+)/.exec(path.posix.basename(archive ?? url ?? ""))?.[1];

/** A C library listed in dist/wasm/sources.json. */
function library(name, record) {
  const version = versionOf(record);
  const isDebian = Boolean(record.revision);
  const properties = ["package", "revision", "archive", "patches", "patchesSha256", "folder"]
    .filter((key) => record[key])
    .map((key) => ({ name: `zarr-wasm:${key}`, value: record[key] }));
  return {
    type: "library",
    "bom-ref": `library:${name}`,
    name,
    ...(version && { version }),
    licenses: licence(name),
    ...(record.sha256 && { hashes: [{ alg: "SHA-256", content: record.sha256 }] }),
    ...(isDebian && {
      purl: `pkg:deb/debian/${record.package}@${encodeURIComponent(record.revision)}?arch=source`,
    }),
    ...(!isDebian && version && { purl: `pkg:generic/${name}@${version}` }),
    ...(record.url && { externalReferences: [{ type: "source-distribution", url: record.url }] }),
    ...(properties.length > 0 && { properties }),
  };
}

/** A file that is linked from the compiler's own libraries. */
const runtime = (name, emscripten) => ({
  type: "library",
  "bom-ref": `runtime:${name}`,
  name,
  description: `Part of Emscripten ${emscripten}`,
  licenses: licence(name),
});

/** A bundled package of npm, in the version that package.json pins. */
function bundledPackage(name, { devDependencies }) {
  // Dependencies of bundled packages are not in the manifest.
  const installed = path.join(root, "node_modules", name, "package.json");
  const version = devDependencies[name] ?? JSON.parse(readFileSync(installed, "utf8")).version;
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { type: "library", "bom-ref": `npm:${name}`, name, version, licenses: licence(name), purl };
}

/** A module of the package, with its components. */
const wasm = (name, components) => ({
  type: "file",
  "bom-ref": `file:${name}`,
  name: `dist/wasm/${name}`,
  hashes: [{ alg: "SHA-256", content: sha256(readFileSync(path.join(distDir, "wasm", name))) }],
  components,
});

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** The document. It is reproducible: it has no time, and its serial number is derived from its content. */
export function billOfMaterials() {
  const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const { name, version, description, license } = manifest;
  const { emscripten, libraries } = JSON.parse(readFileSync(path.join(distDir, "wasm/sources.json"), "utf8"));
  const purl = `pkg:npm/${name}@${version}`;
  const compiler = {
    type: "application",
    "bom-ref": "tool:emscripten",
    name: "emscripten",
    version: emscripten,
    licenses: licence("emscripten"),
  };
  const runtimes = ["musl", "llvm"].map((part) => runtime(part, emscripten));
  const parts = Object.entries(libraries).map(([part, record]) => library(part, record));
  const packages = bundledPackages.map((part) => bundledPackage(part, manifest));
  const body = {
    metadata: {
      component: {
        type: "library",
        "bom-ref": purl,
        name,
        version,
        description,
        licenses: [{ license: { id: license } }],
        purl,
      },
      tools: { components: [compiler] },
    },
    components: [
      ...parts,
      ...runtimes,
      ...packages,
      ...wasmModules.map((name) => wasm(`${name}.wasm`, [])),
    ].map(withoutEmpty),
    dependencies: dependencies(purl, parts, runtimes, packages),
  };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: serialNumber(body),
    version: 1,
    ...body,
  };
}

function withoutEmpty({ components, ...component }) {
  return components?.length > 0 ? { ...component, components } : component;
}

/** Libraries missing from the decode module; of these, the ones that only the images module has. */
const notInDecode = ["bzip2", "xz"];
const ofImages = ["libjpeg", "lerc", "libwebp", "openjpeg"];

function dependencies(purl, parts, runtimes, packages) {
  const refs = (list) => list.map((component) => component["bom-ref"]);
  const without = (names) => parts.filter(({ name }) => !names.includes(name));
  const inside = { decode: without([...notInDecode, ...ofImages]), full: without(ofImages), images: parts };
  return [
    { ref: purl, dependsOn: [...wasmModules.map((name) => `file:${name}.wasm`), ...refs(packages)] },
    ...wasmModules.map((name) => ({
      ref: `file:${name}.wasm`,
      dependsOn: refs([...inside[name], ...runtimes]),
    })),
  ];
}

/** A UUID of version 8, derived from the content. */
function serialNumber(body) {
  const hex = sha256(JSON.stringify(body));
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Writes dist/sbom.cdx.json. */
export function writeBill() {
  const file = path.join(distDir, "sbom.cdx.json");
  const text = `${JSON.stringify(billOfMaterials(), null, 2)}\n`;
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
