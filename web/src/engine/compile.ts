/** Compiling WebAssembly modules, whatever form they come in. */
import { isFileUrl, readFileUrl } from "../util/platform.js";
import type { WasmModule } from "../util/web-types.js";

/**
 * decode: the decoders that chunks in the wild use. full: all of those, encoders and rare decoders. images: all decoders,
 * those of images among them, and no encoders.
 */
export type ModuleName = "decode" | "full" | "images";

/** The modules; each has the decoders of those before it. */
export const moduleNames: readonly ModuleName[] = ["decode", "full", "images"];

/** The one of two modules that has the decoders of both. */
export function largerModule(a: ModuleName, b: ModuleName): ModuleName {
  return moduleNames.indexOf(a) < moduleNames.indexOf(b) ? b : a;
}

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
