// Map projections: round trips, and the cells of projected data.
import { expect, it } from "vitest";
import { equalPlaces } from "../../../web/viewer/model/axis-places.js";
import { ConvertedCells } from "../../../web/viewer/model/converted-cells.js";
import { AxisDegrees, RegularCells } from "../../../web/viewer/model/grid-cells.js";
import { MapPlane } from "../../../web/viewer/model/map-plane.js";
import { mapProjection } from "../../../web/viewer/model/map-projections.js";
import { Mesh, meshBounds } from "../../../web/viewer/model/mesh.js";
import { mapNames } from "../../../web/viewer/model/state.js";
import { converterOf } from "../../../web/viewer/source/crs.js";

const names = mapNames.filter((name) => name !== "data");

it.each(names)("%s: a place leads back to its position", (name) => {
  const map = mapProjection(name, [20.3, 30.7]); // no position exactly at an edge
  const [longitudes, latitudes] = [new Float64Array(1), new Float64Array(1)];
  let count = 0;
  for (let longitude = -175; longitude < 180; longitude += 15)
    for (let latitude = -80; latitude <= 80; latitude += 10) {
      const place = map.forward(longitude, latitude);
      if (!place) continue;
      count++;
      map.inverseRow(place[0], place[1], 0, longitudes, latitudes);
      const away = longitudes[0]! - longitude;
      expect(Math.abs(away - 360 * Math.round(away / 360))).toBeLessThan(1e-5);
      expect(latitudes[0]).toBeCloseTo(latitude, 5);
    }
  expect(count).toBeGreaterThan(100);
});

// PROJ: +R=57.29577951308232 +lon_0=20, and for the globe +lat_0=30; the place of longitude 75°.
it.each([
  ["mercator", 40, 54.99999999999998, 43.711503213210854],
  ["equal-earth", 40, 41.9977155632259, 44.382525247531134],
  ["globe", 40, 35.95349535797339, 19.307410218216038],
  ["north-pole", 40, 43.77132521085142, -30.64901187006689],
  ["plate-carree", 40, 55, 40],
  ["south-pole", -40, 43.77132521085142, 30.64901187006689],
] as const)("%s: as PROJ", (name, latitude, x, y) => {
  const place = mapProjection(name, [20, 30]).forward(75, latitude)!;
  expect(place[0]).toBeCloseTo(x, 8);
  expect(place[1]).toBeCloseTo(y, 8);
});

const axis = (translation: number, scale: number, length: number) =>
  new AxisDegrees(equalPlaces({ name: undefined, translation, scale, length }));

it.each([
  ["EPSG:32633", axis(5_900_000, -10, 10_980), axis(300_000, 10, 10_980)],
  ["EPSG:3035", axis(5_400_000, -1000, 4000), axis(2_600_000, 1000, 4000)],
  ["EPSG:3413", axis(3_500_000, -1000, 7000), axis(-3_500_000, 1000, 7000)],
] as const)("%s: interpolated cells are those of conversions, up to a part of a cell", (crs, y, x) => {
  const converter = converterOf({ "proj:code": crs });
  const cells = new ConvertedCells(y, x, false, converter);
  const { west, east, south, north } = cells.bounds;
  const map = mapProjection("equal-earth", [(west + east) / 2, (south + north) / 2]);
  const count = 400;
  const [longitudes, latitudes] = [new Float64Array(count), new Float64Array(count)];
  const found = new Int32Array(count);
  const isAround = east - west >= 360;
  const { bounds } = map;
  const [left, right] = isAround
    ? [bounds.west, bounds.east]
    : [map.forward(west, south)![0], map.forward(east, south)![0]];
  const near = 1 / 16;
  let inside = 0;
  for (let row = 0; row <= 40; row++) {
    const up = map.forward(0, south + (row / 40) * (north - south))![1];
    map.inverseRow(left, up, (right - left) / count, longitudes, latitudes);
    cells.find(longitudes, latitudes, found, 0);
    for (const [i, cell] of found.entries()) {
      const at = converter.forward(longitudes[i]!, latitudes[i]!);
      const [down, across] = at ? [y.elementAt(at[1]), x.elementAt(at[0])] : [Number.NaN, Number.NaN];
      const isIn = (by: number) =>
        down >= by && down < y.length - by && across >= by && across < x.length - by;
      if (cell < 0) {
        // Nor are positions beyond the bounds converted.
        const isOut = !(latitudes[i]! >= south && latitudes[i]! <= north) || Number.isNaN(longitudes[i]!);
        expect(isOut || !isIn(near)).toBe(true);
        continue;
      }
      inside++;
      const [foundDown, foundAcross] = [Math.floor(cell / cells.columns), cell % cells.columns];
      expect(Math.abs(down - foundDown - 0.5)).toBeLessThan(0.5 + near);
      expect(Math.abs(across - foundAcross - 0.5)).toBeLessThan(0.5 + near);
    }
  }
  expect(inside).toBeGreaterThan(1000);
});

it("longitudes that are not angles have no cells", () => {
  const [rows, columns] = [3, 4];
  const longitudes = Float64Array.from({ length: 12 }, (_, i) => (i < 4 ? 1e17 + 16 * i : 10 * (i % 4)));
  const latitudes = Float64Array.from({ length: 12 }, (_, i) => 10 * Math.floor(i / 4));
  const mesh = new Mesh({ rows, columns, longitudes, latitudes });
  const bounds = meshBounds(mesh)!;
  expect(bounds.west).toBeGreaterThan(-20);
  expect(bounds.east).toBeLessThan(50);
  const none = new Mesh({ rows, columns, longitudes: longitudes.fill(1e300), latitudes });
  expect(meshBounds(none)).toBeUndefined();
});

/** A map of cells in degrees. */
const degrees = (latitudes: AxisDegrees, longitudes: AxisDegrees, name: "mercator" | "globe") =>
  new MapPlane(mapProjection(name, [0, 0]), new RegularCells(latitudes, longitudes, false, true));

it("cells are as large as the map enlarges them", () => {
  const plane = degrees(axis(-89.95, 0.1, 1800), axis(-179.95, 0.1, 3600), "mercator");
  const sizeAt = (latitude: number) => {
    const { row, column } = plane.place(0, latitude)!;
    const world = { top: row - 50, bottom: row + 50, left: column - 50, right: column + 50 };
    const [part] = plane.partsIn(world);
    const { elements, world: size } = part!;
    return [
      (size.bottom - size.top) / (elements.bottom - elements.top),
      (size.right - size.left) / (elements.right - elements.left),
    ];
  };
  for (const latitude of [0, 45, 70, 80]) {
    const [down, across] = sizeAt(latitude) as [number, number];
    const scale = 1 / Math.cos((latitude * Math.PI) / 180);
    expect(across).toBeCloseTo(1, 1);
    expect(down / scale).toBeGreaterThan(0.8);
    expect(down / scale).toBeLessThan(1.25);
  }
});

it("maps of very close coordinates have a limited number of columns", () => {
  const plane = degrees(axis(0, 1e-15, 3), axis(-179.5, 1, 360), "globe");
  expect(plane.columns).toBeLessThanOrEqual(2 ** 30);
  expect(plane.rows).toBeGreaterThan(0);
});
