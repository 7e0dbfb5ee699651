/** Cells on the globe: HEALPix against healpy, reduced Gaussian rows and meshes against plain searches. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { create, createGroup, MapStore, open, set } from "zarr-wasm";
import { cellsOf, georeference, readTile, tileAt } from "zarr-wasm/conventions";
import { gaussianGrid } from "../../../web/src/conventions/cells/gaussian.js";
import { cellIds, Healpix, healpixGrid } from "../../../web/src/conventions/cells/healpix.js";
import { meshGrid } from "../../../web/src/conventions/cells/mesh.js";
import { dualMesh, icosphere, octahedral, type Triangles } from "../../shared/cell-grids.js";

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
    for (const ids of [
      [7, 8, 9, 10],
      [3, 7, 100],
      [100n, 3n, 7n],
    ]) {
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
    for (const cell of [0, 77, 5_000_000, grid.count - 1])
      expect(grid.cellAt(...grid.centre(cell))).toBe(cell);
  });
});

/** Random points all over the sphere, the poles and the antimeridian. */
function somePoints(count: number): [longitude: number, latitude: number][] {
  let state = 1;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const points = Array.from({ length: count }, (): [number, number] => [
    540 * random() - 180,
    (Math.asin(2 * random() - 1) * 180) / Math.PI,
  ]);
  return [
    ...points,
    [90, -40],
    [90, -84.52],
    [-90, 30],
    [0, 90],
    [200, -90],
    [180, 0.1],
    [-180, 0.1],
    [179.99999, -33.3],
    [0, 89.99],
    [360, 45.1],
  ];
}

describe("reduced Gaussian grids", () => {
  test("need distances between the points of a row, and longitudes in degrees", () => {
    const rows = (longitude: (i: number) => number) =>
      [0, 1, 2].flatMap((row) => Array.from({ length: 8 }, (_, i) => [longitude(i), row * 10] as const));
    const grid = (longitude: (i: number) => number) => {
      const points = rows(longitude);
      return gaussianGrid(
        points.map(([at]) => at),
        points.map(([, at]) => at),
      );
    };
    expect(grid((i) => 45 * i)?.count).toBe(24);
    expect(grid(() => 45)).toBeUndefined();
    expect(grid((i) => 1e17 + 45 * i)).toBeUndefined();
    expect(grid((i) => i * Number.NaN)).toBeUndefined();
  });

  const { longitudes, latitudes } = octahedral(24);

  test("find the nearest row and its nearest point", () => {
    const grid = gaussianGrid(longitudes, latitudes)!;
    for (const [lon, lat] of somePoints(2000)) {
      let [nearest, row, away] = [-1, Number.NaN, 360];
      for (const latitude of new Set(latitudes))
        if (!(Math.abs(latitude - lat) >= Math.abs(row - lat))) row = latitude;
      for (const [i, latitude] of latitudes.entries()) {
        const apart = Math.abs(((((longitudes[i]! - lon + 180) % 360) + 360) % 360) - 180);
        if (latitude === row && apart < away) [nearest, away] = [i, apart];
      }
      expect(grid.cellAt(lon, lat), `${lon}, ${lat}`).toBe(nearest);
    }
    for (const [i, lon] of longitudes.entries()) {
      expect(grid.cellAt(lon, latitudes[i]!)).toBe(i);
      const [[left, south], , [right, north]] = grid.outline(i) as [
        [number, number],
        unknown,
        [number, number],
      ];
      expect(grid.cellAt((left + right) / 2, south + 1e-9)).toBe(i);
      expect(grid.cellAt(right - 1e-9, north - 1e-9)).toBe(i);
      expect(grid.cellAt(left - 1e-9, north - 1e-9)).not.toBe(i);
    }
  });

  test("have rows in float32, from the south, or a part of the globe", () => {
    const upward = gaussianGrid(
      Float32Array.from(longitudes).reverse(),
      Float32Array.from(latitudes).reverse(),
    );
    expect(upward).toBeUndefined(); // longitudes descend
    const rows = [10, 11, 12.5].flatMap((lat, row) =>
      [0, 1, 2].map((i) => [350 + i * (1 + row), lat] as const),
    );
    const part = gaussianGrid(
      Float32Array.from(rows, ([lon]) => lon % 360),
      Float32Array.from(rows, ([, lat]) => lat),
    )!;
    expect(part.cellAt(-10, 10)).toBe(0);
    expect(part.cellAt(-8.1, 10.49)).toBe(2);
    expect(part.cellAt(-7.49, 10.49)).toBe(-1);
    expect(part.cellAt(-10.6, 10.49)).toBe(-1);
    expect(part.cellAt(-8.1, 10.51)).toBe(4);
    expect(part.cellAt(-10, 9.4)).toBe(-1);
  });

  test("are refused if points do not form rows", () => {
    expect(gaussianGrid([0, 1, 5, 0, 1, 2], [10, 10, 10, 11, 11, 11])).toBeUndefined();
    expect(gaussianGrid([0, 1, 0, 1, 0, 1], [10, 10, 11, 11, 10, 10])).toBeUndefined();
    expect(gaussianGrid([0, 1, 2], [10, 11, 12])).toBeUndefined();
    expect(gaussianGrid([], [])).toBeUndefined();
  });
});

describe("meshes", () => {
  test("with cells everywhere are refused, and cells without area or places do not matter", async () => {
    // Very small triangles, and as many across a hemisphere: these touch all parts of an index for the small ones.
    const count = 200_000;
    const longitudes = Float64Array.from({ length: 3 * count }, (_, i) =>
      Math.floor(i / 3) % 2 === 0 ? 10 + 1e-4 * (i % 3) : 120 * (i % 3),
    );
    const latitudes = longitudes.map((_, i) =>
      Math.floor(i / 3) % 2 === 0 ? 20 + 1e-4 * ((i * i) % 3) : 10,
    );
    await expect(meshGrid({ count, corners: 3, longitudes, latitudes })).rejects.toThrow(/mesh/);
    const odd = {
      count: 6,
      corners: 3,
      longitudes: [0, 10, 10, Number.NaN, 1e300, 0],
      latitudes: [0, 0, 10, 0, 0, Number.POSITIVE_INFINITY],
      nodes: [0, 1, 2, 0, 0, 0, 0, 1, 3, 0, 1, 9999, -5, 2 ** 31, 1, 0, 1, 5],
    };
    const grid = (await meshGrid(odd))!;
    expect(grid.cellAt(8, 3)).toBe(0);
    expect(grid.cellAt(-170, 3)).toBe(-1);
    expect(grid.bounds.every(Number.isFinite)).toBe(true);
    const nowhere = { ...odd, longitudes: new Array(6).fill(Number.NaN) as number[] };
    expect(await meshGrid(nowhere)).toBeUndefined();
  });

  /** A slow twin: the polygon that has the point on the same side of all planes through its sides. */
  function search({ corners, nodes, longitudes, latitudes }: Triangles, lon: number, lat: number): number[] {
    const vector = (a: number, b: number) => {
      const [l, p] = [(a * Math.PI) / 180, (b * Math.PI) / 180];
      return [Math.cos(p) * Math.cos(l), Math.cos(p) * Math.sin(l), Math.sin(p)] as const;
    };
    const [x, y, z] = vector(lon, lat);
    const found: number[] = [];
    for (let cell = 0; cell < nodes.length / corners; cell++) {
      const own = nodes.slice(cell * corners, (cell + 1) * corners).filter((node) => node >= 0);
      const at = own.map((node) => vector(longitudes[node]!, latitudes[node]!));
      const sides = at.map(([ax, ay, az], i) => {
        const [bx, by, bz] = at[(i + 1) % at.length]!;
        return (ay * bz - az * by) * x + (az * bx - ax * bz) * y + (ax * by - ay * bx) * z;
      });
      const near = at.some(([ax, ay, az]) => ax * x + ay * y + az * z > 0);
      if (near && (sides.every((side) => side >= -1e-12) || sides.every((side) => side <= 1e-12)))
        found.push(cell);
    }
    return found;
  }

  test.each([
    ["triangles", icosphere(3)],
    ["pentagons and hexagons", dualMesh(icosphere(3))],
  ])("of %s find the polygon around a point", async (_, mesh) => {
    const count = mesh.nodes.length / mesh.corners;
    const grid = (await meshGrid({ ...mesh, count }))!;
    for (const [lon, lat] of somePoints(600)) expect(search(mesh, lon, lat)).toContain(grid.cellAt(lon, lat));
    for (let cell = 0; cell < count; cell++) expect(grid.cellAt(...grid.centre(cell))).toBe(cell);
  });

  test("of a region have no cell outside", async () => {
    const whole = icosphere(3);
    const kept = [...whole.nodes.keys()].filter((i) => i % 3 === 0 && whole.latitudes[whole.nodes[i]!]! > 70);
    const nodes = kept.flatMap((i) => whole.nodes.slice(i, i + 3));
    const mesh = { ...whole, nodes };
    const grid = (await meshGrid({ ...mesh, count: kept.length }))!;
    for (const [lon, lat] of somePoints(600)) {
      const found = search(mesh, lon, lat);
      expect(found.length > 0 ? found : [-1]).toContain(grid.cellAt(lon, lat));
    }
  });

  test("need a polygon with a place", async () => {
    expect(
      await meshGrid({ count: 1, corners: 3, longitudes: [1, NaN, 2], latitudes: [1, 2, NaN] }),
    ).toBeUndefined();
    expect(
      await meshGrid({
        count: 2,
        corners: 3,
        longitudes: [1, 2],
        latitudes: [1, 2],
        nodes: [0, 1, 9, -1, -1, 1],
      }),
    ).toBeUndefined();
  });
});

describe("arrays of cells", () => {
  type Values = ArrayLike<number>;
  /** Writes arrays of float64, or of int32 if `dtype` names it. */
  async function groupOf(
    arrays: Record<
      string,
      { dims: string[]; shape: number[]; values: Values; attributes?: object; dtype?: string }
    >,
    attributes: object = {},
  ) {
    const store = new MapStore();
    await createGroup(store, { attributes: attributes as never });
    for (const [path, { dims, shape, values, attributes = {}, dtype = "float64" }] of Object.entries(
      arrays,
    )) {
      const chunkShape = shape.map((length) => Math.min(length, 100));
      const array = await create(store, {
        ...{ path, shape, dimensionNames: dims, chunkShape },
        dtype: dtype as "float64",
        attributes: attributes as never,
      });
      const typed = dtype === "int32" ? Int32Array.from(values) : Float64Array.from(values);
      await set(array, null, typed as Float64Array<ArrayBuffer>);
    }
    return open(store, { kind: "group" });
  }

  const count = 12 * 16 ** 2;
  const numbers = Float64Array.from({ length: 2 * count }, (_, i) => i);
  const data = {
    dims: ["time", "cell"],
    shape: [2, count],
    values: numbers,
    attributes: { grid_mapping: "crs" },
  };
  const scalar = (attributes: object) => ({ dims: [], shape: [], values: [0], attributes });

  test.each([
    ["healpix_nside", { healpix_nside: 16, healpix_order: "nest" }, "nested"],
    ["CF", { refinement_level: 4, indexing_scheme: "ring" }, "ring"],
  ] as const)("have a grid mapping with %s", async (_, facts, scheme) => {
    const group = await groupOf({ t: data, crs: scalar({ grid_mapping_name: "healpix", ...facts }) });
    const cells = (await cellsOf(group, await group.open("t", { kind: "array" })))!;
    expect(cells).toMatchObject({ dimension: "cell", axis: 1, grid: { kind: "healpix", count } });
    expect(cells.grid.cellAt(12, 34)).toBe(new Healpix(16, scheme).at(12, 34));
  });

  test("have the attribute dggs, with identifiers of a part", async () => {
    const ids = [5, 6, 900, 901];
    const group = await groupOf(
      {
        t: { dims: ["zones"], shape: [4], values: [1, 2, 3, 4] },
        zone: { dims: ["zones"], shape: [4], values: ids, dtype: "int32" },
      },
      {
        dggs: {
          ...{ name: "healpix", refinement_level: 4, indexing_scheme: "nested" },
          ...{ spatial_dimension: "zones", coordinate: "zone" },
        },
      },
    );
    const cells = (await cellsOf(group, await group.open("t", { kind: "array" })))!;
    expect(cells.dimension).toBe("zones");
    expect(cells.grid.cellAt(...new Healpix(16, "nested").pointIn(900, 0.5, 0.5))).toBe(2);
    expect(cells.grid.id!(2)).toBe(900);
  });

  const mesh = icosphere(2);
  const faces = mesh.nodes.length / 3;
  const radian = (values: Values) => Array.from(values, (value) => (value * Math.PI) / 180);

  test("have a UGRID topology, with nodes from 1 and fill values", async () => {
    const dual = dualMesh(mesh);
    const polygons = dual.nodes.length / 6;
    const group = await groupOf({
      h: {
        dims: ["face"],
        shape: [polygons],
        values: numbers.subarray(0, polygons),
        attributes: { mesh: "mesh" },
      },
      mesh: scalar({ cf_role: "mesh_topology", node_coordinates: "x y", face_node_connectivity: "faces" }),
      x: { dims: ["node"], shape: [faces], values: dual.longitudes, attributes: { units: "degrees_east" } },
      y: { dims: ["node"], shape: [faces], values: dual.latitudes, attributes: { units: "degrees_north" } },
      faces: {
        ...{ dims: ["face", "corner"], shape: [polygons, 6], dtype: "int32" },
        values: dual.nodes.map((node) => (node < 0 ? -99 : node + 1)),
        attributes: { start_index: 1, _FillValue: -99 },
      },
    });
    const cells = (await cellsOf(group, await group.open("h", { kind: "array" })))!;
    expect(cells).toMatchObject({ dimension: "face", axis: 0, grid: { kind: "mesh", count: polygons } });
    // Polygons lie around the nodes of the triangles.
    for (const [node, longitude] of mesh.longitudes.entries())
      expect(cells.grid.cellAt(longitude, mesh.latitudes[node]!)).toBe(node);
  });

  const grids = {
    icon: {
      t: { ...data, dims: ["cell"], shape: [faces], attributes: { coordinates: "clat clon" } },
      clon: {
        ...{ dims: ["cell"], shape: [faces], values: new Float64Array(faces) },
        attributes: { standard_name: "longitude", units: "radian", bounds: "clon_bnds" },
      },
      clat: {
        ...{ dims: ["cell"], shape: [faces], values: new Float64Array(faces) },
        attributes: { standard_name: "latitude", units: "radian", bounds: "clat_bnds" },
      },
      clon_bnds: {
        dims: ["cell", "v"],
        shape: [faces, 3],
        values: radian(mesh.nodes.map((i) => mesh.longitudes[i]!)),
      },
      clat_bnds: {
        dims: ["cell", "v"],
        shape: [faces, 3],
        values: radian(mesh.nodes.map((i) => mesh.latitudes[i]!)),
      },
    },
    rows: {
      t: { ...data, dims: ["values"], shape: [octahedral(16).latitudes.length], attributes: {} },
      latitude: {
        dims: ["values"],
        shape: [octahedral(16).latitudes.length],
        values: octahedral(16).latitudes,
      },
      longitude: {
        dims: ["values"],
        shape: [octahedral(16).latitudes.length],
        values: octahedral(16).longitudes,
      },
    },
    healpix: {
      t: data,
      crs: scalar({ grid_mapping_name: "healpix", healpix_nside: 16, healpix_order: "ring" }),
    },
  };

  test.each(Object.entries(grids))("of %s give tiles with the cells around the pixels", async (_, arrays) => {
    for (const one of Object.values(arrays))
      if ("t" in arrays && one === arrays.t)
        one.values = numbers.subarray(
          0,
          one.shape.reduce((a, b) => a * b),
        );
    const group = await groupOf(arrays);
    const reference = await georeference(group, { variable: "t" });
    const { grid } = reference.cells!;
    for (const tile of [
      [0, 0, 0],
      [2, 3, 1],
      [3, 0, 7],
    ] as const)
      for (const tileSize of [16, 64]) {
        const { data: pixels, bounds } = (await readTile(reference, tile, {
          tileSize,
          grid: "WorldCRS84Quad",
        }))!;
        for (let at = 0; at < pixels.length; at++) {
          const [x, y] = [at % tileSize, Math.floor(at / tileSize)];
          const longitude = bounds[0] + ((x + 0.5) * (bounds[2] - bounds[0])) / tileSize;
          const latitude = bounds[3] - ((y + 0.5) * (bounds[3] - bounds[1])) / tileSize;
          expect(pixels[at]).toBe(grid.cellAt(longitude, latitude));
        }
      }
    await expect(tileAt(reference, [0, 0, 0])).rejects.toMatchObject({ _tag: "Unsupported" });
  });

  test("have coordinates that equal the fill value of Zarr v2", async () => {
    const { longitudes, latitudes } = octahedral(16);
    const store = new MapStore();
    await createGroup(store, { zarrFormat: 2 });
    for (const [path, values] of Object.entries({
      t: latitudes,
      latitude: latitudes,
      longitude: longitudes,
    })) {
      const own = {
        zarrFormat: 2,
        path,
        shape: [values.length],
        dimensionNames: ["values"],
        fillValue: 0,
      } as const;
      await set(await create(store, { ...own, dtype: "float64" }), null, Float64Array.from(values));
    }
    const cells = await cellsOf(
      await open(store, { kind: "group" }),
      await open(store, { path: "t", kind: "array" }),
    );
    expect(cells).toMatchObject({ dimension: "values", grid: { kind: "reduced-gaussian" } });
  });

  test("of a group are looked for with one request for each name", async () => {
    const requests: string[] = [];
    class Counted extends MapStore {
      override get(...given: Parameters<MapStore["get"]>) {
        requests.push(given[0]);
        return super.get(...given);
      }
    }
    const store = new Counted();
    await createGroup(store);
    for (const path of ["a", "b", "c"])
      await create(store, { path, shape: [48], dtype: "float32", dimensionNames: ["x"] });
    const group = await open(store, { kind: "group" });
    requests.length = 0;
    await expect(georeference(group)).rejects.toMatchObject({ _tag: "NotFound" });
    for (const name of ["healpix", "cell_ids", "clon"])
      expect(requests.filter((key) => key === `/${name}/zarr.json`)).toHaveLength(1);
  });

  test("of another variable open it once for all tiles", async () => {
    const healpix = { grid_mapping_name: "healpix", healpix_nside: 16, healpix_order: "ring" };
    const { store } = await groupOf({ t: data, u: data, crs: scalar(healpix) });
    const requests: string[] = [];
    const counted = {
      get: async (key: string) => {
        requests.push(key);
        return (store as unknown as MapStore).get(key as never);
      },
    };
    const reference = await georeference(await open(counted, { path: "t", kind: "array" }));
    for (const x of [0, 1]) await readTile(reference, [1, x, 0], { variable: "u" });
    expect(requests.filter((key) => key === "/u/zarr.json")).toHaveLength(1);
  });

  test("are not found in other arrays", async () => {
    const group = await groupOf({
      track: {
        dims: ["values"],
        shape: [20],
        values: numbers.subarray(0, 20),
        attributes: { coordinates: "lat lon" },
      },
      lat: { dims: ["values"], shape: [20], values: numbers.subarray(0, 20) },
      lon: { dims: ["values"], shape: [20], values: numbers.subarray(0, 20) },
      bad: { ...data, attributes: { grid_mapping: "odd" } },
      odd: scalar({ grid_mapping_name: "healpix", healpix_nside: 17, healpix_order: "nest" }),
      many: { ...data, attributes: { grid_mapping: "huge" } },
      huge: scalar({ grid_mapping_name: "healpix", refinement_level: 400 }),
    });
    for (const name of ["track", "bad", "many", "lat"])
      expect(await cellsOf(group, await group.open(name, { kind: "array" })), name).toBeUndefined();
  });
});
