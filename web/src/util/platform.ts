/**
 * Differences between runtimes. Built-in modules are never imported by name, so that every module of the
 * package loads unchanged in browsers, and bundlers do not try to resolve Node's modules.
 */

/** Whether the built-in modules of Node exist: in Node, Deno and Bun. */
export function hasNodeModules(): boolean {
  const { process: host, Deno } = globalThis as {
    process?: { versions?: { node?: string } };
    Deno?: unknown;
  };
  return Boolean(host?.versions?.node || Deno);
}

/**
 * Loads a built-in module of Node, also in Deno and Bun. Elsewhere it fails without a request: browsers would
 * treat the name as a URL and report a policy violation.
 */
export async function nodeModule<T>(name: `node:${string}`): Promise<T> {
  type Host = { process?: { getBuiltinModule?: (name: string) => T | undefined } };
  if (!hasNodeModules()) throw new Error(`this runtime has no ${name}`);
  const { process: host } = globalThis as Host;
  return (
    host?.getBuiltinModule?.(name) ??
    (import(/* webpackIgnore: true */ /* @vite-ignore */ name) as Promise<T>)
  );
}

/**
 * Like `new TextDecoder(…)`, with a fallback to Node's where the global is missing (Jest with jsdom). Must
 * not be called while modules are loading.
 */
export function textDecoder(
  ...options: ConstructorParameters<typeof TextDecoder>
): InstanceType<typeof TextDecoder> {
  return new (globalThis.TextDecoder ?? nodeUtil().TextDecoder)(...options);
}

/** Returns a function that creates a value on the first call and caches it. */
/* @__NO_SIDE_EFFECTS__ */
export function cached<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Returns a function that calls `make` once for each object and caches the results as long as the objects live. */
/* @__NO_SIDE_EFFECTS__ */
export function cachedFor<K extends object, T>(make: (object: K) => T): (object: K) => T {
  const results = new WeakMap<K, T>();
  return (object) => {
    let result = results.get(object);
    if (result === undefined) {
      result = make(object);
      results.set(object, result);
    }
    return result;
  };
}

/** Returns the decoder of UTF-8 that throws for invalid bytes and keeps a byte order mark. */
export const strictUtf8: () => ReturnType<typeof textDecoder> = cached(() =>
  textDecoder("utf-8", { fatal: true, ignoreBOM: true }),
);

/** Like `new TextEncoder()`; see {@link textDecoder}. */
export function textEncoder(): InstanceType<typeof TextEncoder> {
  return new (globalThis.TextEncoder ?? nodeUtil().TextEncoder)();
}

function nodeUtil(): typeof import("node:util") {
  type Host = { process?: { getBuiltinModule?: (name: string) => typeof import("node:util") | undefined } };
  return (globalThis as Host).process!.getBuiltinModule!("node:util")!;
}

/**
 * Lifts the listener limit of a signal, which one listener per request would exceed. Node alone warns beyond
 * ten, assuming a leak.
 */
export function allowListeners(signal: AbortSignal): void {
  type Events = { setMaxListeners(count: number, target: EventTarget): void };
  type Host = { process?: { getBuiltinModule?: (name: string) => Events | undefined } };
  try {
    (globalThis as Host).process?.getBuiltinModule?.("node:events")?.setMaxListeners(0, signal);
  } catch {
    // A runtime that only resembles Node; at worst it prints the warning.
  }
}

/** Whether a URL is a file URL, which only Node, Deno and Bun can read. */
export function isFileUrl(url: URL): boolean {
  return url.protocol === "file:";
}

/** Reads a file URL synchronously: for small files the thread pool takes longer. */
export async function readFileUrl(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const { readFileSync } = await nodeModule<typeof import("node:fs")>("node:fs");
  const bytes = readFileSync(url);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Allocates memory that will be written before it is read; not zeroed if the runtime allows it. */
export function uninitialised(bytes: number): Uint8Array<ArrayBuffer> {
  const { Buffer: NodeBuffer } = globalThis as { Buffer?: { allocUnsafeSlow?(bytes: number): Uint8Array } };
  const buffer = NodeBuffer?.allocUnsafeSlow?.(bytes).buffer;
  // A polyfill of Node's Buffer may allocate from a pool.
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/** Returns the number of hardware threads. */
export function parallelism(): number {
  type Host = {
    navigator?: { hardwareConcurrency?: number };
    process?: { getBuiltinModule?: (name: string) => typeof import("node:os") | undefined };
  };
  const host = globalThis as Host;
  return (
    host.navigator?.hardwareConcurrency ??
    host.process?.getBuiltinModule?.("node:os")?.availableParallelism() ??
    4
  );
}

/**
 * Waits for the next turn of the event loop. Avoids timers if possible: browsers throttle those of hidden
 * pages to one per second.
 */
export function nextTask(): Promise<void> {
  const { setImmediate } = globalThis as { setImmediate?: (task: () => void) => unknown };
  return new Promise((resolve) => {
    if (setImmediate) setImmediate(resolve);
    else if (typeof MessageChannel === "function") {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    } else setTimeout(resolve, 0);
  });
}

/** A web worker or a worker of node:worker_threads. */
export type AnyWorker = WebWorker | NodeWorker;

interface WebWorker {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "error" | "messageerror", listener: (event: Event) => void): void;
  terminate(): void;
}

interface NodeWorker {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  on(type: "message" | "messageerror" | "error" | "exit", listener: (value: unknown) => void): unknown;
  terminate(): unknown;
}

/**
 * Whether pools use web workers rather than Node's. Deno has both, but its web workers would keep the process
 * alive.
 */
export const hasWebWorkers = (): boolean => {
  const { Worker, Deno } = globalThis as { Worker?: unknown; Deno?: unknown };
  return typeof Worker === "function" && !Deno;
};

/** Starts a web worker. Takes the URL as a variable, so that bundlers do not try to resolve it. */
export function startWebWorker(url: string, options?: { type?: "module"; name?: string }): AnyWorker {
  const { Worker: Start } = globalThis as unknown as {
    Worker: new (url: string, options?: object) => AnyWorker;
  };
  return new Start(url, options);
}

/** Starts a worker from source text, which must be a classic script without imports. */
export async function startTextWorker(text: string): Promise<AnyWorker> {
  if (!hasWebWorkers()) {
    const { Worker: Thread } = await nodeModule<typeof import("node:worker_threads")>("node:worker_threads");
    return new Thread(text, { eval: true, execArgv: [] }) as NodeWorker;
  }
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = startWebWorker(url);
  setTimeout(() => URL.revokeObjectURL(url), textLifetime);
  return worker;
}

/**
 * Lifetime of the object URL of a script, in milliseconds; some browsers fetch it only some time after
 * `new Worker`.
 */
const textLifetime = 60_000;

/** Starts a script in a Node worker thread, without the `execArgv` of this process, which is not meant for it. */
export async function startNodeWorker(script: URL): Promise<AnyWorker> {
  const { Worker: Thread } = await nodeModule<typeof import("node:worker_threads")>("node:worker_threads");
  return new Thread(script, { execArgv: [] }) as NodeWorker;
}

/** Listens to the messages of a worker and to its end, after which it must be stopped. */
export function listenTo(
  worker: AnyWorker,
  onMessage: (data: unknown) => void,
  onEnd: (cause: unknown) => void,
): void {
  if ("on" in worker) {
    worker.on("message", onMessage);
    for (const type of ["error", "exit", "messageerror"] as const) worker.on(type, onEnd);
    return;
  }
  worker.addEventListener("message", (event) => onMessage(event.data));
  for (const type of ["error", "messageerror"] as const) {
    worker.addEventListener(type, (event) => {
      event.preventDefault(); // handled here, so not reported to the page
      onEnd(event);
    });
  }
}

/** Stops a worker in any state. */
export function stopWorker(worker: AnyWorker): void {
  try {
    const ending = worker.terminate();
    if (ending instanceof Promise) ending.catch(() => {});
  } catch {
    // Already stopped.
  }
}

/** Sets whether a thread keeps the process alive; a no-op in runtimes without processes. */
export function keepAlive(thing: unknown, isBusy: boolean): void {
  const counted = thing as { ref?: () => void; unref?: () => void };
  if (isBusy) counted.ref?.();
  else counted.unref?.();
}

/** Sends messages from a worker to its owner. */
export interface WorkerPort {
  post(message: unknown, transfer: ArrayBuffer[]): void;
}

/**
 * Listens to messages in a dedicated worker. Returns undefined elsewhere: service workers and workerd post to
 * a client.
 */
export async function openWorkerPort(
  onMessage: (port: WorkerPort, data: unknown) => void,
): Promise<WorkerPort | undefined> {
  type Scope = {
    WorkerGlobalScope?: unknown;
    postMessage(message: unknown, transfer: ArrayBuffer[]): void;
    addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  };
  const scope = globalThis as unknown as Scope;
  if (scope.WorkerGlobalScope) {
    if (typeof scope.postMessage !== "function") return undefined;
    const port: WorkerPort = { post: (message, transfer) => scope.postMessage(message, transfer) };
    scope.addEventListener("message", (event) => onMessage(port, event.data));
    return port;
  }
  const { parentPort } = await nodeModule<typeof import("node:worker_threads")>("node:worker_threads").catch(
    () => ({ parentPort: null }),
  );
  if (!parentPort) return undefined;
  const port: WorkerPort = { post: (message, transfer) => parentPort.postMessage(message, transfer) };
  parentPort.on("message", (data) => onMessage(port, data));
  return port;
}

/**
 * Returns the URL of a file of the package, given a module one folder below its root. Written so that
 * bundlers do not recognise it: they would replace it with an asset of the page, or with any of several
 * files.
 * @param path relative to the package root
 * @param here `import.meta.url` of the calling module
 */
export function packageFile(path: string, here: string): URL {
  const url = new URL(here);
  url.pathname = url.pathname.replace(/[^/]*\/[^/]*$/, path);
  return url;
}

/** Folders of the package in which relative URLs of its files are correct. */
const ownFolders = /\/(?:engine|workers|bundle|edge)\/[^/]*$/;

/**
 * Whether a bundler has moved the code but left a URL unchanged. The file does not exist then, and a request
 * for it would only log an error in the console.
 * @param url the value of `new URL(written, import.meta.url)` after bundling
 * @param here `import.meta.url` of the same file
 */
export function isLeftBehind(url: URL, written: string, here: string): boolean {
  return isMoved(here) && url.href === new URL(written, here).href;
}

/** Whether the code has been moved out of the package. webpack and Parcel report its original location. */
export function isMoved(here: string): boolean {
  return !ownFolders.test(new URL(here).pathname);
}

/**
 * Types of the web platform that TypeScript's DOM library declares and Node's types do not. They resolve to
 * the global types if those are declared, so that programs for Node compile without that library.
 */
type Globals = typeof globalThis;

/** WebAssembly.Module. */
export type WasmModule = Globals extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;

/** WebAssembly.Instance. */
export type WasmInstance = Globals extends { WebAssembly: { Instance: { prototype: infer Instance } } }
  ? Instance
  : object;

/** WebAssembly.Imports. */
export type WasmImports = Globals extends {
  WebAssembly: { Instance: new (module: never, imports?: infer Imports) => unknown };
}
  ? NonNullable<Imports>
  : object;

/** HeadersInit: the argument of `new Headers()`. */
export type HeadersSource = NonNullable<ConstructorParameters<typeof Headers>[0]>;
