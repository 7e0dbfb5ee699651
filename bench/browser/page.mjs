// The benchmarks' page: handles requests from Node (chromium.mjs).
import { instantiate } from "../inheap-module.mjs";
import { effort } from "../measure.mjs";
import { pageSuites } from "./suites.mjs";

const load = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

let inHeap;
const inputs = new Map();

/** Seconds per run of an in-heap case; `inputUrl` is the address of its encoded chunk, if it needs one. */
async function time(index, milliseconds, inputUrl) {
  inHeap ??= await instantiate(await load("/inheap/zw_inheap.wasm"));
  if (inputUrl && !inputs.has(inputUrl)) inputs.set(inputUrl, await load(inputUrl));
  return inHeap.time(index, milliseconds, inputs.get(inputUrl));
}

/** Measures the rows with these names. */
async function measure(names) {
  const wants = (name) => names.includes(name);
  const measured = [];
  for (const one of pageSuites()) if (one.rows.some(wants)) measured.push(...(await one.measure(wants)));
  return measured;
}

const setEffort = (own) => Object.assign(effort, own);

globalThis.bench = { time, measure, setEffort };
