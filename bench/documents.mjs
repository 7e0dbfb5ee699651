// Documents generated from a run: bench/results.json, the tables of docs/performance.md and docs/benchmarks.md, and
// docs/charts/*.svg. The tables and charts depend only on results.json; a test compares them.
//   node bench/documents.mjs        regenerates tables and charts from results.json
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../scripts/lib/paths.mjs";
import { barChart } from "./charts.mjs";
import { groupBy } from "./group-by.mjs";
import { short } from "./report.mjs";
import { judge, targetOf } from "./targets.mjs";

/** @typedef {{name: string, unit: string, value: number, baseline: number, ratio: number}} Row */

const resultsFile = path.join(root, "bench/results.json");
/** Pages with generated tables: the summary, and all rows. */
export const pages = ["docs/performance.md", "docs/benchmarks.md"];
const fileOf = (page) => path.join(root, page);
const chartsDir = path.join(root, "docs/charts");

/** @returns {Row[]} */
export function readResults() {
  return JSON.parse(readFileSync(resultsFile, "utf8"));
}

/** Replaces a table between its markers: <!-- name --> … <!-- end -->. */
function replaceMarked(document, name, content) {
  const pattern = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
  if (!pattern.test(document)) throw new Error(`the page has no place for ${name}`);
  return document.replace(pattern, (_, start, end) => `${start}\n${content}\n\n${end}`);
}

function table(head, rows, align) {
  const cell = (content) => String(content).replaceAll("|", "\\|");
  const line = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  const rule = `|${align.map((right) => (right ? "---:" : "---")).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** "≥ 0.95 met", "≥ 0.95 **missed**" or nothing. */
function verdict(row) {
  const target = targetOf(row.name);
  if (!target) return "";
  const judged = judge(target, row);
  return `${target.text} ${judged === "met" ? "met" : "**missed**"}`;
}

/** A complete table row: name, value, baseline, ratio, target. */
function plainTable(rows, shorten = (name) => name) {
  return table(
    ["comparison", "figure", "baseline", "unit", "ratio", "target"],
    rows.map((row) => [
      shorten(row.name),
      short(row.value),
      short(row.baseline),
      row.unit,
      row.ratio.toFixed(2),
      verdict(row),
    ]),
    [false, true, true, false, true, false],
  );
}

/** In-heap rows, with all rows of a case in one line. */
function inHeapTable(rows) {
  const byCase = groupBy(rows, ({ name }) => caseOf(name));
  const ratioOf = (row) => row?.ratio.toFixed(2) ?? "";
  const lines = [...byCase].flatMap(([name, all]) => {
    const wasm = all.find((row) => row.name.startsWith(`in heap, ${name}: wasm over `));
    if (!wasm) return [];
    const native = all.find((row) => row.name.includes(": our native build over "));
    const beside = all.find((row) => row.name.endsWith(": wasm over our native build"));
    const chromium = all.find((row) => row.name.endsWith(": wasm in Chromium over wasm in Node"));
    const against = wasm.name.split(": wasm over ")[1];
    return [
      [
        name,
        `${short(wasm.value)} ${wasm.unit}`,
        against.startsWith("permute") || against.startsWith("chunk") ? "without it, or in stages" : against,
        short(wasm.baseline),
        ratioOf(wasm),
        ratioOf(native),
        ratioOf(beside),
        verdict(beside ?? wasm),
        ratioOf(chromium),
      ],
    ];
  });
  return table(
    [
      "case",
      "wasm",
      "over",
      "its figure",
      "ratio",
      "our native build",
      "wasm / native",
      "target",
      "Chromium / Node",
    ],
    lines,
    [false, true, false, true, true, true, true, false, true],
  );
}

function caseOf(name) {
  return /^in heap, (.*?): /.exec(name)?.[1] ?? name;
}

const inJavaScript = /^decode .* 4 MiB, (fresh|reused) array: zarr-wasm over npm numcodecs$/;

/** Rows of the summary table that are ratios of speeds, with their baselines. */
export const glances = [
  ["decoding a chunk into a new array", "npm numcodecs", (name) => inJavaScript.exec(name)?.[1] === "fresh"],
  ["decoding into an existing array", "npm numcodecs", (name) => inJavaScript.exec(name)?.[1] === "reused"],
  [
    "decoding inside WebAssembly",
    "the native C libraries",
    (name) => /^in heap, decode .* 4 MiB: wasm over native/.test(name) && !name.includes("mean of"),
  ],
  ["encoding a chunk", "npm numcodecs", (name) => /^encode .*: zarr-wasm over npm numcodecs$/.test(name)],
  ["reading chunks and arrays from memory", "zarrita", (name) => isGet(name) && !name.includes("HTTP")],
  ["reading arrays over HTTP", "zarrita", (name) => isGet(name) && name.includes("HTTP")],
];
const isGet = (name) => /^get.*: zarr-wasm over zarrita$/.test(name);

/** Rows of the summary table that are amounts: less is better. */
export const glanceCosts = [
  [
    "**Download**, gzip, everything that opening and reading needs",
    "download, gzip: all that open and get need over npm",
  ],
  [
    "**Start**, from the import to the first chunk, in Node",
    "startup, import to first decoded chunk of 512 KiB, Node: zarr-wasm over",
  ],
];

const times = (ratio) => `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)} ×`;

/** The summary table: performance in a few rows. */
function glance(rows) {
  const speeds = glances.map(([what, beside, isOfIt]) => {
    const ratios = rows.filter(({ name }) => isOfIt(name)).map(({ ratio }) => ratio);
    const typical = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    return [what, beside, `**${times(typical)}**`, `${times(least)} to ${times(most)}`, ratios.length];
  });
  const costs = glanceCosts.flatMap(([what, start]) => {
    const row = rows.find(({ name }) => name.startsWith(start));
    const peer = row?.name.split(" over npm ")[1];
    return row
      ? [`- ${what}: ${short(row.value)} ${row.unit}; ${peer}: ${short(row.baseline)} ${row.unit}.`]
      : [];
  });
  const head = ["speed of", "beside", "typically", "worst to best", "cases"];
  return `${table(head, speeds, [false, false, true, true, true])}\n\n${costs.join("\n")}`;
}

/** The number of targets met, and the missed ones. */
function summary(rows) {
  const held = rows.filter(({ name }) => targetOf(name));
  const missed = held.filter((row) => judge(targetOf(row.name), row) === "missed");
  const count = `${held.length - missed.length} of the ${held.length} rows that have a target met it.`;
  if (missed.length === 0) return count;
  const lines = missed.map((row) => {
    const { of, text, reason } = targetOf(row.name);
    return [row.name, short(row[of]), text, reason];
  });
  const head = ["comparison", "figure", "target", "reason"];
  return `${count} These missed it:\n\n${table(head, lines, [false, true, true, false])}`;
}

/** The generated tables, by marker. */
function tablesOf(rows) {
  const of = (pattern) => rows.filter(({ name }) => pattern.test(name));
  return {
    glance: glance(rows),
    summary: summary(rows),
    codecs: inHeapTable(of(/^in heap, (?:de|en)code /)),
    arrays: plainTable(of(/^get/)),
    copies: plainTable(of(/^copy, /)),
    writing: plainTable(of(/^set/)),
    pools: plainTable(of(/^pool, /), (name) => name.replace("pool, ", "")),
  };
}

/** One of the pages with regenerated tables. */
export function documentOf(page, document, rows) {
  const tables = Object.entries(tablesOf(rows));
  const isSummary = page === pages[0];
  return tables
    .filter(([name]) => (name === "glance") === isSummary)
    .reduce((text, [name, content]) => replaceMarked(text, name, content), document);
}

const chartCodecs = [
  "blosc lz4 shuffle",
  "blosc lz4 bitshuffle",
  "blosc zstd shuffle",
  "blosc zstd bitshuffle",
  "blosc blosclz shuffle",
  "zstd level 3",
  "lz4",
  "gzip level 5",
];

/** Codecs in the README's chart: one of each family. */
const peerCodecs = ["blosc lz4 shuffle", "blosc zstd bitshuffle", "zstd level 3", "lz4", "gzip level 5"];

const chartKernels = [
  ["byte swap 2 B, 4 MiB", "byte swap, uint16"],
  ["permute u16 [1400,1498] [1,0]", "transpose 1400 × 1498, uint16"],
  ["permute u16 [1400,1498] [1,0] with byte swap", "the same with byte swap"],
  ["permute u16 [128,128,128] [2,1,0]", "axes reversed 128³, uint16"],
  ["permute u16 [128,128,128] [0,2,1]", "last two axes 128³, uint16"],
  ["crc32c, 4 MiB", "crc32c"],
  ["unshuffle 2 B, 4 MiB", "unshuffle, uint16"],
  ["bit unshuffle 2 B, 4 MiB", "bit unshuffle, uint16"],
];

/** The charts: file names with their SVG source. */
export function chartsOf(rows) {
  const find = (name) => rows.find((row) => row.name.startsWith(name));
  const inHeap = (name) => find(`in heap, ${name}: wasm over `);
  const speedOf = (row, key = "value") => (row?.unit === "GB/s" ? row[key] : undefined);
  /**
   * Speed in GB/s of a variant that is compared by time: the base case's speed divided by the ratio of times.
   */
  const kernelSpeed = (name) => {
    const row = inHeap(name);
    if (row?.unit !== "ms") return speedOf(row);
    const plain = speedOf(inHeap(row.name.split(": wasm over ")[1]));
    return plain === undefined ? undefined : plain / row.ratio;
  };
  const decodeOf = (codec) => {
    const heap = inHeap(`decode ${codec}, microscopy 4 MiB`);
    const fresh = find(`decode ${codec}, microscopy 4 MiB, fresh array: zarr-wasm over npm numcodecs`);
    return [speedOf(fresh), speedOf(fresh, "baseline"), speedOf(heap, "baseline"), speedOf(heap)];
  };
  const copy = speedOf(inHeap("byte swap 2 B, 4 MiB"), "baseline");
  const beside = (label, row) => ({ label, values: [speedOf(row), speedOf(row, "baseline")] });
  const gets = rows.filter(({ name, unit }) => /^get.*over zarrita$/.test(name) && unit === "GB/s");
  return {
    "decode.svg": barChart({
      title: "Decoding 4 MiB of uint16 microscopy",
      unit: "GB/s",
      series: [
        "zarr-wasm, into a fresh array",
        "npm numcodecs",
        "native library, in memory",
        "zarr-wasm, in memory",
      ],
      groups: chartCodecs.map((codec) => ({ label: codec, values: decodeOf(codec) })),
    }),
    "peers.svg": barChart({
      title: "Decoding chunks, and reading arrays",
      unit: "GB/s",
      series: ["zarr-wasm", "npm numcodecs (chunks), zarrita (arrays)"],
      groups: [
        ...peerCodecs.map((codec) =>
          beside(codec, find(`decode ${codec}, microscopy 4 MiB, fresh array: zarr-wasm over npm numcodecs`)),
        ),
        ...gets.filter(({ name }) => name.includes("HTTP")).map((row) => beside(getLabel(row.name), row)),
      ],
    }),
    "arrays.svg": barChart({
      title: "Reading arrays",
      unit: "GB/s",
      series: ["zarr-wasm", "zarrita"],
      groups: gets.map((row) => ({ label: getLabel(row.name), values: [row.value, row.baseline] })),
    }),
    "kernels.svg": barChart({
      title: "Kernels in memory, 4 MiB",
      unit: "GB/s",
      series: ["zarr-wasm", "memory.copy"],
      groups: chartKernels.map(([name, label]) => ({ label, values: [kernelSpeed(name), copy] })),
    }),
  };
}

/** A short label: "transposed big-endian 128³". */
function getLabel(name) {
  return name
    .replace(/^(?:getChunk|get), /, "")
    .replace(/: zarr-wasm over zarrita$/, "")
    .replace("256 MiB uint16 in 64³ ", "64³ ")
    .replace(" chunks over loopback HTTP", " over HTTP")
    .replace(
      "chunk 64³ u16 big-endian [2,1,0] blosc lz4 placed into 256³",
      "64³ big-endian [2,1,0] blosc lz4",
    )
    .replace("32 MiB uint16 in shards of 128³, inner chunks 32³ zstd", "shards 128³ of zstd 32³")
    .replace("transposed big-endian chunk, microscopy", "transposed big-endian");
}

function machineNote({ loadBefore, isQuick }) {
  const cpus = os.cpus();
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus.length} × ${cpus[0].model.trim()}, ${os.type()} ${os.arch()}, Node ${process.versions.node}`;
  const isBusy = loadBefore > cpus.length / 2;
  const warning = `**The machine was busy with other work (load average ${loadBefore.toFixed(1)}): even ratios are rough.**`;
  const quick = "**Measured with `--quick`: the figures mean nothing.**";
  return [`Measured on ${day}: ${machine}.`, ...(isBusy ? [warning] : []), ...(isQuick ? [quick] : [])].join(
    "\n",
  );
}

/**
 * Saves the rows and regenerates the documents.
 * @param {Row[]} rows
 * @param {{loadBefore: number, isComplete: boolean, isQuick: boolean}} run load average before the benchmarks, whether
 *   these are all rows (otherwise they replace those with the same names), and whether the values are only a smoke test
 */
export function writeDocuments(rows, run) {
  const { isComplete } = run;
  const results = merged(isComplete ? readResults().filter(isMeasuredAlone) : readResults(), rows);
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  const overview = fileOf(pages[0]);
  writeFileSync(overview, replaceMarked(readFileSync(overview, "utf8"), "machine", machineNote(run)));
  showResults(results);
}

/** Rows that a complete run does not measure. */
const isMeasuredAlone = ({ name }) => /^(?:viewer|zarr-benchmarks), /.test(name);

function merged(old, fresh) {
  const byName = new Map(fresh.map((row) => [row.name, row]));
  const kept = old.map((row) => byName.get(row.name) ?? row);
  const names = new Set(old.map(({ name }) => name));
  return [...kept, ...fresh.filter(({ name }) => !names.has(name))];
}

function showResults(rows) {
  for (const page of pages)
    writeFileSync(fileOf(page), documentOf(page, readFileSync(fileOf(page), "utf8"), rows));
  mkdirSync(chartsDir, { recursive: true });
  for (const [name, svg] of Object.entries(chartsOf(rows))) writeFileSync(path.join(chartsDir, name), svg);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) showResults(readResults());
