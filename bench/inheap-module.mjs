// The in-heap cases as a WebAssembly module (inheap/main_wasm.cpp), in the current engine.

/**
 * The module imports a clock; other imports of its C library are never called.
 * @param {BufferSource} bytes
 * @returns {Promise<{cases: {name: string, over: string, input: string, bytes: number}[], time: (index:
 *   number, milliseconds: number, input?: Uint8Array) => number}>} `time`: seconds per run
 */
export async function instantiate(bytes) {
  const module = await WebAssembly.compile(bytes);
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
    time: (index, milliseconds, input) => {
      if (input) {
        const at = exports.inputRoom(input.length);
        heap().set(input, at);
      }
      return exports.run(index, milliseconds);
    },
  };
}
