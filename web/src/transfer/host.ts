/** Access to Node's modules if there are any, and cleanup when the process ends. */

import { nodeModule } from "../util/platform.js";

/** Node's modules, for code that runs in Node, Deno and Bun only. */
export interface NodeModules {
  readonly fs: typeof import("node:fs");
  readonly os: typeof import("node:os");
  readonly path: typeof import("node:path");
  readonly url: typeof import("node:url");
}

let modules: NodeModules | undefined;

/** Loads Node's modules for {@link node}. @returns whether there are any. */
export async function loadNode(): Promise<boolean> {
  if (modules) return true;
  try {
    const [fs, os, path, url] = await Promise.all([
      nodeModule<NodeModules["fs"]>("node:fs"),
      nodeModule<NodeModules["os"]>("node:os"),
      nodeModule<NodeModules["path"]>("node:path"),
      nodeModule<NodeModules["url"]>("node:url"),
    ]);
    modules = { fs, os, path, url };
    return true;
  } catch {
    return false;
  }
}

/** Node's modules. {@link loadNode} must have returned true. */
export function node(): NodeModules {
  if (!modules) throw new Error("Node's modules have not been loaded");
  return modules;
}

/** Whether Node's modules have been loaded. */
export const hasNode = (): boolean => modules !== undefined;

/** Times in milliseconds; tests shorten them. */
export const transferTimes = {
  /** How often a writer changes its lock, by the kind of destination. */
  folder: 1000,
  http: 2000,
  store: 2000,
  /** A lock that has not changed for this number of intervals is taken over. */
  missed: 30,
  /** How often a process marks its scratch folder as in use. */
  scratchBeat: 60_000,
  /** Age of the last mark after which a scratch folder counts as left by a process that was killed. */
  scratchStale: 3_600_000,
};

type Cleanup = () => void | Promise<void>;
type Order = "first" | "last";

/** The part of Node's `process` that is used here. */
interface Host {
  on(event: string, listener: (event: string) => void): unknown;
  off(event: string, listener: (event: string) => void): unknown;
  kill(process: number, signal: string): unknown;
  readonly pid: number;
}

const host = (globalThis as { process?: Partial<Host> }).process;
const signals: readonly string[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Time limit for asynchronous cleanup after a signal, in milliseconds. */
const cleanupTimeout = 3000;

/**
 * Cleanup when the process ends while a transfer runs. Pages have no such event: their locks go stale.
 * A program that calls {@link handleSignals} also cleans up after signals.
 */
class ExitHooks {
  readonly #cleanups = new Map<Cleanup, Order>();
  #handlesSignals = false;
  #beforeEnd = () => {};

  /**
   * Makes SIGINT, SIGTERM and SIGHUP end the process after the cleanups.
   * @param beforeEnd called between the cleanups and the end of the process.
   */
  handleSignals(beforeEnd = () => {}): void {
    this.#handlesSignals = true;
    this.#beforeEnd = beforeEnd;
  }

  /**
   * Calls a function if the process ends before the release. Signals wait for the promise that it may return; the end of
   * the process does not.
   * @param order "last": called when the promises of all others have settled.
   * @returns the release.
   */
  add(clean: Cleanup, order: Order = "first"): () => void {
    if (this.#cleanups.size === 0) this.#listen();
    this.#cleanups.set(clean, order);
    return () => {
      if (this.#cleanups.delete(clean) && this.#cleanups.size === 0) this.#ignore();
    };
  }

  #listen(): void {
    host?.on?.("exit", this.#cleanAll);
    if (this.#handlesSignals) for (const signal of signals) host?.on?.(signal, this.#onSignal);
  }

  #ignore(): void {
    host?.off?.("exit", this.#cleanAll);
    for (const signal of signals) host?.off?.(signal, this.#onSignal);
  }

  readonly #cleanAll = async (): Promise<void> => {
    const all = [...this.#cleanups];
    for (const order of ["first", "last"] as const)
      await Promise.allSettled(all.filter((entry) => entry[1] === order).map(async ([clean]) => clean()));
  };

  readonly #onSignal = (signal: string): void => {
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#beforeEnd();
      void this.#cleanAll(); // running work may have created something again
      this.#ignore();
      host!.kill!(host!.pid!, signal); // without listeners, the signal ends the process
    };
    setTimeout(end, cleanupTimeout).unref();
    void this.#cleanAll().then(end);
  };
}

export const exitHooks = new ExitHooks();
