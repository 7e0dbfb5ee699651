/**
 * Loads the WebAssembly modules. Emscripten's glue never loads anything itself: each module comes from the
 * package (packaged.ts) or from the source that the caller configured, and is compiled once.
 */
import { engineFailed, messageOf } from "../util/errors.js";
import type { WasmModule } from "../util/platform.js";
import type { Core } from "../wasm/core.js";
import { compileSource, type ModuleName, moduleNames, type WasmSource } from "./compile.js";
import { glue, packagedModule } from "./packaged.js";

export type { ModuleName, WasmSource } from "./compile.js";

type LazySource = WasmSource | Promise<WasmSource> | (() => WasmSource | Promise<WasmSource>);

const sources: Partial<Record<ModuleName, LazySource>> = {};
const compiled: Partial<Record<ModuleName, Promise<WasmModule>>> = {};

/**
 * Sets the sources of the WebAssembly modules, instead of the packaged files. Must be called before the
 * first use of the library; modules that are already loaded stay in use.
 */
export function configureWasm(own: Partial<Record<ModuleName, LazySource>>): void {
  for (const name of moduleNames) {
    const source = own[name];
    if (source === undefined) continue;
    sources[name] = source;
    delete compiled[name];
  }
}

/** Returns the compiled module, which all instances (and workers) share. */
export function compiledModule(name: ModuleName): Promise<WasmModule> {
  compiled[name] ??= compile(name).catch((cause) => {
    delete compiled[name]; // dropped so that the next call retries
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
 * Creates an instance of a module, with its own memory.
 * @throws EngineFailed if the module or its glue cannot be loaded or instantiated
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
      // Never fetched. Without this, the glue reads a URL from import.meta, which classic scripts do not
      // have.
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
