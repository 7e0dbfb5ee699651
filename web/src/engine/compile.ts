/** Compiles WebAssembly modules from any kind of source. */
import { isFileUrl, readFileUrl, type WasmModule } from "../util/platform.js";

/**
 * decode: the common decoders. full: all of those, the encoders and the rare decoders. images: all decoders,
 * including those of images, but no encoders.
 */
export type ModuleName = "decode" | "full" | "images";

/** The modules; each includes the decoders of those before it. */
export const moduleNames: readonly ModuleName[] = ["decode", "full", "images"];

/** Returns the one of two modules that has the decoders of both. */
export function largerModule(a: ModuleName, b: ModuleName): ModuleName {
  return moduleNames.indexOf(a) < moduleNames.indexOf(b) ? b : a;
}

/** Source of a module: its URL, its bytes, a response that streams them, or a compiled module. */
export type WasmSource = string | URL | ArrayBufferView<ArrayBuffer> | ArrayBuffer | Response | WasmModule;

/** Compiles the module from a source. URLs are relative to the page. */
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
  // Not `instanceof Response`: accessing that global makes Node load all of its fetch, which takes longer
  // than this.
  if (!("arrayBuffer" in source)) return WebAssembly.compile(source);
  if (!source.ok) throw new Error(`${source.url} answered ${source.status}`);
  // Streaming compilation requires the media type, which not every server sends.
  const type = source.headers.get("content-type") ?? "";
  if (/^application\/wasm\b/.test(type)) return WebAssembly.compileStreaming(source);
  const bytes = await source.arrayBuffer();
  if (!isModule(new Uint8Array(bytes)))
    throw new Error(`${source.url} is not a WebAssembly module, but ${type || "something else"}`);
  return WebAssembly.compile(bytes);
}

/** "\0asm", the start of every module, but not of an error page that a server returns instead. */
const isModule = (bytes: Uint8Array): boolean =>
  [0, 0x61, 0x73, 0x6d].every((byte, at) => bytes[at] === byte);
