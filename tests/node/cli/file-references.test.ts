// zarr-wasm references: documents and Parquet folders of array files, replaced only if asked, and never in part.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { run, temporaryPlaces } from "../support/cli-tool.js";
import { netcdf3 } from "../support/netcdf3.js";

const place = temporaryPlaces("references");

/** Writes two files with values 0 to 5 along a dimension. */
function twoFiles(units = ["K", "K"]) {
  const folder = path.dirname(place());
  const files = [0, 1].map((i) => {
    const values = [3 * i, 3 * i + 1, 3 * i + 2];
    const v = { dimensions: ["time"], values, attributes: { units: units[i]! } };
    const file = path.join(folder, `${i}.nc`);
    writeFileSync(file, netcdf3({ time: 3 }, { v }));
    return file;
  });
  return { folder, files };
}

const values = async (source: string) =>
  (await run("read", source, "--path", "v", "--json")).text.trim().split("\n").map(Number);

describe("zarr-wasm references", () => {
  it.each(["refs.json", "refs.parq"])("writes %s, and replaces it with --overwrite", async (name) => {
    const { folder, files } = twoFiles();
    const dest = path.join(folder, name);
    const one = await run("references", files[0]!, dest, "--inline", "0");
    expect([one.status, one.err]).toEqual([0, ""]);
    expect(one.text).toBe(`1 array, 1 reference written to ${dest}\n`);
    expect(await values(dest)).toEqual([0, 1, 2]);
    const again = await run("references", ...files, dest, "--along", "time");
    expect([again.status, again.err]).toEqual([
      1,
      expect.stringContaining("already exists; pass --overwrite"),
    ]);
    const all = ["references", ...files, dest, "--along", "time", "--inline", "0", "--overwrite", "--json"];
    const facts = JSON.parse((await run(...all)).text);
    expect(facts).toEqual({ sources: files, destination: dest, arrays: 1, references: 2 });
    expect(await values(dest)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(readdirSync(folder).toSorted()).toEqual(["0.nc", "1.nc", name].toSorted());
  });

  it("names files relative to the references", async () => {
    const { folder, files } = twoFiles();
    const dest = path.join(folder, "refs.json");
    expect((await run("references", files[0]!, dest, "--relative", "--inline", "0")).status).toBe(0);
    expect(JSON.parse(readFileSync(dest, "utf8")).refs["v/0"][0]).toBe("0.nc");
    expect(await values(dest)).toEqual([0, 1, 2]);
  });

  it("writes nothing after an error", async () => {
    const { folder, files } = twoFiles(["K", "m"]);
    const failing = [
      [...files, "refs.parq"],
      [...files, "refs.json", "--along", "time"],
      [files[0]!, "refs.zarr"],
      [files[0]!, "refs.json", "--record-size", "5"],
      [path.join(folder, "missing.nc"), "refs.json"],
    ];
    const errors: string[] = [];
    for (const [...args] of failing) {
      const at = args.findIndex((arg) => arg.startsWith("refs."));
      args[at] = path.join(folder, args[at]!);
      const { status, err, text } = await run("references", ...args);
      expect([status > 0, text]).toEqual([true, ""]);
      errors.push(err);
    }
    expect(errors[0]).toContain("several files require --along");
    expect(errors[1]).toMatch(/"\/v": the attribute units is "m" in .*1\.nc, but "K" in .*0\.nc/);
    expect(errors[2]).toContain("DEST must be a .json file or a .parq or .parquet folder");
    expect(errors[3]).toContain("--record-size requires a folder");
    expect(errors[4]).toContain("missing.nc does not exist");
    expect(readdirSync(folder).toSorted()).toEqual(["0.nc", "1.nc"]);
  });

  it("keeps folders that are not references", async () => {
    const { folder, files } = twoFiles();
    const dest = path.join(folder, "data.parq");
    mkdirSync(dest);
    const { status, err } = await run("references", files[0]!, dest, "--overwrite");
    expect([status, err]).toEqual([1, expect.stringContaining("is a folder without references")]);
  });
});
