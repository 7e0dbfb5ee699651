/** Which transport is used: `fetch`, or in Node its own client, which is faster. */
import { lazy } from "../../util/lazy.js";
import type { Transport } from "../transport.js";
import { fetchTransport } from "./fetch.js";

const nodeHttp = lazy("HTTP in Node", () => import("./node.js"));

/** The transport of this runtime, as long as nobody has put something else in the place of its `fetch`. */
export function usualTransport(): Transport | Promise<Transport> {
  if (!isNodesFetch()) return byFetch;
  nodes ??= nodeHttp().then(({ nodeTransport }) => nodeTransport());
  return nodes;
}

const byFetch = fetchTransport();
let nodes: Promise<Transport> | undefined;
/** Which function was looked at last, and whether it is Node's. */
let judged: { readonly fetch: unknown; readonly isNodes: boolean } = { fetch: undefined, isNodes: false };

/**
 * True in Node, where `fetch` is the one that comes with it and goes where it goes by default: a stand-in in a test,
 * an instrumented one and proxies stay in effect. Deno, Bun and others have a `fetch` of their own.
 */
function isNodesFetch(): boolean {
  type Host = {
    fetch?: unknown;
    process?: { env?: Record<string, string | undefined>; release?: { name?: string } };
  };
  const { fetch, process } = globalThis as Host;
  if (process?.release?.name !== "node") return false;
  if (fetch === undefined) return true; // pages that Jest makes with jsdom have none
  if (judged.fetch !== fetch) {
    const source = typeof fetch === "function" ? Function.prototype.toString.call(fetch) : "";
    judged = { fetch, isNodes: source.includes("internal/deps/undici") };
  }
  // The environment last: Deno, which calls itself Node here, asks its user before it tells.
  return judged.isNodes && hasUsualDispatchers() && !process.env?.["NODE_USE_ENV_PROXY"];
}

/**
 * True unless a program has set a dispatcher of its own for every request of `fetch`; Node's is an `Agent`. Its
 * undici keeps the dispatcher under a key with a number, which grows: newer versions keep it under the newest key,
 * and a wrapper of it under the older one for what still looks there.
 */
function hasUsualDispatchers(): boolean {
  const host = globalThis as Record<symbol, object | undefined>;
  const classes = Object.getOwnPropertySymbols(host)
    .filter((key) => key.description?.startsWith("undici.globalDispatcher."))
    .flatMap((key) => host[key]?.constructor.name ?? []);
  return classes.every(
    (name) => name === "Agent" || (name === "Dispatcher1Wrapper" && classes.includes("Agent")),
  );
}
