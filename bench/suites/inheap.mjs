// Kernels and codecs on data that is in memory already (the C++ cases of inheap/): as a module in this engine
// and natively, over a copy of as many bytes, over another case, or over a native library.
import { inputs, nativeEngine, wasmEngine } from "../engines.mjs";

const rounds = 6;

/** Best seconds of each candidate, measured in turn. */
async function bestSeconds(candidates, input) {
  const best = candidates.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    candidates.forEach(({ engine, index }, i) => {
      best[i] = Math.min(best[i], engine.time(index, input));
    });
  }
  return best;
}

/** The case of a name in an engine, if it has one. */
function find(engine, name) {
  const index = engine.cases.findIndex((oneCase) => oneCase.name === name);
  return index < 0 ? undefined : { engine, index, bytes: engine.cases[index].bytes };
}

/**
 * @param {import("../measure.mjs").Report} report
 * @param {{wasm: string, native: string, libraries: string, inputDir: string}} files the module, our program, the
 * program of the native libraries, a folder for encoded chunks
 */
export async function inheapSuite(report, files) {
  const ours = { wasm: await wasmEngine(files.wasm), "our native build": nativeEngine(files.native) };
  const libraries = nativeEngine(files.libraries);
  const inputOf = inputs(files.inputDir);
  for (const { name, over, input: inputName } of ours.wasm.cases.filter((oneCase) => oneCase.over)) {
    const rows = Object.entries(ours).map(([target, engine]) => {
      const inEngine = find(engine, over);
      return {
        title: `in heap, ${name}: ${target} over ${inEngine ? over.replace(/, \d+ \wiB$/, "") : `native ${over}`}`,
        value: find(engine, name),
        baseline: inEngine ?? find(libraries, name),
      };
    });
    const wanted = rows.filter(({ title }) => report.wants(title));
    if (wanted.length === 0) continue;
    const input = await inputOf(inputName);
    const seconds = await bestSeconds(
      wanted.flatMap(({ value, baseline }) => [value, baseline]),
      input,
    );
    wanted.forEach(({ title, value, baseline }, i) => {
      const [time, baseTime] = seconds.slice(2 * i, 2 * i + 2);
      // Over a variant of itself the times are compared, else the speeds.
      if (over.startsWith("permute")) report.add(title, "ms", time * 1e3, baseTime * 1e3);
      else report.addSpeed(title, value.bytes / time, baseline.bytes / baseTime);
    });
  }
}
