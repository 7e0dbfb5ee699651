/**
 * The library's modules, as modules of the Worker: an edge runtime compiles WebAssembly when a Worker is deployed, and
 * never from bytes that it is given later.
 */
import { configureWasm } from "zarr-wasm";
import decode from "zarr-wasm/decode.wasm";
import full from "zarr-wasm/full.wasm";

configureWasm({ decode, full });
