// Writes web/viewer/base/colormap-data.ts and viridis.ts from published tables:
//
//   node scripts/colormaps.mjs CPT MATPLOTLIB
//
// CPT is the folder of GMT's colour palette tables (Debian's gmt-common: /usr/share/gmt/cpt), with the tables of cmocean
// 2.0 and of Crameri's Scientific Colour Maps 7.0.1 (SCM); MATPLOTLIB is the folder of matplotlib's modules (version 3.6.3),
// with _cm_listed.py and, for ColorBrewer's diverging schemes of eleven colours, _cm.py. Sources and licences are in
// THIRD_PARTY_NOTICES.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deflateRawSync } from "node:zlib";
import { colormapKinds } from "../build/viewer/base/colormaps.js";
import { root } from "./lib/paths.mjs";

const [cptFolder, matplotlibFolder] = process.argv.slice(2);
const base = path.join(root, "web/viewer/base");

/** Differences from colour to colour, modulo 256, of one channel after the other; `unpack` in color-tables.ts reverses it. */
const differences = (colors) =>
  [0, 1, 2].flatMap((channel) =>
    colors.map((color, i) => (color[channel] - (colors[i - 1]?.[channel] ?? 0)) & 255),
  );

/** 256 colours on straight lines between evenly spaced ones. */
const interpolated = (stops) =>
  Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (stops.length - 1);
    const left = Math.min(Math.floor(at), stops.length - 2);
    return stops[left].map((value, channel) =>
      Math.round(value + (stops[left + 1][channel] - value) * (at - left)),
    );
  });

/** 256 colours of a palette table: of slices, or of the gradients between them, which may have a gap at 0. */
function fromCpt(text) {
  const slices = text
    .split("\n")
    .map((line) => /^[\d.-]+\s+([\d/]+)\s+[\d.-]+\s+([\d/]+)/.exec(line))
    .filter((match) => match !== null)
    .map(([, left, right]) => [left, right]);
  const isFlat = slices.length === 256;
  const colors = slices.flatMap(([left, right], i) =>
    isFlat || right === slices[i + 1]?.[0] ? [left] : [left, right],
  );
  return colors.map((color) => color.split("/").map(Number));
}

/** The colours of `_NAME_data` in a module of matplotlib, rounded to bytes. */
function fromPython(text, name) {
  const start = text.indexOf(`_${name}_data = `);
  const end = text.indexOf("\n\n", start);
  if (start < 0) return undefined;
  return [...text.slice(start, end).matchAll(/[[(]\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*[\])]/g)].map(
    ([, ...channels]) => channels.map((channel) => Math.round(Number(channel) * 255)),
  );
}

const read = (...parts) => readFileSync(path.join(...parts), "utf8");
const listed = read(matplotlibFolder, "_cm_listed.py");
const stops = read(matplotlibFolder, "_cm.py");

function tableOf(name) {
  for (const folder of ["SCM", "cmocean"]) {
    const file = path.join(cptFolder, folder, `${name}.cpt`);
    if (existsSync(file)) return fromCpt(readFileSync(file, "utf8"));
  }
  return fromPython(listed, name) ?? fromPython(stops, name);
}

function bytesOf(name) {
  const colors = tableOf(name);
  if (colors?.length === 256) return differences(colors);
  if (colors?.length === 11) return differences(interpolated(colors));
  // matplotlib's twilight has 510 colours, of which pictures of 256 use every second one.
  if (colors?.length === 510)
    return differences(Array.from({ length: 256 }, (_, i) => colors[Math.min(509, 2 * i)]));
  throw new Error(`${name} has ${colors?.length ?? "no"} colours`);
}

const names = Object.values(colormapKinds)
  .flat()
  .filter((name) => name !== "gray" && name !== "viridis");
const all = deflateRawSync(Uint8Array.from(names.flatMap(bytesOf)), { level: 9 }).toString("base64");
const head = (what) => `/** ${what} Made by scripts/colormaps.mjs. */\n`;
writeFileSync(
  path.join(base, "colormap-data.ts"),
  `${head("Tables of the published colour maps but two, in the order of `colormapKinds`: deflated, in base64.")}export const colormapData =\n  "${all}";\n`,
);
writeFileSync(
  path.join(base, "viridis.ts"),
  `${head("The table of the default map, in base64.")}export const viridis =\n  "${Buffer.from(bytesOf("viridis")).toString("base64")}";\n`,
);
