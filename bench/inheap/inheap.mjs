// Runs the benchmark module; the same file serves Node and a page.

/**
 * Instantiates the module. It asks its host for a clock; whatever else its C library mentions
 * (output, exit) is not reached by the cases and gets a function that does nothing.
 */
export async function loadInheap(bytes) {
  const module = await WebAssembly.compile(bytes);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = name === "now" ? () => performance.now() : () => 0;
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  exports._initialize?.();
  const cases = [];
  for (let i = 0; i < exports.caseCount(); i++) {
    const heap = new Uint8Array(exports.memory.buffer);
    const at = exports.caseName(i);
    const name = new TextDecoder().decode(heap.slice(at, heap.indexOf(0, at)));
    cases.push({ name, bytes: exports.caseBytes(i) });
  }
  return { exports, cases };
}

/** Times case `i` and a copy of as many bytes in turns; the best of each. */
export function timeCase({ exports, cases }, i, { milliseconds, rounds }) {
  let seconds = Infinity;
  let copySeconds = Infinity;
  for (let r = 0; r < rounds; r++) {
    seconds = Math.min(seconds, exports.run(i, milliseconds));
    copySeconds = Math.min(copySeconds, exports.copy(i, milliseconds));
  }
  return { ...cases[i], seconds, copySeconds };
}

/** Whether a case's name matches one of the regular expressions (all do where there are none). */
export function wanted(filters) {
  const patterns = filters.map((f) => new RegExp(f));
  return ({ name }) => patterns.length === 0 || patterns.some((p) => p.test(name));
}

/** Times every wanted case; `onResult` hears of each at once. */
export async function timeCases(inheap, { filters, ...options }, onResult) {
  const isWanted = wanted(filters);
  for (const [i, oneCase] of inheap.cases.entries()) {
    if (isWanted(oneCase)) await onResult(timeCase(inheap, i, options));
  }
}
