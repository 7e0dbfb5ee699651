/** Cells on the globe: HEALPix against healpy, reduced Gaussian rows and meshes against plain searches. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cellIds, Healpix, healpixGrid } from "../../../web/src/conventions/cells/healpix.js";

interface Golden {
  readonly points: readonly {
    readonly level: number;
    readonly lon: readonly number[];
    readonly lat: readonly number[];
    readonly nested: readonly number[];
    readonly ring: readonly number[];
    readonly centreLon: readonly number[];
    readonly centreLat: readonly number[];
  }[];
  readonly nestedToRing: { readonly [level: string]: readonly number[] };
}

const golden = JSON.parse(
  readFileSync(new URL("../../golden/healpix.json", import.meta.url), "utf8"),
) as Golden;

describe("HEALPix", () => {
  test.each(golden.points)("finds the cells that healpy finds at level $level", (known) => {
    const [nested, ring] = [new Healpix(2 ** known.level, "nested"), new Healpix(2 ** known.level, "ring")];
    for (const [i, lon] of known.lon.entries()) {
      const lat = known.lat[i]!;
      const at = `${lon}, ${lat}`;
      expect(nested.at(lon, lat), at).toBe(known.nested[i]);
      expect(ring.at(lon, lat), at).toBe(known.ring[i]);
      expect(nested.nestedToRing(known.nested[i]!), at).toBe(known.ring[i]);
      expect(ring.ringToNested(known.ring[i]!), at).toBe(known.nested[i]);
      for (const [cells, cell] of [
        [nested, known.nested[i]!],
        [ring, known.ring[i]!],
      ] as const) {
        const [longitude, latitude] = cells.pointIn(cell, 0.5, 0.5);
        const apart = Math.abs(((longitude - known.centreLon[i]! + 540) % 360) - 180);
        expect(apart * Math.cos((latitude * Math.PI) / 180), at).toBeLessThan(2e-8);
        expect(Math.abs(latitude - known.centreLat[i]!), at).toBeLessThan(2e-8);
      }
    }
  });

  test("converts all cells of small levels between the schemes", () => {
    for (const [level, rings] of Object.entries(golden.nestedToRing)) {
      const cells = new Healpix(2 ** Number(level), "ring");
      for (const [nested, ring] of rings.entries()) {
        expect(cells.nestedToRing(nested)).toBe(ring);
        expect(cells.ringToNested(ring)).toBe(nested);
      }
    }
  });

  test("finds every cell from its centre and from points beside its corners", () => {
    for (const scheme of ["nested", "ring"] as const) {
      const cells = new Healpix(8, scheme);
      for (let cell = 0; cell < cells.count; cell++)
        for (const [across, up] of [
          [0.5, 0.5],
          [1e-9, 1e-9],
          [1 - 1e-9, 1e-9],
          [1e-9, 1 - 1e-9],
          [1 - 1e-6, 1 - 1e-6],
        ] as const)
          expect(cells.at(...cells.pointIn(cell, across, up))).toBe(cell);
    }
  });

  test("maps identifiers of a part of the globe, in any order, to indices", () => {
    const cells = new Healpix(4, "nested");
    for (const ids of [[7, 8, 9, 10], [3, 7, 100], [100n, 3n, 7n]]) {
      const grid = healpixGrid({ nside: 4, scheme: "nested", ids: cellIds(ids) });
      const list = Array.from(ids as ArrayLike<number>, Number);
      for (let id = 0; id < cells.count; id++)
        expect(grid.cellAt(...cells.pointIn(id, 0.3, 0.4))).toBe(list.indexOf(id));
      expect(grid.centre(1)).toEqual(cells.pointIn(list[1]!, 0.5, 0.5));
    }
  });

  test("converts geodetic latitudes of an ellipsoid to authalic ones, and back", () => {
    const grid = healpixGrid({ nside: 1024, scheme: "nested", flattening: 1 / 298.257223563 });
    // Snyder, "Map Projections: A Working Manual", page 16: 45° on Clarke 1866; on WGS 84 the difference is 0.1282°.
    const onSphere = new Healpix(1024, "nested");
    expect(grid.cellAt(10, 45)).toBe(onSphere.at(10, 45 - 0.12817));
    for (const cell of [0, 77, 5_000_000, grid.count - 1]) expect(grid.cellAt(...grid.centre(cell))).toBe(cell);
  });
});
