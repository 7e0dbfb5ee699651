// npm run check -- copies: copies every array of the fixtures of Zarr v1, v2 and v3 into each version that can hold it,
// and reads the copies. Default fixtures: those beside the checkout, or the project's own golden stores.
//   --fixtures DIR   other fixtures
//   --only TEXT      only fixtures whose name contains it
//   --out DIR        destination of the copies, laid out as fixtures (default: build/copies)
//   --read           also reads the copies with the shared runner, in one process each: takes minutes
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildAll } from "../build.mjs";
import { buildDir, root } from "../lib/paths.mjs";
import { attempt, runMain, SetupError, step } from "../lib/process.mjs";

const { values } = parseArgs({
  options: {
    fixtures: { type: "string" },
    only: { type: "string", default: "" },
    out: { type: "string", default: path.join(buildDir, "copies") },
    read: { type: "boolean" },
  },
});

/** The folder of fixtures. */
async function fixturesFolder() {
  const beside = values.fixtures ?? path.join(root, "../shared/fixtures");
  if (existsSync(beside)) return path.resolve(beside);
  const { unpackGolden } = await import("../lib/copies.mjs");
  const unpacked = path.join(buildDir, "golden-fixtures");
  rmSync(unpacked, { recursive: true, force: true });
  unpackGolden(path.join(root, "tests/golden"), ["v1", "v2", "v3"], unpacked);
  return unpacked;
}

/** Reasons without the parts that differ between arrays. */
const kindOf = (reason) => reason.replace(/"[^"]*"|\d+(\.\d+)?/g, "…").slice(0, 160);

runMain(async () => {
  buildAll();
  const { copyInto, fixturesIn, versions } = await import("../lib/copies.mjs");
  const fixtures = await fixturesFolder();
  const out = path.resolve(values.out);
  step(`Copying the arrays of ${fixtures} into Zarr v1, v2 and v3`);
  const counts = new Map();
  const wrong = [];
  for (const fixture of fixturesIn(fixtures)) {
    if (!fixture.name.includes(values.only)) continue;
    for (const version of versions) {
      const { outcome, reason } = await copyInto(fixture, version, out);
      const kind = `into v${version}: ${kindOf(outcome)}${reason ? `: ${kindOf(reason)}` : ""}`;
      counts.set(kind, [...(counts.get(kind) ?? []), fixture.name]);
      if (outcome === "failed" || outcome === "differs")
        wrong.push(`${fixture.name} into v${version}: ${reason}`);
    }
  }
  for (const [kind, names] of [...counts].sort())
    console.log(`${String(names.length).padStart(6)} ${kind} (${names[0]})`);
  for (const text of wrong) console.log(`FAIL ${text}`);
  if (counts.size === 0) throw new SetupError(`there are no fixtures below ${fixtures}`);
  const runner = path.join(root, "../shared/conformance/run.mjs");
  const isRead = !values.read || attempt(process.execPath, [runner, "--project", root, "--fixtures", out]);
  return wrong.length > 0 || !isRead ? 1 : 0;
});
