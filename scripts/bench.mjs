// npm run bench: what this library reaches beside memory.copy, the native libraries and the npm peers, each
// ratio from one run on one machine.
//   npm run bench -- [--json FILE] [TEXT…]     only rows whose name contains one of the texts
import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildAll } from "./build.mjs";
import { buildNative, buildWasm } from "./lib/build.mjs";
import { buildDir } from "./lib/paths.mjs";
import { runMain, step } from "./lib/process.mjs";
import { ensureSystem } from "./lib/system.mjs";

runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: "string" } },
  });
  ensureSystem(["build", "bench"]);
  buildAll();
  buildWasm(["zw_inheap"]);
  step("Building the native benchmarks");
  const native = buildNative("bench", ["zw_inheap", "zw_inheap_libraries"]);

  const { Report } = await import("../bench/measure.mjs");
  const { inheapSuite } = await import("../bench/suites/inheap.mjs");
  const { arraySuite } = await import("../bench/suites/arrays.mjs");
  const { codecSuite } = await import("../bench/suites/codecs.mjs");
  const report = new Report(positionals);
  step("Measuring: value, baseline, unit, ratio");
  await inheapSuite(report, {
    wasm: path.join(buildDir, "wasm/bench/inheap/zw_inheap.wasm"),
    native: path.join(native, "bench/inheap/zw_inheap"),
    libraries: path.join(native, "bench/inheap/zw_inheap_libraries"),
    inputDir: path.join(native, "inputs"),
  });
  await arraySuite(report);
  await codecSuite(report);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report.rows, null, 2)}\n`);
});
