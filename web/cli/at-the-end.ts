/** What is to be done however a process ends, but by SIGKILL. */

type Cleaning = () => void | Promise<void>;

const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
const cleanings = new Set<Cleaning>();
/** Longest time that a signal waits for what takes its time, in milliseconds. */
const patience = 3000;

/**
 * Calls a function when the process ends before the release, by a signal too. A signal waits for the promise that it
 * may return; nothing else can.
 * @returns what releases it.
 */
export function atTheEnd(clean: Cleaning): () => void {
  if (cleanings.size === 0) listen();
  cleanings.add(clean);
  return () => {
    cleanings.delete(clean);
    if (cleanings.size === 0) ignore();
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

function cleanAll(): Promise<unknown> {
  return Promise.allSettled([...cleanings].map(async (clean) => clean()));
}

function onSignal(signal: NodeJS.Signals): void {
  const end = () => {
    void cleanAll(); // what goes on meanwhile may have made something anew
    ignore();
    process.kill(process.pid, signal); // nobody listens any more: the process ends by it
  };
  setTimeout(end, patience).unref();
  void cleanAll().then(end);
}
