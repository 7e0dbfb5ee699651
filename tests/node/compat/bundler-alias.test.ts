// Programs written for zarrita and numcodecs, bundled with an alias instead of a changed import.
import { spawnSync } from "node:child_process";
import { build } from "esbuild";
import { expect, it } from "vitest";

const root = new URL("../../../", import.meta.url).pathname;

const program = `
  import * as zarr from "zarrita";
  import Zstd from "numcodecs/zstd";
  import { Blosc } from "numcodecs";
  const text = (value) => new TextEncoder().encode(JSON.stringify(value));
  const chunk = (values) => new Uint8Array(Int16Array.from(values).buffer);
  const meta = { zarr_format: 2, shape: [4], chunks: [2], dtype: "<i2", fill_value: 0, order: "C", filters: null,
    compressor: { id: "zstd", level: 1 } };
  const store = new Map([
    ["/.zarray", text(meta)],
    ["/0", await new Zstd(1).encode(chunk([1, 2]))],
    ["/1", await Zstd.fromConfig({ id: "zstd", level: 3 }).encode(chunk([3, 4]))],
  ]);
  const array = await zarr.open(store, { kind: "array" });
  const { data } = await zarr.get(array, [zarr.slice(1, 4)]);
  const frame = await Blosc.fromConfig({ id: "blosc" }).encode(chunk([5]));
  console.log(data.join(), new Int16Array((await new Blosc().decode(frame)).buffer).join());
`;

it.each([
  ["numcodecs alone, below zarrita", { numcodecs: "zarr-wasm/numcodecs" }],
  ["both", { zarrita: "zarr-wasm/zarrita", numcodecs: "zarr-wasm/numcodecs" }],
])("an alias replaces %s", async (what, alias) => {
  const outfile = `${root}build/alias/${what.replaceAll(/\W/g, "-")}.mjs`;
  const { metafile } = await build({
    stdin: { contents: program, resolveDir: root },
    alias,
    bundle: true,
    external: ["zarr-wasm/*"],
    format: "esm",
    platform: "node",
    outfile,
    metafile: true,
  });
  expect(Object.keys(metafile.inputs).filter((file) => file.includes("/numcodecs/"))).toEqual([]);
  // The bundle does not evaluate strings as code, so it runs under any page policy.
  const args = ["--disallow-code-generation-from-strings", outfile];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([stdout.trim(), stderr]).toEqual(["2,3,4 5", ""]);
});
