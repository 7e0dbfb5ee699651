// Main module of a program's bundle: reads everything, and prints the results.
import { createHash } from "node:crypto";
import { parentPort, Worker as Thread } from "node:worker_threads";

/** Values in comparable form: elements by type, count and digest. */
function shown(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    const digest = createHash("sha256").update(new Uint8Array(bytes)).digest("hex").slice(0, 16);
    return `${value.constructor.name} of ${value.length}: ${digest}`;
  }
  if (Symbol.iterator in value) return Array.from(value, shown);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => typeof field !== "function" && field !== undefined)
      .map(([name, field]) => [name, shown(field)]),
  );
}

/** Emulates web workers with Node's threads, for the one script that the programs here start. */
class NodeWorker {
  #thread = new Thread(new URL("./codec-worker.mjs", import.meta.url));
  #listeners = new Map();

  postMessage(message, transfer) {
    this.#thread.postMessage(message, transfer);
  }
  addEventListener(type, listener) {
    const call = (value) => listener(type === "message" ? { data: value } : value);
    this.#listeners.set(listener, call);
    this.#thread.on(type, call);
  }
  removeEventListener(type, listener) {
    this.#thread.off(type, this.#listeners.get(listener));
  }
  terminate() {
    void this.#thread.terminate();
  }
}

/** Runs a program. */
export async function main(read) {
  globalThis.Worker = NodeWorker;
  const results = await read(process.argv[2]);
  process.stdout.write(JSON.stringify(results.map(shown)), () => process.exit());
}

/** Makes a thread look like a web worker to its script. */
export function beWorker() {
  globalThis.self = {
    postMessage: (message, transfer) => parentPort.postMessage(message, transfer),
    addEventListener: (type, listener) => parentPort.on(type, (data) => listener({ data })),
    set onmessage(listener) {
      parentPort.on("message", (data) => listener({ data }));
    },
  };
}
