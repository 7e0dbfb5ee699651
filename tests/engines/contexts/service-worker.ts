/**
 * The suite in a service worker, which forbids import(). The library uses it to load its glue on demand; here
 * it is bundled into one file, and configured with the locations of its modules.
 */
import { configureWasm } from "zarr-wasm";
import "../suite/all.js";
import { answer, type Question } from "./host.js";

configureWasm({
  decode: new URL("/wasm/decode.wasm", location.href),
  full: new URL("/wasm/full.wasm", location.href),
});

type Lasting = MessageEvent<Question> & { waitUntil(work: Promise<unknown>): void };

Object.assign(globalThis, {
  onmessage: (event: Lasting) => event.waitUntil(answer(event.data)),
});
