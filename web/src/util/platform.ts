/**
 * What differs between runtimes. Nothing here is imported by name, so that every module of the package
 * loads as it is in a browser, and no bundler stumbles over modules of Node's.
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
 * A built-in module of Node's (also in Deno and Bun). Fails where there are none, without asking for it: to
 * browsers the name is an address, and a policy would be seen to be violated.
 */
export async function nodeModule<T>(name: `node:${string}`): Promise<T> {
  type Host = { process?: { getBuiltinModule?: (name: string) => T | undefined } };
  if (!hasNodeModules()) throw new Error(`there is no ${name} here`);
  const { process: host } = globalThis as Host;
  return (
    host?.getBuiltinModule?.(name) ??
    (import(/* webpackIgnore: true */ /* @vite-ignore */ name) as Promise<T>)
  );
}

/**
 * `new TextDecoder(…)`, which makers of pages for tests (Jest with jsdom) leave out: Node's then. Not to be called while
 * modules are loaded.
 */
export function textDecoder(
  ...options: ConstructorParameters<typeof TextDecoder>
): InstanceType<typeof TextDecoder> {
  return new (globalThis.TextDecoder ?? nodeUtil().TextDecoder)(...options);
}

/** Returns a function that calls `make` once and caches the result. */
export function kept<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Returns a function that calls `make` once for each object and caches the results as long as the objects live. */
export function keptFor<K extends object, T>(make: (object: K) => T): (object: K) => T {
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

/** `new TextEncoder()`; see {@link textDecoder}. */
export function textEncoder(): InstanceType<typeof TextEncoder> {
  return new (globalThis.TextEncoder ?? nodeUtil().TextEncoder)();
}

function nodeUtil(): typeof import("node:util") {
  type Host = { process?: { getBuiltinModule?: (name: string) => typeof import("node:util") | undefined } };
  return (globalThis as Host).process!.getBuiltinModule!("node:util")!;
}

/**
 * Lets a signal have as many listeners as requests wait on it. Node warns beyond ten, taking them for a leak;
 * other runtimes do not.
 */
export function allowListeners(signal: AbortSignal): void {
  type Events = { setMaxListeners(count: number, target: EventTarget): void };
  type Host = { process?: { getBuiltinModule?: (name: string) => Events | undefined } };
  try {
    (globalThis as Host).process?.getBuiltinModule?.("node:events")?.setMaxListeners(0, signal);
  } catch {
    // A runtime that only resembles Node: the warning, should there be one, is all that is at stake.
  }
}

/** True for URLs of files, which only Node, Deno and Bun can read. */
export function isFileUrl(url: URL): boolean {
  return url.protocol === "file:";
}

/** Reads the file behind a file URL, at once: for small files, which a thread pool takes longer to hand over. */
export async function readFileUrl(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const { readFileSync } = await nodeModule<typeof import("node:fs")>("node:fs");
  const bytes = readFileSync(url);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Memory to be written before it is read: with other contents than zeros where the runtime can save them. */
export function uninitialised(bytes: number): Uint8Array<ArrayBuffer> {
  const { Buffer: NodeBuffer } = globalThis as { Buffer?: { allocUnsafeSlow?(bytes: number): Uint8Array } };
  const buffer = NodeBuffer?.allocUnsafeSlow?.(bytes).buffer;
  // A stand-in for Node's may take it from a pool.
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/** How many threads run at a time on this machine. */
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
 * Waits until the event loop has turned. Not by timers where that can be avoided: browsers slow those of hidden pages
 * down to one a second.
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

/** A worker of a browser's, or of node:worker_threads. */
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
 * True where pools use the web's kind of workers, false where Node's. Deno has both; those of the web would keep it
 * from ending.
 */
export const hasWebWorkers = (): boolean => {
  const { Worker, Deno } = globalThis as { Worker?: unknown; Deno?: unknown };
  return typeof Worker === "function" && !Deno;
};

/** Starts a worker of the web's kind, by an address that bundlers are not to look for. */
export function startWebWorker(url: string, options?: { type?: "module"; name?: string }): AnyWorker {
  const { Worker: Start } = globalThis as unknown as {
    Worker: new (url: string, options?: object) => AnyWorker;
  };
  return new Start(url, options);
}

/** Starts a worker whose script is a text: a classic script that imports nothing. */
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

/** Milliseconds that a script's text may take to be read; some browsers ask for it only some time after `new Worker`. */
const textLifetime = 60_000;

/** Starts a script in a thread of Node's; `execArgv` of this process is not for scripts of ours. */
export async function startNodeWorker(script: URL): Promise<AnyWorker> {
  const { Worker: Thread } = await nodeModule<typeof import("node:worker_threads")>("node:worker_threads");
  return new Thread(script, { execArgv: [] }) as NodeWorker;
}

/** Listens to a worker: what it says, and its end, after which it must be stopped. */
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
      event.preventDefault(); // it is dealt with: no word to the page
      onEnd(event);
    });
  }
}

/** Stops a worker, whatever state it is in. */
export function stopWorker(worker: AnyWorker): void {
  try {
    const ending = worker.terminate();
    if (ending instanceof Promise) ending.catch(() => {});
  } catch {
    // Gone already.
  }
}

/** Says whether a thread may keep the process alive; runtimes without processes do not ask. */
export function keepAlive(thing: unknown, isBusy: boolean): void {
  const counted = thing as { ref?: () => void; unref?: () => void };
  if (isBusy) counted.ref?.();
  else counted.unref?.();
}

/** A worker's way to whom it works for. */
export interface WorkerPort {
  post(message: unknown, transfer: ArrayBuffer[]): void;
}

/** Listens to messages in a dedicated worker. Returns undefined elsewhere: service workers and workerd post by client. */
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
