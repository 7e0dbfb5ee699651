// Compares the TypeScript mirrors of the core's lists with the wasm modules.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { coreTypes } from "#src/dtypes/table.js";
import { coreCodecs } from "#src/engine/codec-table.js";
import { instantiate } from "#src/engine/engine.js";
import { textAt } from "#src/engine/session.js";

/** Each module has the decoders of those before it. */
const modules = ["decode", "full", "images"] as const;

describe.each(modules)("%s.wasm", (name) => {
  it("has the data types of the mirror, in its order", async () => {
    const core = await instantiate(name);
    coreTypes.forEach((row, id) => {
      expect(textAt(core, core.dtypeName(id))).toBe(row.core);
      expect(core.dtypeItemBytes(id)).toBe(row.itemBytes);
      expect(core.dtypeComponentBytes(id)).toBe(row.componentBytes);
    });
    expect(textAt(core, core.dtypeName(coreTypes.length))).toBe("");
  });

  it("has the codecs of the mirror, in its order", async () => {
    const core = await instantiate(name);
    coreCodecs.forEach((row, id) => {
      expect(textAt(core, core.codecName(id))).toBe(row.core);
      expect(core.hasCodec(id) === 1).toBe(modules.indexOf(row.decode) <= modules.indexOf(name));
    });
    expect(textAt(core, core.codecName(coreCodecs.length))).toBe("");
  });

  it("contains no code that compiles strings", () => {
    const glue = readFileSync(new URL(`../../../dist/wasm/${name}.mjs`, import.meta.url), "utf8");
    expect(glue).not.toMatch(/\beval\s*\(|\bnew Function\b|\bFunction\s*\(/);
  });
});

it("the CRC taps are the first that the search finds", () => {
  const root = new URL("../../../", import.meta.url);
  const script = fileURLToPath(new URL("scripts/crc-taps.mjs", root));
  const lines = execFileSync(process.execPath, [script], { encoding: "utf8" }).split("\n");
  /** The first line below a heading, without counts and parts that C++ omits. */
  const first = (heading: string) =>
    lines[lines.findIndex((line) => line.startsWith(heading)) + 1]!.trim()
      .replace(/(?: {2}\d+)+$/, "")
      .replaceAll(", 0b1}", "}");
  const source = (name: string) => readFileSync(new URL(`src/kernels/${name}.cpp`, root), "utf8");
  expect(source("crc32")).toContain(`kTaps = {${first("crc32: near")}}`);
  expect(source("crc32c")).toContain(`kTaps = {${first("crc32c: near")}}`);
  expect(source("crc32c")).toContain(`kFarTaps = ${first("crc32c: far")}`);
});
