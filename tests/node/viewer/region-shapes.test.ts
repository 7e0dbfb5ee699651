// Regions of the viewer: strings, elements inside, areas, GeoJSON; charts and CSV of series.
import { describe, expect, it } from "vitest";
import {
  regionArea,
  regionCells,
  regionsFromGeoJson,
  regionsGeoJson,
} from "#src/viewer/model/region-shapes.js";
import { type RegionState, regionStates, regionsEntry } from "#src/viewer/model/regions.js";
import { seriesChart, seriesCsv, stepAt, stepPosition } from "#src/viewer/model/series-chart.js";

const region = (kind: RegionState["kind"], ...points: [number, number][]): RegionState => ({
  name: "R",
  kind,
  axes: [0, 1],
  points,
});

/** The elements inside, "row,column", one by one. */
function listed(one: RegionState, rows = 40, columns = 50): string[] {
  const { top, left, columns: width, inside } = regionCells(one, rows, columns);
  return [...inside].flatMap((is, i) => (is ? [`${top + Math.floor(i / width)},${left + (i % width)}`] : []));
}

/** All elements whose centres pass a test. */
const centres = (test: (y: number, x: number) => boolean, rows = 40, columns = 50): string[] =>
  Array.from({ length: rows * columns }, (_, i) => [Math.floor(i / columns), i % columns] as const)
    .filter(([row, column]) => test(row + 0.5, column + 0.5))
    .map(([row, column]) => `${row},${column}`);

/** Even-odd rule by a ray to the right. */
function isInside(ring: readonly (readonly [number, number])[], y: number, x: number): boolean {
  let is = false;
  ring.forEach(([ay, ax], i) => {
    const [by, bx] = ring[(i + 1) % ring.length]!;
    if (ay > y !== by > y && x < ax + ((y - ay) * (bx - ax)) / (by - ay)) is = !is;
  });
  return is;
}

describe("elements inside", () => {
  it("a rectangle contains the elements with their centres inside, in any order of corners", () => {
    const expected = centres((y, x) => y > 2.4 && y < 9.6 && x > 3.2 && x < 20.7);
    expect(listed(region("rectangle", [2.4, 20.7], [9.6, 3.2]))).toEqual(expected);
  });

  it("an ellipse is exact", () => {
    const expected = centres((y, x) => ((y - 15.2) / 9.7) ** 2 + ((x - 20.1) / 14.3) ** 2 < 1);
    expect(listed(region("ellipse", [5.5, 5.8], [24.9, 34.4]))).toEqual(expected);
  });

  it("random polygons equal the test of every centre", () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    for (let i = 0; i < 50; i++) {
      const ring = Array.from({ length: 3 + (i % 9) }, (): [number, number] => [
        random() * 60 - 10,
        random() * 70 - 10,
      ]);
      expect(listed(region("polygon", ...ring))).toEqual(centres((y, x) => isInside(ring, y, x)));
    }
  });

  it("points and lines contain the elements that they touch, inside the array", () => {
    expect(listed(region("point", [3.7, 4.2]))).toEqual(["3,4"]);
    expect(listed(region("line", [0.5, 0.5], [3.5, 6.5]))).toHaveLength(7);
    expect(listed(region("point", [-3, 4]))).toEqual([]);
    expect(listed(region("rectangle", [100, 100], [120, 120]))).toEqual([]);
  });

  it("bounds of too many elements are refused", () => {
    const cells = (one: RegionState) => () => regionCells(one, 1e5, 1e5);
    expect(cells(region("rectangle", [0, 0], [1e5, 1e5]))).toThrow(RangeError);
    for (const end of [1e8, 1e12, 1e300])
      expect(cells(region("line", [0, 0], [end, 3]))).toThrow("The line has more than");
  });

  it("lines may have any number of elements below the limit", () => {
    const long = region("line", [0.5, 10.5], [0.5, 299_999.5]);
    const { left, columns, inside } = regionCells(long, 1, 250_000);
    expect([left, columns, inside.every((is) => is === 1)]).toEqual([10, 249_990, true]);
  });
});

const degrees = (
  name: string,
  role: "latitude" | "longitude",
  length: number,
  first: number,
  scale: number,
) => ({
  name,
  role,
  length,
  unit: "degrees",
  scale,
  translation: first,
});
const globe = [
  degrees("lat", "latitude", 180, 89.5, -1),
  degrees("lon", "longitude", 360, -179.5, 1),
] as const;

describe("areas", () => {
  const area = (one: RegionState, [down, across]: Parameters<typeof regionArea>[1]) =>
    regionArea(regionCells(one, down.length, across.length), [down, across]);

  it("of degrees are those on the sphere", () => {
    const all = area(region("rectangle", [0, 0], [180, 360]), [...globe]);
    expect(all!.amount).toBeCloseTo(4 * Math.PI * 6371.0088 ** 2, -1);
    expect(all!.unit).toBe("km");
    const north = area(region("rectangle", [0, 0], [60, 90]), [...globe]);
    expect(north!.amount).toBeCloseTo((Math.PI / 2) * 6371.0088 ** 2 * (1 - 0.5), -1);
  });

  it("of lengths have their unit; axes without a common unit have none", () => {
    const axis = { name: "y", length: 40, unit: "micrometer", scale: 0.5 };
    expect(area(region("rectangle", [0, 0], [4, 6]), [axis, axis])).toEqual({
      amount: 6,
      unit: "micrometer",
    });
    expect(area(region("rectangle", [0, 0], [4, 6]), [axis, { ...axis, unit: "second" }])).toBeUndefined();
  });
});

describe("texts", () => {
  const all = [
    { ...region("polygon", [1, 2], [3.25, 4], [5, 6]), name: "a;b=c %" },
    region("point", [1.5, 2.5]),
  ];

  it("the string of an address keeps regions", () => {
    const text = regionsEntry.write({ regions: all });
    expect(regionStates((regionsEntry.read(text) as { regions: unknown }).regions)).toEqual(all);
  });

  it("invalid regions are ignored", () => {
    for (const text of [
      "",
      "x",
      "a=circle@0,1:1,2",
      "a=point@0:1,2",
      "a=line@0,1:1,2",
      "a=point@0,1:1,x",
      "%=;",
    ])
      expect(regionStates((regionsEntry.read(text) as { regions: unknown }).regions)).toEqual([]);
  });

  it("GeoJSON has longitudes and latitudes, and returns the same regions", () => {
    const drawn = [
      region("rectangle", [10, 20], [30, 40]),
      region("line", [1, 2], [3, 4]),
      region("point", [5, 6]),
    ];
    const made = regionsGeoJson(drawn, globe) as { features: { geometry: { coordinates: unknown } }[] };
    expect(made.features[2]!.geometry.coordinates).toEqual([-174, 85]);
    expect(regionsFromGeoJson(JSON.stringify(made), [0, 1], globe)).toEqual({
      regions: drawn,
      leftOut: 0,
      hadHoles: false,
    });
    expect(() => regionsFromGeoJson("{", [0, 1], globe)).toThrow(SyntaxError);
  });

  it("features of GeoJSON without a place are ignored", () => {
    const polygon = { type: "Polygon", coordinates: [] };
    const empty = [null, { geometry: null }, { geometry: polygon }];
    const ellipse = { properties: { kind: "ellipse" }, geometry: polygon };
    const point = { geometry: { type: "Point", coordinates: [-174, 85] } };
    const text = JSON.stringify({ features: [...empty, ellipse, point] });
    expect(regionsFromGeoJson(text, [0, 1], globe)).toMatchObject({
      regions: [{ kind: "point", points: [[5, 6]] }],
      leftOut: 4,
    });
  });

  it("hostile GeoJSON yields no regions, and no other errors", () => {
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    const geometries = [
      "null",
      "3",
      '{"type":"Point"}',
      '{"type":"Point","coordinates":["1",2]}',
      '{"type":"Point","coordinates":[1e999,2]}',
      '{"type":"Polygon","coordinates":[[[0,0],[1,1],null,[0,0]]]}',
      `{"type":"MultiPolygon","coordinates":${deep}}`,
      '{"type":"LineString","coordinates":[[0,0],[1,1],[2,2]]}',
      '{"type":"__proto__","coordinates":{"length":4}}',
      '{"type":"GeometryCollection","geometries":[]}',
    ];
    for (const geometry of geometries) {
      const found = regionsFromGeoJson(`{"features":[{"geometry":${geometry}}]}`, [0, 1], globe);
      expect(found.regions, geometry).toEqual([]);
      expect(found.leftOut, geometry).toBeGreaterThan(0);
    }
    for (const text of ["null", "[]", "1", '"a"', '{"features":{}}', "[null]"])
      expect(regionsFromGeoJson(text, [0, 1], globe).regions, text).toEqual([]);
    const ring = [
      [0, 0],
      [4, 0],
      [4, 4],
      [0, 0],
    ];
    const holed = { type: "Polygon", coordinates: [ring, ring] };
    expect(regionsFromGeoJson(JSON.stringify(holed), [0, 1], globe)).toMatchObject({
      regions: [{ kind: "polygon", name: "Region 1" }],
      hadHoles: true,
    });
    const many = Array(100).fill({ geometry: { type: "Point", coordinates: [0, 0] } });
    const { regions, leftOut } = regionsFromGeoJson(JSON.stringify({ features: many }), [0, 1], globe);
    expect([regions.length, leftOut]).toEqual([64, 36]);
  });

  it("labels are kept by links and by GeoJSON", () => {
    const labels = { image: "nuc/lei;=", ids: [3, 70_000] };
    const one = { name: "a/b=c;", kind: "labels", axes: [0, 1], points: [], labels } as const;
    const text = regionsEntry.write({ regions: [one] } as never);
    expect(regionStates((regionsEntry.read(text) as { regions: unknown }).regions)).toEqual([one]);
    const json = JSON.stringify(regionsGeoJson([one], globe));
    expect(regionsFromGeoJson(json, [0, 1], globe).regions).toEqual([one]);
    for (const bad of [
      undefined,
      { image: "a" },
      { image: "a", ids: [] },
      { image: 3, ids: [1] },
      { image: "a", ids: [0.5] },
    ])
      expect(regionStates([{ ...one, labels: bad }])).toEqual([]);
    expect(regionStates((regionsEntry.read("R=labels@0,1:a/x") as { regions: unknown }).regions)).toEqual([]);
  });
});

describe("charts", () => {
  const frame = { left: 10, right: 110, top: 0, bottom: 50 };
  const series = { mean: [1, 2, Number.NaN, 4], min: [0, 1, Number.NaN, 3], max: [2, 3, Number.NaN, 5] };

  it("missing values are gaps, and the bands determine the range", () => {
    const { low, high, lines } = seriesChart([series], frame);
    expect([low, high]).toEqual([0, 5]);
    expect(lines[0]!.line).toBe("M22.5 40L47.5 30M97.5 10h0");
  });

  it("positions and steps are inverse", () => {
    for (let step = 0; step < 7; step++) expect(stepAt(frame, stepPosition(frame, step, 7), 7)).toBe(step);
    expect([stepAt(frame, -99, 7), stepAt(frame, 999, 7)]).toEqual([0, 6]);
  });

  it("CSV has a row for each step", () => {
    const text = seriesCsv("time", ["a", "b", "c", "d"], [{ ...series, name: 'x, "y"', color: "" }]);
    const lines = text.split("\r\n");
    expect(lines[0]).toBe('time,"x, ""y"" mean","x, ""y"" min","x, ""y"" max"');
    expect(lines[3]).toBe("c,,,");
    expect(lines).toHaveLength(6);
  });
});
