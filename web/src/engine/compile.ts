/** Compiling WebAssembly modules, whatever form they come in. */
import { isFileUrl, readFileUrl } from "../base/platform.js";
import type { WasmModule } from "../base/web-types.js";

/** decode: the decoders that chunks in the wild use. full: all of those, encoders and rare decoders. */
export type ModuleName = "decode" | "full";

/** Where a module comes from: its URL, its bytes, an answer that streams them, or it is compiled already. */
export type WasmSource = string | URL | ArrayBufferView<ArrayBuffer> | ArrayBuffer | Response | WasmModule;

/** The module that a source is, or leads to. Addresses are relative to the page. */
export async function compileSource(source: WasmSource): Promise<WasmModule> {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === "string" || source instanceof URL) {
    const url = new URL(source, globalThis.location?.href);
    return compileBytes(isFileUrl(url) ? await readFileUrl(url) : await fetch(url));
  }
  return compileBytes(source);
}

async function compileBytes(
  source: ArrayBufferView<ArrayBuffer> | ArrayBuffer | Response,
): Promise<WasmModule> {
  // Not `instanceof Response`: to look at that name makes Node load all of its fetch, which takes longer than this.
  if (!("arrayBuffer" in source)) return WebAssembly.compile(source);
  if (!source.ok) throw new Error(`${source.url} answered ${source.status}`);
  // Streaming compilation insists on the media type, which not every server sends.
  const type = source.headers.get("content-type") ?? "";
  if (/^application\/wasm\b/.test(type)) return WebAssembly.compileStreaming(source);
  const bytes = await source.arrayBuffer();
  if (!isModule(new Uint8Array(bytes)))
    throw new Error(`${source.url} is not a WebAssembly module, but ${type || "something else"}`);
  return WebAssembly.compile(bytes);
}

/** "\0asm": what every module begins with, and no page of a server that has no such file. */
const isModule = (bytes: Uint8Array): boolean =>
  [0, 0x61, 0x73, 0x6d].every((byte, at) => bytes[at] === byte);
