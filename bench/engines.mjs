// The programs that hold the in-heap cases (inheap/): a list of cases, and a way to time one.
//   {cases: {name, over, input, bytes}[], time: (index, input) => seconds per run}
// where `input` is what inputs() hands out for the case's own `input`.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chunkBytes, codecs, encodedChunk } from "./codecs.mjs";
import { corpora } from "./corpora.mjs";

/** Time spent on a case at a time, in milliseconds. */
const caseTime = 30;

/** The bytes that a case asks for: "corpus: codec" for an encoded chunk, "corpus" for a plain one. */
async function bytesOf(name) {
  const [corpus, label] = name.split(": ");
  if (label === undefined) return new Uint8Array(corpora[corpus].make(chunkBytes).buffer);
  const codec = codecs.find((oneCodec) => oneCodec.label === label);
  return (await encodedChunk(corpus, codec)).encoded;
}

/** Inputs by the names that cases give them, made once and kept as files for native programs. */
export function inputs(dir) {
  const made = new Map();
  return async (name) => {
    if (name === "") return undefined;
    if (!made.has(name)) {
      const bytes = await bytesOf(name);
      mkdirSync(dir, { recursive: true });
      const file = path.join(dir, `${name.replace(":", "")}.bin`);
      writeFileSync(file, bytes);
      made.set(name, { bytes, file });
    }
    return made.get(name);
  };
}

/** The module, in this process. It asks for a clock; what else its C library mentions is never called. */
export async function wasmEngine(file) {
  const module = await WebAssembly.compile(readFileSync(file));
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const wanted = name === "now" ? () => performance.now() : () => 0;
    imports[from] = { ...imports[from], [name]: wanted };
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  exports._initialize?.();
  const heap = () => new Uint8Array(exports.memory.buffer);
  const caseAt = (i) => {
    const at = exports.caseJson(i);
    return JSON.parse(new TextDecoder().decode(heap().slice(at, heap().indexOf(0, at))));
  };
  return {
    cases: Array.from({ length: exports.caseCount() }, (_, i) => caseAt(i)),
    time: (index, input) => {
      if (input) {
        const at = exports.inputRoom(input.bytes.length);
        heap().set(input.bytes, at);
      }
      return exports.run(index, caseTime);
    },
  };
}

/** A native program, started anew for every time that is taken. */
export function nativeEngine(program) {
  const capture = (...args) => {
    const { stdout, status } = spawnSync(program, args.map(String), { encoding: "utf8" });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
    return stdout.trim();
  };
  return {
    cases: capture()
      .split("\n")
      .map((line) => JSON.parse(line)),
    time: (index, input) => Number(capture(index, caseTime, ...(input ? [input.file] : []))),
  };
}
