/**
 * Loads the WebAssembly modules, and manages sessions: one per module and thread, created on first use, replaced when
 * broken or too large.
 *
 * Emscripten's glue never loads anything itself: each module comes from the package (packaged.ts) or from the source that
 * the caller configured, and is compiled once.
 */

import { engineFailed, messageOf } from "../util/errors.js";
import type { WasmModule } from "../util/platform.js";
import type { Core } from "../wasm/core.js";
import { compileSource, type ModuleName, moduleNames, type WasmSource } from "./compile.js";
import { glue, packagedModule } from "./packaged.js";
import { CodecSession, HeapDemand, NeedsFullModule } from "./session.js";

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

/** Maximum for one WebAssembly memory; the caller's own limits are checked before plans are made. */
const maxChunkBytes = 2 ** 31 - 1;

const sessions: Partial<Record<ModuleName, Promise<CodecSession>>> = {};

/** The most recently started session of each module. */
const loaded: Partial<Record<ModuleName, CodecSession>> = {};
/** Memory statistics, passed from each instance to its successor. */
const demands: Readonly<Record<ModuleName, HeapDemand>> = {
  decode: new HeapDemand(),
  full: new HeapDemand(),
  images: new HeapDemand(),
};

/**
 * Returns the session of a module; a new one after a failure, or if the old one's memory is far larger than
 * needed.
 */
export async function getSession(name: ModuleName): Promise<CodecSession> {
  for (;;) {
    sessions[name] ??= startSession(name);
    const session = await sessions[name];
    if (!session.isSpent) return session;
  }
}

/**
 * Returns the session of a module synchronously. `getSession` must have resolved for this module before. A
 * spent session is returned until its replacement has started.
 */
export function loadedSession(name: ModuleName): CodecSession {
  const session = loaded[name]!;
  if (session.isSpent) getSession(name).catch(() => {}); // starting may fail; the next caller retries
  return session;
}

function startSession(name: ModuleName): Promise<CodecSession> {
  const fresh = instantiate(name).then((core) => {
    const session = new CodecSession(core, name, maxChunkBytes, demands[name], () => replace(name, fresh));
    loaded[name] = session;
    return session;
  });
  fresh.catch(() => {
    if (sessions[name] === fresh) delete sessions[name]; // dropped so that the next call retries
  });
  return fresh;
}

/**
 * Replaces a session. Work in progress finishes in the old one; nothing here references it then, so it can be
 * collected.
 */
function replace(name: ModuleName, old: Promise<CodecSession>): void {
  if (sessions[name] === old) sessions[name] = startSession(name);
}

/** Selects the module to decode with: a plan, or the codec of a chunk. */
export interface Decoder {
  readonly decodeModule: ModuleName;
  /** Records that a chunk needed the full module, so that all later ones are decoded there. */
  requireFullModule(): void;
}

/**
 * Runs decoding work, and runs it again if a chunk needs a decoder that only the full and images modules have
 * (rare: frames from before zstd 1.0). All decoding goes through this function.
 * @param work receives the module to use; it may throw NeedsFullModule only if it has no lasting effects.
 */
export async function withFullIfNeeded<T>(
  decoder: Decoder,
  work: (module: ModuleName) => Promise<T>,
): Promise<T> {
  const module = decoder.decodeModule;
  try {
    return await work(module);
  } catch (error) {
    if (!(error instanceof NeedsFullModule) || module !== "decode") throw error;
  }
  decoder.requireFullModule();
  return work("full");
}

/** {@link withFullIfNeeded} in a session of this thread. `work` must not await. */
export function withDecoder<T>(decoder: Decoder, work: (session: CodecSession) => T): Promise<T> {
  return withFullIfNeeded(decoder, async (module) => work(await getSession(module)));
}
