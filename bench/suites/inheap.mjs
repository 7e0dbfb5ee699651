// Kernels and codecs on data in memory (the C++ cases of inheap/): as a module in this engine and natively,
// over a copy of the same number of bytes, over another case, or over a native library; and the module in
// Chromium over the same in Node.
import { inputs, nativeEngine, wasmEngine } from "../engines.mjs";
import { groupBy } from "../group-by.mjs";
import { effort, speedRow, timeRow } from "../measure.mjs";

/** Minimum seconds of each candidate, measured in turn; duplicates are measured once. */
async function bestSeconds(candidates, input) {
  const best = new Map();
  const keyOf = ({ engine, index }) => `${engine.label} ${index}`;
  const distinct = new Map(candidates.map((candidate) => [keyOf(candidate), candidate]));
  for (let round = 0; round < effort.inHeapRounds; round++) {
    for (const [key, { engine, index }] of distinct) {
      const seconds = await engine.time(index, input);
      best.set(key, Math.min(best.get(key) ?? Number.POSITIVE_INFINITY, seconds));
    }
  }
  return (candidate) => best.get(keyOf(candidate));
}

/** The case with a name in an engine, if any. */
function find(engine, name) {
  const index = engine.cases.findIndex((oneCase) => oneCase.name === name);
  return index < 0 ? undefined : { engine, index, bytes: engine.cases[index].bytes };
}

/** The rows of a case: their names, and the pairs of case and engine to compare. */
function rowsOf({ name, over }, { wasm, native, libraries, chromium }) {
  const ours = [wasm, native].flatMap((engine) => {
    const inEngine = find(engine, over);
    const baseline = inEngine ?? find(libraries, name);
    if (!baseline) throw new Error(`${name}: nothing is called ${over}, and the libraries have no such case`);
    const against = inEngine ? over.replace(/, \d+ \wiB$/, "") : `native ${over}`;
    const isVariant = inEngine !== undefined && !over.startsWith("memory.copy");
    return [
      {
        name: `in heap, ${name}: ${engine.label} over ${against}`,
        value: find(engine, name),
        baseline,
        isVariant,
      },
    ];
  });
  const inPage = {
    name: `in heap, ${name}: wasm in Chromium over wasm in Node`,
    value: { ...find(wasm, name), engine: chromium },
    baseline: find(wasm, name),
    isVariant: false,
  };
  const isKernel = over.startsWith("memory.copy");
  const beside = {
    name: `in heap, ${name}: wasm over our native build`,
    value: find(wasm, name),
    baseline: find(native, name),
    isVariant: false,
  };
  return [...ours, ...(isKernel ? [beside] : []), inPage];
}

/** "decode lz4, field 4 MiB" belongs to a group whose mean is also a row: "decode lz4", 4 MiB. */
const grouped = /^((?:de|en)code [^,]+), \w+ (4 MiB)$/;

function meanName(rowName, caseName) {
  const [, group, size] = grouped.exec(caseName);
  return rowName.replace(caseName, `${group}, mean of corpora ${size}`);
}

const geometricMean = (numbers) =>
  Math.exp(numbers.reduce((sum, x) => sum + Math.log(x), 0) / numbers.length);

/** One measurement per case, or per group of cases with a row for its mean. */
function measurementOf(cases, engines, inputOf) {
  const all = cases.map((oneCase) => ({ oneCase, rows: rowsOf(oneCase, engines) }));
  const hasMean = cases.length > 1;
  const means = hasMean ? all[0].rows.map(({ name }) => meanName(name, cases[0].name)) : [];
  return {
    rows: [...all.flatMap(({ rows }) => rows.map(({ name }) => name)), ...means],
    measure: async (wants) => {
      const measured = [];
      for (const { oneCase, rows } of all) {
        const wanted = rows.filter(({ name }, i) => wants(name) || (hasMean && wants(means[i])));
        if (wanted.length === 0) continue;
        const secondsOf = await bestSeconds(
          wanted.flatMap(({ value, baseline }) => [value, baseline]),
          await inputOf(oneCase.input),
        );
        for (const { name, value, baseline, isVariant } of wanted) {
          const [seconds, base] = [secondsOf(value), secondsOf(baseline)];
          // A variant is compared with its base case by time, others by speed.
          const row = isVariant
            ? timeRow(name, "ms", seconds, base)
            : speedRow(name, value.bytes, seconds, base);
          measured.push({ ...row, mean: hasMean ? meanName(name, oneCase.name) : undefined });
        }
      }
      return [...measured.map(({ mean, ...row }) => row), ...meanRows(means, measured)];
    },
  };
}

/** The means of groups with complete measurements. */
function meanRows(means, measured) {
  return means.flatMap((name) => {
    const rows = measured.filter(({ mean }) => mean === name);
    if (rows.length === 0) return [];
    const mean = (key) => geometricMean(rows.map((row) => row[key]));
    return [{ name, unit: rows[0].unit, value: mean("value"), baseline: mean("baseline") }];
  });
}

/**
 * @param {{wasm: string, native: string, libraries: string, inputDir: string}} files the module, our program,
 *   the program of the native libraries, a folder for encoded chunks
 * @param {{time: Function}} chromium the module in Chromium (browser/chromium.mjs)
 * @returns {Promise<import("../measure.mjs").Measurement[]>}
 */
export async function inheapSuite({ wasm, native, libraries, inputDir }, chromium) {
  const engines = {
    wasm: { label: "wasm", ...(await wasmEngine(wasm)) },
    native: { label: "our native build", ...nativeEngine(native) },
    libraries: { label: "native libraries", ...nativeEngine(libraries) },
    chromium: { label: "wasm in Chromium", ...chromium },
  };
  const cases = engines.wasm.cases.filter((oneCase) => oneCase.over);
  const byGroup = groupBy(cases, ({ name }) => grouped.exec(name)?.[1] ?? name);
  const inputOf = inputs(inputDir);
  return [...byGroup.values()].map((group) => measurementOf(group, engines, inputOf));
}
