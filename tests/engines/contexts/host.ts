/** Runs in a context: reports its features, and answers the page that drives it. */
import { cases, type Outcome, runCase } from "../suite/registry.js";

/** Detected features of a context. */
export interface Facts {
  isolated: boolean;
  sharedMemory: boolean;
  workers: boolean;
  float16: boolean;
}

export interface SuiteReport {
  /** Why the context could not be created, if no test has run. */
  missing?: string;
  facts?: Facts;
  outcomes: Record<string, Outcome>;
}

export const factsOf = (): Facts => ({
  isolated: Boolean(globalThis.crossOriginIsolated),
  sharedMemory: typeof SharedArrayBuffer === "function",
  workers: typeof Worker === "function",
  float16: "Float16Array" in globalThis,
});

/** A test to run, or a request for the facts. The reply goes to the port sent along. */
export interface Question {
  name?: string;
  reply: MessagePort;
}

/** Replies to a question. Resolves after replying, so that a service worker can be kept alive until then. */
export async function answer({ name, reply }: Question): Promise<void> {
  if (name === undefined) reply.postMessage(factsOf());
  else
    reply.postMessage(
      cases.has(name) ? await runCase(name) : { status: "failed", message: `no test ${name}` },
    );
}
