// A sample of the golden stores, copied into each Zarr version and read again; npm run check -- copies does all fixtures.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { copyInto, fixturesIn, unpackGolden, versions } from "../../../scripts/lib/copies.mjs";

/** Interval of the fixtures that are copied. */
const sample = 12;

/** What versions cannot hold of the sample, whatever the codecs. */
const refusals = [
  /^Zarr v1 has no codec (vlen-|json2|msgpack2|categorize)/,
  /^Zarr v1 does not support (arrays without dimensions|elements of variable length)/,
  /^Zarr v[12] (cannot represent data type|requires names for all dimensions)/,
  /^Zarr v[12] has no form for this fill value/,
  /^Zarr v[12] (has no data type|does not support chunks of different lengths)/,
  /^Zarr v3 has no (data type for objects|subarrays in structured types)/,
];

it("arrays of other writers are the same in every version that can hold them", {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "zarr-wasm-copies-"));
  try {
    const golden = path.join(import.meta.dirname, "../../golden");
    unpackGolden(golden, ["v1", "v2", "v3"], path.join(folder, "golden"));
    const fixtures = [...fixturesIn(path.join(folder, "golden"))].filter((_, i) => i % sample === 0);
    let equal = 0;
    for (const fixture of fixtures) {
      for (const version of versions) {
        const { outcome, reason = "" } = await copyInto(fixture, version, path.join(folder, "copies"));
        const isRefused = outcome === "cannot hold" && refusals.some((known) => known.test(reason));
        if (!isRefused) expect(outcome, `${fixture.name} into v${version}: ${reason}`).toMatch(/^equal/);
        if (!isRefused) equal++;
      }
    }
    expect(equal).toBeGreaterThan(2 * fixtures.length);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
