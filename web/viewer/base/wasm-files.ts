/** Finds the files of zarr-wasm that the bundled scripts load at run time: modules, and the script of workers. */

/** Version of both packages; the build replaces it. */
declare const ZARR_WASM_VERSION: string;

/**
 * Returns the address of the folder `wasm` of zarr-wasm: in the package of that name beside this one, in node_modules or
 * on a CDN; else beside the folder of the scripts, as local servers have it.
 * @param script address of a script of this package
 */
export function wasmFolder(script: string): string {
  const [, below] = /^(.*\/)zarr-wasm-viewer(?:@[^/]*)?\/dist\/[^/]*$/.exec(script) ?? [];
  if (below === undefined) return new URL("../wasm/", script).href;
  // CDNs have every version; the modules must be those that the bundled library was built with.
  const version = below.endsWith("/node_modules/") ? "" : `@${ZARR_WASM_VERSION}`;
  return `${below}zarr-wasm${version}/dist/wasm/`;
}

/** Returns the address of a file in that folder. */
export const wasmFile = (name: string): URL => new URL(name, wasmFolder(import.meta.url));
