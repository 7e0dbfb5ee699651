// npm run test:compat -- clients [NAME…]: programs that use zarrita must read the same elements with
// `zarr-wasm/zarrita` instead, with no more requests. The programs come from npm, into tests/clients/node_modules; the
// stores are served on loopback.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { buildAll } from "../build.mjs";
import { ensurePackagesOf } from "../lib/npm.mjs";
import { buildDir, distDir, root } from "../lib/paths.mjs";
import { runMain, SetupError, step } from "../lib/process.mjs";
import { summarise } from "../lib/reports.mjs";

const clients = path.join(root, "tests/clients");
const out = path.join(buildDir, "clients");

/** The programs, and the zarrita release line that each is written for. */
const programs = {
  "vivjs-loaders": "0.5",
  "ome-zarr-js": "0.5",
  "anndata-js": "0.5",
  "vitessce-zarr": "0.7",
  "carbonplan-zarr-layer": "0.7",
  "fideus-fizarrita": "0.6",
  "fideus-ngff-zarr": "0.6",
};

/** Which zarrita a bundle contains: npm's, of one release line, or this package. */
function libraryPlugin(library) {
  const own = library === "zarr-wasm";
  const file = path.join(distDir, "bundle/zarrita.js");
  return {
    name: "library",
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^zarrita$/ }, (asked) =>
        own
          ? { path: file, external: true } // finds its wasm relative to its own path
          : resolve(`zarrita-${library}`, { resolveDir: clients, kind: asked.kind }),
      );
      // Its bundle contains zarrita.
      onResolve({ filter: /^@vitessce\/zarr-utils$/ }, () => ({
        path: path.join(clients, "node_modules/@vitessce/zarr-utils/src/index.ts"),
      }));
    },
  };
}

/** Bundles a program with a library. @returns the path of the file. */
async function bundle(name, library) {
  const dir = path.join(out, `${name}-${library}`);
  mkdirSync(dir, { recursive: true });
  const options = {
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
    outExtension: { ".js": ".mjs" },
    outdir: dir,
    mainFields: ["module", "main"],
    // Called by CommonJS packages among the dependencies.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    plugins: [libraryPlugin(library)],
  };
  const contents = `import { main } from "./main.mjs"; import { read } from "./programs/${name}.mjs"; await main(read);`;
  await build({ ...options, stdin: { contents, resolveDir: clients, sourcefile: "program.mjs" } });
  const worker = `import "./be-worker.mjs"; import "./node_modules/@fideus-labs/fizarrita/dist/codec-worker.js";`;
  // The script is imported for its side effects, but its package.json declares none.
  const stdin = { contents: worker, resolveDir: clients, sourcefile: "codec-worker.mjs" };
  await build({
    ...options,
    outdir: undefined,
    outfile: path.join(dir, "codec-worker.mjs"),
    stdin,
    ignoreAnnotations: true,
  });
  return path.join(dir, "stdin.mjs");
}

/** Serves the stores, with the tests' own server. */
async function startServer() {
  const outfile = path.join(out, "server.mjs");
  const contents = `
    import { ObjectServer } from "../node/support/store-server.js";
    import { stores } from "./fixtures.js";
    export const start = async () => new ObjectServer(await stores()).start();`;
  await build({
    stdin: { contents, resolveDir: clients },
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["zarr-wasm"],
    outfile,
  });
  return (await import(outfile)).start();
}

/** Runs a bundle. @returns the values that it has read. */
function execute(file, url) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, url], { stdio: ["ignore", "pipe", "pipe"] });
    const text = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"]) child[stream].on("data", (data) => (text[stream] += data));
    const timer = setTimeout(() => child.kill(), 60_000);
    child.on("close", (status) => {
      clearTimeout(timer);
      if (status === 0) resolve(JSON.parse(text.stdout.slice(text.stdout.indexOf("["))));
      else reject(new Error(`exited with ${status}\n${text.stdout}${text.stderr}`));
    });
  });
}

/** Reads with a library. @returns the values, and the requests made for them. */
async function measure(server, name, library) {
  const file = await bundle(name, library);
  server.seen.length = 0;
  const results = await execute(file, server.url);
  return { results, log: server.log };
}

/** Returns the paths at which two results differ. */
function differencesOf(a, b, place = "") {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return a === b ? [] : [`${place}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) => differencesOf(a[key], b[key], `${place}/${key}`));
}

async function compare(server, name) {
  const line = programs[name];
  const theirs = await measure(server, name, line);
  const own = await measure(server, name, "zarr-wasm");
  const faults = differencesOf(theirs.results, own.results);
  if (!/Array of [1-9]|\d{4}/.test(JSON.stringify(own.results))) faults.push("no elements were read");
  if (own.log.length > theirs.log.length) {
    const known = [...theirs.log];
    const more = own.log.filter((entry) => {
      const at = known.indexOf(entry);
      if (at >= 0) known.splice(at, 1);
      return at < 0;
    });
    faults.push(`more requests: ${more.join(", ")}`);
  }
  console.log(
    `  ${name}: ${theirs.log.length} requests with zarrita ${line}, ${own.log.length} with zarr-wasm/zarrita`,
  );
  for (const fault of faults.slice(0, 20)) console.error(`    ${fault}`);
  return faults.length === 0;
}

runMain(async () => {
  const chosen = process.argv.slice(2);
  const unknown = chosen.find((name) => !(name in programs));
  if (unknown)
    throw new SetupError(`unknown program "${unknown}"; expected one of ${Object.keys(programs).join(", ")}`);
  await buildAll();
  ensurePackagesOf(clients, "Installing the programs", ["--legacy-peer-deps"]);
  step("Programs that use zarrita");
  const server = await startServer();
  const counts = { passed: 0, failed: 0 };
  try {
    for (const name of chosen.length > 0 ? chosen : Object.keys(programs)) {
      const ok = await compare(server, name).catch(
        (error) => console.error(`  ${name}: ${error.message}`) ?? false,
      );
      counts[ok ? "passed" : "failed"]++;
    }
  } finally {
    await server.close();
  }
  return summarise([{ name: "clients", ...counts }]);
});
