// Packages that the viewer is compared with. They are installed below build/, apart from the project's own.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { step } from "../../scripts/lib/process.mjs";

/** For pictures, in addition to zarrita and numcodecs, which the tests also use. */
export const picturePeers = {
  "@deck.gl/core": "9.2.11",
  "@deck.gl/extensions": "9.2.11",
  "@deck.gl/geo-layers": "9.2.11",
  "@deck.gl/layers": "9.2.11",
  "@deck.gl/mesh-layers": "9.2.11",
  "@vivjs/extensions": "0.21.0",
  "@vivjs/layers": "0.21.0",
};

/** For pictures of slices of volumes. */
export const slicePeers = { "@niivue/niivue": "0.67.0" };

/** For volumes. */
export const volumePeers = {
  ...slicePeers,
  "@aics/vole-core": "4.9.0",
  "@fideus-labs/fidnii": "0.2.0",
  "@fideus-labs/ngff-zarr": "0.7.2",
};

/** Installs packages in a separate folder, once. */
export function installPeers(dir, peers) {
  const wanted = Object.entries(peers).map(([name, version]) => `${name}@${version}`);
  const isThere = Object.entries(peers).every(([name, version]) => {
    const file = path.join(dir, "node_modules", name, "package.json");
    return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version === version;
  });
  if (isThere) return;
  step("Installing what the viewer is compared with");
  mkdirSync(dir, { recursive: true });
  const options = [
    "--prefix",
    dir,
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--loglevel=error",
  ];
  execFileSync("npm", ["install", ...options, ...wanted], { stdio: "inherit" });
}

/** Bundles pages that import packages of a folder. @param entries modules by the name of the file */
export function bundlePeers(entries, out, peerDir) {
  return build({
    entryPoints: entries,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    outdir: out,
    nodePaths: [path.join(peerDir, "node_modules")],
    external: ["node:*"],
    logLevel: "error",
  });
}
