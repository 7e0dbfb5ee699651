// npm run bench: measures this library against memory.copy, the native libraries and the npm peers; each ratio comes
// from one run on one machine.
//   npm run bench -- viewer            only the viewer's rows, without building anything for the others
//   npm run bench -- zarr-benchmarks   the cases of zarrs/zarr_benchmarks, which are not part of the others
//   npm run bench -- --history         the rows of history.mjs; appends their ratios to bench/history.jsonl
//   npm run bench -- --timeline        timelines of the threads of copies, as text
//   npm run bench -- [--json FILE] [--write-docs] [--quick] [TEXT…]     TEXT: only rows whose name contains one
// --write-docs writes the results to bench/results.json, docs/performance.md, docs/benchmarks.md and docs/charts. --quick measures as
// little as possible, to check that everything runs: its results are meaningless.
import { writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildAll } from "../scripts/build.mjs";
import { buildNative, buildWasm } from "../scripts/lib/build.mjs";
import { buildDir } from "../scripts/lib/paths.mjs";
import { runMain, step } from "../scripts/lib/process.mjs";
import { ensureSystem } from "../scripts/lib/system.mjs";
import { historyRows, record } from "./history.mjs";

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "string" },
      "write-docs": { type: "boolean" },
      quick: { type: "boolean" },
      history: { type: "boolean" },
      timeline: { type: "boolean" },
    },
  });
  const { json, "write-docs": writeDocs, quick, history, timeline } = values;
  const texts = history && positionals.length === 0 ? Object.values(historyRows) : positionals;
  return { json, writeDocs, quick, history, timeline, texts };
}

/** Rows that need neither the native libraries nor their benchmarks, by the start of their names: required programs. */
const standalone = { viewer: ["browser"], "zarr-benchmarks": [] };

/** Builds the in-heap benchmarks. @returns the folder of the native programs. */
function buildInHeap() {
  buildWasm(["zw_inheap"]);
  step("Building the native benchmarks");
  return buildNative("bench", ["zw_inheap", "zw_inheap_libraries"]);
}

/** Prints timelines of the copies of suites/copies.mjs. */
async function showTimelines() {
  await buildAll();
  const { printTimelines } = await import("./timeline.mjs");
  await printTimelines(path.join(buildDir, "bench"));
}

runMain(async () => {
  const { json, writeDocs, quick, history, timeline, texts } = readArguments();
  if (timeline) return showTimelines();
  const [loadBefore] = os.loadavg(); // the build and the benchmarks keep the cores busy
  const alone = Object.keys(standalone).find(
    (start) => texts.length > 0 && texts.every((text) => text.startsWith(start)),
  );
  ensureSystem(["build", ...(alone ? standalone[alone] : ["bench", "browser"])]);
  await buildAll();
  const native = alone ? path.join(buildDir, "bench") : buildInHeap();

  // Imported here, since they need the npm packages and the build.
  const { Report } = await import("./report.mjs");
  const { runSuites, runViewer, runZarrBenchmarks } = await import("./suites.mjs");
  const { hurry } = await import("./measure.mjs");
  if (quick) hurry();
  const report = new Report(texts);
  step("Measuring: value, baseline, unit, ratio");
  if (alone === "viewer") await runViewer(report, native);
  else if (alone === "zarr-benchmarks") await runZarrBenchmarks(report, native);
  else
    await runSuites(report, {
      wasm: path.join(buildDir, "wasm/bench/inheap/zw_inheap.wasm"),
      native: path.join(native, "bench/inheap/zw_inheap"),
      libraries: path.join(native, "bench/inheap/zw_inheap_libraries"),
      workDir: native,
    });
  report.printSummary();
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report.rows, null, 2)}\n`);
  if (history && !quick) record(report.rows);
  if (writeDocs) {
    const { writeDocuments } = await import("./documents.mjs");
    writeDocuments(report.rows, { loadBefore, isComplete: texts.length === 0, isQuick: quick === true });
  }
});
