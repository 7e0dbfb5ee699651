/**
 * Loading the WebAssembly modules. Emscripten's glue never loads anything itself: the bytes are had
 * here, by URL, from disk, or from the caller, and compiled once.
 */
import { engineFailed } from "../base/errors.js";
import { isFileUrl, readFileUrl } from "../base/platform.js";
import type { WasmModule } from "../base/web-types.js";
import type { Core, CoreFactory } from "../wasm/core.js";

/** decode: the decoders that chunks in the wild use. full: all of those, encoders and rare decoders. */
export type ModuleName = "decode" | "full";

/** Where a module comes from: its URL, its bytes, an answer that streams them, or it is compiled already. */
export type WasmSource = string | URL | ArrayBufferView<ArrayBuffer> | ArrayBuffer | Response | WasmModule;
type LazySource = WasmSource | Promise<WasmSource> | (() => WasmSource | Promise<WasmSource>);

/** The packaged files. Written so that bundlers recognise and copy them. */
const packaged: Readonly<Record<ModuleName, () => URL>> = {
  decode: () => new URL("../wasm/decode.wasm", import.meta.url),
  full: () => new URL("../wasm/full.wasm", import.meta.url),
};

const factories: Readonly<Record<ModuleName, () => Promise<{ default: CoreFactory }>>> = {
  decode: () => import("../wasm/decode.mjs"),
  full: () => import("../wasm/full.mjs"),
};

const sources: Partial<Record<ModuleName, LazySource>> = {};
const compiled: Partial<Record<ModuleName, Promise<WasmModule>>> = {};

/**
 * Says where the WebAssembly modules come from, instead of the packaged files. Call it before the
 * first use of the library; a module that is loaded already stays in use.
 */
export function configureWasm(own: Partial<Record<ModuleName, LazySource>>): void {
  for (const name of ["decode", "full"] as const) {
    const source = own[name];
    if (source === undefined) continue;
    sources[name] = source;
    delete compiled[name];
  }
}

/** The compiled module; compiled once, shared by every instance (and by workers). */
export function compiledModule(name: ModuleName): Promise<WasmModule> {
  compiled[name] ??= compile(name).catch((cause) => {
    delete compiled[name]; // a later call may be luckier
    throw failed(`${name}.wasm could not be loaded`, cause);
  });
  return compiled[name];
}

async function compile(name: ModuleName): Promise<WasmModule> {
  const given = sources[name] ?? packaged[name]();
  const source = await (typeof given === "function" ? given() : given);
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === "string" || source instanceof URL) {
    const url = new URL(source, globalThis.location?.href ?? import.meta.url);
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
  return /^application\/wasm\b/.test(type)
    ? WebAssembly.compileStreaming(source)
    : WebAssembly.compile(await source.arrayBuffer());
}

/**
 * A fresh instance of a module, with memory of its own.
 * @throws EngineFailed where the module or its glue cannot be loaded, or no instance be made
 */
export async function instantiate(name: ModuleName): Promise<Core> {
  const [module, { default: factory }] = await Promise.all([
    compiledModule(name),
    factories[name]().catch((cause) => {
      throw failed(`the script of ${name}.wasm could not be loaded`, cause);
    }),
  ]);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(failed(`${name}.wasm could not be started`, cause));
    factory({
      // Never fetched. Without this the glue asks import.meta for a URL, which classic scripts do not have.
      locateFile: (file) => file,
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(module, imports).then((instance) => done(instance, module), fail);
        return {};
      },
    }).then(resolve, fail);
  });
}

function failed(what: string, cause: unknown): Error {
  return engineFailed(`${what}: ${cause instanceof Error ? cause.message : cause}`, { cause });
}
