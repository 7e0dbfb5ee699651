/**
 * The suite in a service worker. There import() is forbidden, which the library uses to load its glue when it is
 * needed: so it comes in one file, and is told where its modules are.
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
