/** Cleans up however a process ends, except by SIGKILL. */

type Cleaning = () => void | Promise<void>;

const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
const cleanings = new Map<Cleaning, "first" | "last">();
/** Time limit for asynchronous work after a signal, in milliseconds. */
const patience = 3000;

/**
 * Calls a function when the process ends before the release, also by a signal. Signals wait for the promise that it may
 * return; the end of the process does not.
 * @param order "last": called when the promises of all others have settled.
 * @returns the release.
 */
export function atTheEnd(clean: Cleaning, order: "first" | "last" = "first"): () => void {
  if (cleanings.size === 0) listen();
  cleanings.set(clean, order);
  return () => {
    if (cleanings.delete(clean) && cleanings.size === 0) ignore();
  };
}

function listen(): void {
  process.on("exit", cleanAll);
  for (const signal of signals) process.on(signal, onSignal);
}

function ignore(): void {
  process.off("exit", cleanAll);
  for (const signal of signals) process.off(signal, onSignal);
}

async function cleanAll(): Promise<void> {
  const all = [...cleanings];
  for (const order of ["first", "last"] as const)
    await Promise.allSettled(all.filter((entry) => entry[1] === order).map(async ([clean]) => clean()));
}

function onSignal(signal: NodeJS.Signals): void {
  const end = () => {
    void cleanAll(); // running work may have created something again
    ignore();
    process.kill(process.pid, signal); // without listeners, the signal ends the process
  };
  setTimeout(end, patience).unref();
  void cleanAll().then(end);
}
