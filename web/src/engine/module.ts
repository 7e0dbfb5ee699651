/**
 * Loading the WebAssembly modules. Emscripten's glue never loads anything itself: the module is had from the package
 * (packaged.ts), or from where the caller says, and compiled once.
 */
import { engineFailed, messageOf } from "../util/errors.js";
import type { WasmModule } from "../util/web-types.js";
import type { Core } from "../wasm/core.js";
import { compileSource, type ModuleName, moduleNames, type WasmSource } from "./compile.js";
import { glue, packagedModule } from "./packaged.js";

export type { ModuleName, WasmSource } from "./compile.js";

type LazySource = WasmSource | Promise<WasmSource> | (() => WasmSource | Promise<WasmSource>);

const sources: Partial<Record<ModuleName, LazySource>> = {};
const compiled: Partial<Record<ModuleName, Promise<WasmModule>>> = {};

/**
 * Says where the WebAssembly modules come from, instead of the packaged files. Call it before the
 * first use of the library; a module that is loaded already stays in use.
 */
export function configureWasm(own: Partial<Record<ModuleName, LazySource>>): void {
  for (const name of moduleNames) {
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
  const given = sources[name];
  if (given === undefined) return packagedModule(name);
  return compileSource(await (typeof given === "function" ? given() : given));
}

/**
 * A fresh instance of a module, with memory of its own.
 * @throws EngineFailed where the module or its glue cannot be loaded, or no instance be made
 */
export async function instantiate(name: ModuleName): Promise<Core> {
  const [module, { default: factory }] = await Promise.all([
    compiledModule(name),
    glue[name]().catch((cause) => {
      throw failed(`the script of ${name}.wasm could not be loaded`, cause);
    }),
  ]);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(failed(`${name}.wasm could not be started`, cause));
    factory({
      // Never fetched. Without this the glue asks import.meta for a URL, which classic scripts do not have.
      locateFile: (file) => file,
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(module, imports)
          .then((instance) => done(instance, module))
          .catch(fail);
        return {};
      },
    }).then(resolve, fail);
  });
}

function failed(what: string, cause: unknown): Error {
  return engineFailed(`${what}: ${messageOf(cause)}`, { cause });
}
