// The TypeScript mirrors of the core's lists, compared with what both wasm modules say.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { coreTypes } from "../../dist/dtypes/table.js";
import { coreCodecs } from "../../dist/engine/codec-table.js";
import { instantiate } from "../../dist/engine/module.js";
import { textAt } from "../../dist/engine/session.js";

describe.each(["decode", "full"] as const)("%s.wasm", (name) => {
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
      expect(core.hasCodec(id)).toBe(name === "full" || row.decode === "decode");
    });
    expect(textAt(core, core.codecName(coreCodecs.length))).toBe("");
  });

  it("contains no code that builds code", () => {
    const glue = readFileSync(new URL(`../../dist/wasm/${name}.mjs`, import.meta.url), "utf8");
    expect(glue).not.toMatch(/\beval\s*\(|\bnew Function\b|\bFunction\s*\(/);
  });
});
