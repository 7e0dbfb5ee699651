// The addresses at which the viewer's scripts find the files of zarr-wasm.
import { expect, it } from "vitest";
import { wasmFolder } from "../../../web/viewer/base/wasm-files.js";

Object.assign(globalThis, { ZARR_WASM_VERSION: "1.2.3" });

const cdn = "https://cdn.example.org/npm";

it.each([
  ["http://localhost/viewer/page.min.js", "http://localhost/wasm/"],
  ["http://localhost/viewer/page.min.js?v=1", "http://localhost/wasm/"],
  ["https://example.org/static/scripts/start-1.js", "https://example.org/static/wasm/"],
  [
    "https://example.org/node_modules/zarr-wasm-viewer/dist/viewer.min.js",
    "https://example.org/node_modules/zarr-wasm/dist/wasm/",
  ],
  [`${cdn}/zarr-wasm-viewer/dist/viewer.min.js`, `${cdn}/zarr-wasm@1.2.3/dist/wasm/`],
  [`${cdn}/zarr-wasm-viewer@1/dist/start-1.js`, `${cdn}/zarr-wasm@1.2.3/dist/wasm/`],
])("%s", (script, folder) => {
  expect(wasmFolder(script)).toBe(folder);
});
