#!/usr/bin/env node
// npx zarr-wasm-viewer SOURCE: runs `zarr-wasm view SOURCE`, which serves this package's page.
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const manifest = require.resolve("zarr-wasm/package.json");
const { bin } = require(manifest);
process.argv.splice(2, 0, "view");
await import(pathToFileURL(path.join(path.dirname(manifest), bin["zarr-wasm"])).href);
