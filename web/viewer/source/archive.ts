/** Archives, loaded with the first. */
export { ZipStore } from "zarr-wasm";
