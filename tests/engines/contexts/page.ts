/** Runs the suite in the context named by the address, and sends the report to the server. */
import { cases, type Outcome, runCase } from "../suite/registry.js";
import "../suite/all.js";
import { type Facts, factsOf, type Question, type SuiteReport } from "./host.js";

const report: SuiteReport = { outcomes: {} };

/** Timeout of a test in milliseconds; generous, because machines that build and test in parallel are slow. */
const testTimeout = 120_000;
/** Timeout of a context's first reply, after which it counts as missing. */
const startTimeout = 90_000;

/** Asks a context to run a test, or for its facts. */
type Ask = (name?: string) => Promise<unknown>;

/** Asks by a message, with a new channel for the reply. */
function askThrough(post: (question: Question, transfer: Transferable[]) => void): Ask {
  return (name) =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => {
        port1.close();
        resolve(data);
      };
      post({ ...(name === undefined ? {} : { name }), reply: port2 }, [port2]);
    });
}

/** Rejects when a worker reports a failure. */
const failureOf = (worker: Worker | SharedWorker) =>
  new Promise<never>((_resolve, reject) => {
    worker.onerror = (event) =>
      reject(new Error(`the script failed: ${(event as ErrorEvent).message ?? "no reason given"}`));
  });

const contexts: Record<string, () => Promise<Ask>> = {
  page: async () => async (name) => (name === undefined ? factsOf() : runCase(name)),
  "module worker": async () => {
    const worker = new Worker("/suite/worker.js", { type: "module" });
    return guarded(askThrough(worker.postMessage.bind(worker)), failureOf(worker));
  },
  "shared worker": async () => {
    if (!("SharedWorker" in globalThis)) throw new Error("this engine has no shared workers");
    const worker = new SharedWorker("/suite/shared-worker.js", { type: "module" });
    worker.port.start();
    return guarded(askThrough(worker.port.postMessage.bind(worker.port)), failureOf(worker));
  },
  "service worker, classic": () => startService("/suite/service-classic.js", "classic"),
  "service worker, module": () => startService("/suite/service-module.js", "module"),
};

function guarded(ask: Ask, failure: Promise<never>): Ask {
  failure.catch(() => {}); // also without a pending question
  return (name) => Promise.race([ask(name), failure]);
}

async function startService(script: string, type: WorkerType): Promise<Ask> {
  const container = navigator.serviceWorker;
  if (!container) throw new Error("this engine has no service workers here");
  const registration = await container.register(script, { type, scope: `/suite/${type}/` });
  const worker = registration.installing ?? registration.waiting ?? registration.active!;
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant") reject(new Error("the service worker could not be installed"));
    };
    worker.onstatechange = look;
    look();
  });
  return askThrough(worker.postMessage.bind(worker));
}

const late = (milliseconds: number) =>
  new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), milliseconds));

async function start(kind: string): Promise<{ ask: Ask; facts: Facts }> {
  const ask = await contexts[kind]!();
  return { ask, facts: (await ask()) as Facts };
}

async function run(kind: string): Promise<void> {
  const started = await Promise.race([start(kind), late(startTimeout)]);
  if (!started) throw new Error("it did not start");
  report.facts = started.facts;
  for (const name of cases.keys()) {
    const outcome = (await Promise.race([started.ask(name), late(testTimeout)])) as Outcome | undefined;
    report.outcomes[name] = outcome ?? { status: "failed", message: `no answer within ${testTimeout} ms` };
    // A context that hangs does not answer further questions.
    if (!outcome) throw new Error(`"${name}" did not end`);
  }
}

run(new URLSearchParams(location.search).get("context")!)
  .catch((error: unknown) => {
    report.missing = error instanceof Error ? error.message : String(error);
  })
  .finally(() => fetch("/report", { method: "POST", body: JSON.stringify(report) }));
