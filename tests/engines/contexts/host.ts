/** What a context says about itself, and its answers to the page that drives it. */
import { cases, type Outcome, runCase } from "../suite/registry.js";

/** What a context has, found out by looking. */
export interface Facts {
  isolated: boolean;
  sharedMemory: boolean;
  workers: boolean;
  float16: boolean;
}

export interface SuiteReport {
  /** Why the context could not be had; nothing has run then. */
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

/** One question: a test to run, or none to be told the facts. The answer goes to the port that comes with it. */
export interface Question {
  name?: string;
  reply: MessagePort;
}

/** Answers a question; resolved when the answer is given, so that a service worker can be kept alive till then. */
export async function answer({ name, reply }: Question): Promise<void> {
  if (name === undefined) reply.postMessage(factsOf());
  else
    reply.postMessage(
      cases.has(name) ? await runCase(name) : { status: "failed", message: `no test ${name}` },
    );
}
