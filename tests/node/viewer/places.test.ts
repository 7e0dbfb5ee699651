// Elements at their coordinates: irregular axes, maps that wrap around, curvilinear grids.
import { expect, it } from "vitest";
import { Warping } from "#src/viewer/draw/warp.js";
import { coordinatePlaces, irregularCoordinates } from "#src/viewer/model/axis-places.js";
import { equalCells, gridProjection } from "#src/viewer/model/grid-projection.js";
import { MapPlane } from "#src/viewer/model/map-plane.js";
import { mapProjection } from "#src/viewer/model/map-projections.js";
import { Mesh, meshBounds } from "#src/viewer/model/mesh.js";
import { meshCells } from "#src/viewer/model/mesh-projection.js";
import type { DatasetAxis } from "#src/viewer/source/dataset.js";
import type { Tile } from "#src/viewer/tiles/tile.js";

const meshProjection = (...centres: Parameters<typeof meshCells>) => meshCells(...centres)?.plane;

const axisOf = (values: readonly number[], more: Partial<DatasetAxis> = {}): DatasetAxis => ({
  name: "depth",
  length: values.length,
  coordinates: { kind: "numbers", at: (index) => values[index], read: async () => {} },
  ...more,
});

const depths = [5, 15, 30, 60, 120, 250, 500, 1000];

it("finds coordinates that are not evenly spaced; others are drawn as equal cells", () => {
  expect(irregularCoordinates(axisOf(depths))).toEqual(Float64Array.from(depths));
  expect(irregularCoordinates(axisOf([0, 1, 2, 3.001]))).toBeUndefined();
  expect(irregularCoordinates(axisOf([0, 1, 1, 3]))).toBeUndefined();
  expect(irregularCoordinates(axisOf([0, 2, 1, 3]))).toBeUndefined();
  expect(irregularCoordinates(axisOf([0, Number.NaN, 4, 9]))).toBeUndefined();
  expect(irregularCoordinates(axisOf(depths, { scale: 1 }))).toBeUndefined();
});

it.each([
  ["ascending", depths],
  ["descending", depths.toReversed()],
])(
  "cells border halfway between coordinates, %s, and coordinates are linear in world units",
  (_way, values) => {
    const { axis, toWorld, toElement, smallest } = coordinatePlaces(
      axisOf(values),
      Float64Array.from(values),
    );
    expect(toWorld(0)).toBeCloseTo(0);
    expect(toWorld(values.length)).toBeCloseTo(values.length);
    for (const [i, value] of values.entries()) {
      // The drawn axis has the coordinate where the element's centre is.
      expect(axis.translation! + (toWorld(i + 0.5) - 0.5) * axis.scale!).toBeCloseTo(value);
      expect(toElement(toWorld(i + 0.3))).toBeCloseTo(i + 0.3);
      if (i === 0) continue;
      const border = axis.translation! + (toWorld(i) - 0.5) * axis.scale!;
      expect(border).toBeCloseTo((values[i - 1]! + value) / 2);
    }
    expect(smallest).toBeCloseTo(10 / Math.abs(axis.scale!));
  },
);

const lon = axisOf(
  Array.from({ length: 36 }, (_, i) => 5 + 10 * i),
  {
    name: "lon",
    role: "longitude",
    scale: 10,
    translation: 5,
  },
);
const lat = axisOf(
  Array.from({ length: 18 }, (_, i) => -85 + 10 * i),
  {
    name: "lat",
    role: "latitude",
    scale: 10,
    translation: -85,
  },
);

it("a map of all longitudes wraps around", () => {
  const map = gridProjection([lat, lon])!;
  expect(map.isPeriodic).toBe(true);
  expect(map.isIdentity).toBe(true);
  expect(map.columnOf(0)).toBe(0);
  expect(map.columnOf(-90)).toBe(27);
  expect(map.columnOf(180)).toBe(18);
  expect(map.elementAt(3.5, -0.5)).toEqual({ row: 3.5, column: 35.5 });
  expect(map.elementAt(18, 3)).toBeUndefined();
  const world = { top: 0, bottom: 18, left: 27, right: 45 };
  expect(map.partsIn(world).map(({ elements }) => [elements.left, elements.right])).toEqual([
    [27, 36],
    [0, 9],
  ]);
  const raster = map.raster(world, 18, 18);
  expect([...raster.subarray(0, 18)]).toEqual([
    27, 28, 29, 30, 31, 32, 33, 34, 35, 0, 1, 2, 3, 4, 5, 6, 7, 8,
  ]);
  expect(raster[18 * 17]).toBe(17 * 36 + 27);
  // Half the globe, or the other order of axes, has edges.
  expect(gridProjection([lat, { ...lon, length: 18 }])).toBeUndefined();
  expect(gridProjection([lon, lat])).toBeUndefined();
});

/** A grid of 1° cells, turned by an angle around a place. */
function turnedGrid(rows: number, columns: number, centre: readonly [number, number], angle: number) {
  const [longitudes, latitudes] = [new Float64Array(rows * columns), new Float64Array(rows * columns)];
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++) {
      const [x, y] = [i - (columns - 1) / 2, j - (rows - 1) / 2];
      longitudes[j * columns + i] = centre[0] + x * Math.cos(angle) - y * Math.sin(angle);
      latitudes[j * columns + i] = centre[1] + x * Math.sin(angle) + y * Math.cos(angle);
    }
  return { rows, columns, longitudes, latitudes };
}

it.each([
  ["in Europe", [10, 50], 0.5],
  ["across the antimeridian", [179, 0], -1.1],
  ["upside down", [-60, -40], 3],
] as const)("finds every element of a turned grid, %s", (_where, centre, angle) => {
  const grid = turnedGrid(12, 20, centre, angle);
  const map = meshProjection(grid)!;
  const { scale, translation } = map.axes[1]!;
  const north = map.axes[0]!;
  expect(map.isPeriodic).toBe(false);
  for (let j = 0; j < 12; j++)
    for (let i = 0; i < 20; i++) {
      const [longitude, latitude] = [grid.longitudes[j * 20 + i]!, grid.latitudes[j * 20 + i]!];
      const row = (latitude - north.translation!) / north.scale! + 0.5;
      let column = (longitude - translation!) / scale! + 0.5;
      if (column < 0) column += 360 / scale!;
      for (const [down, across] of [
        [0, 0],
        [0.45, 0],
        [0, -0.45],
      ] as const) {
        // Along the axes of the turned grid.
        const [east, up] = [
          across * Math.cos(angle) - down * Math.sin(angle),
          across * Math.sin(angle) + down * Math.cos(angle),
        ];
        expect(map.elementAt(row + up / north.scale!, column + east / scale!)).toEqual({
          row: j + 0.5,
          column: i + 0.5,
        });
      }
    }
  // The corners of the map lie outside the grid.
  expect(map.elementAt(0.1, 0.1)).toBeUndefined();
});

it("the raster of a mesh agrees with the search for single positions, magnified or not", () => {
  const map = meshProjection(turnedGrid(12, 20, [10, 50], 0.5))!;
  const world = { top: 3, left: 4, bottom: 9, right: 12 };
  const [width, height] = [160, 120];
  const cells = map.raster(world, width, height);
  for (let y = 0; y < height; y += 7)
    for (let x = 0; x < width; x += 7) {
      const at = map.elementAt(world.top + ((y + 0.5) / height) * 6, world.left + ((x + 0.5) / width) * 8);
      expect(cells[y * width + x]).toBe(at ? Math.floor(at.row) * 20 + Math.floor(at.column) : -1);
    }
  expect(new Set(cells).size).toBeGreaterThan(40);
});

it("places of positions lead back to them", () => {
  const grid = gridProjection([axisOf(depths), axisOf([0, 1, 2, 3])])!;
  for (const [row, column] of [
    [0.2, 0.5],
    [3.7, 2.25],
    [7.9, 3.9],
  ] as const) {
    const place = grid.placeOf({ row, column });
    const back = grid.elementAt(place.row, place.column)!;
    expect([back.row, back.column]).toEqual([expect.closeTo(row), expect.closeTo(column)]);
  }
  const centres = turnedGrid(12, 20, [10, 50], 0.5);
  const map = new MapPlane(mapProjection("globe", [10, 50]), meshCells(centres)!);
  for (const plane of [meshProjection(centres)!, map])
    for (const position of [
      { row: 0.5, column: 0.5 },
      { row: 7.5, column: 12.5 },
      { row: 11.5, column: 19.5 },
    ]) {
      const place = plane.placeOf(position);
      expect(plane.elementAt(place.row, place.column)).toEqual(position);
    }
});

it("parts in view hold every element of their raster", () => {
  const map = meshProjection(turnedGrid(60, 80, [10, 50], 0.5))!;
  const world = { top: 30, left: 40, bottom: 50, right: 60 };
  const { elements } = map.partsIn(world)[0]!;
  for (const cell of map.raster(world, 100, 100)) {
    if (cell < 0) continue;
    const [row, column] = [Math.floor(cell / 80), cell % 80];
    expect(row >= elements.top && row < elements.bottom).toBe(true);
    expect(column >= elements.left && column < elements.right).toBe(true);
  }
  expect(elements.bottom - elements.top).toBeLessThan(60);
});

it("a grid around the globe wraps; one without positions has no map", () => {
  const [rows, columns] = [20, 40];
  const at = (value: (row: number, column: number) => number) =>
    Float64Array.from({ length: rows * columns }, (_, i) => value(Math.floor(i / columns), i % columns));
  const grid = {
    rows,
    columns,
    longitudes: at((_, i) => ((73 + 9 * i + 180) % 360) - 180),
    latitudes: at((j) => -76 + 8 * j),
  };
  expect(meshBounds(new Mesh(grid))).toEqual({ west: -180, east: 180, south: -80, north: 80 });
  const map = meshProjection(grid)!;
  expect(map.isPeriodic).toBe(true);
  const { scale, translation } = map.axes[1]!;
  const column = (73 - translation!) / scale! + 0.5;
  const row = (-76 - map.axes[0]!.translation!) / scale! + 0.5;
  expect(map.elementAt(row, column)).toEqual({ row: 0.5, column: 0.5 });
  expect(map.elementAt(row, column + map.columns)).toEqual({ row: 0.5, column: 0.5 });
  const empty = { ...grid, longitudes: at(() => Number.NaN) };
  expect(meshProjection(empty)).toBeUndefined();
});

/** A tile of a plane of doubles. */
function tileOf(values: readonly (readonly number[])[], top: number, left: number): Tile {
  const [rows, columns] = [values.length, values[0]!.length];
  const plane = {
    values: Float64Array.from(values.flat()),
    offset: 0,
    rows,
    columns,
    rowStride: columns,
    columnStride: 1,
  };
  const world = { top, left, bottom: top + rows, right: left + columns };
  const block = { key: `${top},${left}`, region: { data: plane.values } };
  return { key: block.key, level: 0, world, plane, block, gaps: [], origin: [top, left] } as unknown as Tile;
}

const view = (rows: number, columns: number, scale: number) => ({
  camera: { row: rows / 2, column: columns / 2, scale },
  size: { width: columns * scale, height: rows * scale },
  ratio: 1,
  aspect: 1,
});

/** Values of the pixels of a plane, drawn from its tiles. */
function pixelsOf(tiles: readonly Tile[], rows: number, columns: number, scale: number, isSmooth: boolean) {
  const axes = [axisOf(new Array(rows).fill(0)), axisOf(new Array(columns).fill(0))];
  const place = new Warping(() => {}).begin(equalCells(axes), view(rows, columns, scale), { rows, columns });
  const [tile] = place(tiles, isSmooth);
  return tile!.plane.values;
}

it("damaged elements are boxes of damaged pixels", () => {
  const tile = tileOf(
    [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ],
    0,
    0,
  );
  const gaps = [
    { kind: "damaged", rows: [0, 2], columns: [1, 2] },
    { kind: "damaged", rows: [1, 2], columns: [3, 4] },
    { kind: "missing", rows: [0, 1], columns: [0, 1] },
  ] as const;
  const axes = [2, 4].map((length) => axisOf(new Array(length).fill(0)));
  const place = new Warping(() => {}).begin(equalCells(axes), view(2, 4, 8), { rows: 2, columns: 4 });
  const [made] = place([{ ...tile, gaps }], false);
  expect(made!.gaps).toEqual([
    { kind: "damaged", rows: [0, 16], columns: [8, 16] },
    { kind: "damaged", rows: [8, 16], columns: [24, 32] },
  ]);
  expect(made!.plane.values[9]).toBeNaN();
});

it("interpolation is linear between centres, also across tiles, and never mixes in missing values", () => {
  const { NaN: none } = Number;
  const whole = [
    [0, 10, 20, 30],
    [40, 50, 60, none],
  ];
  const tiles = [
    tileOf(
      whole.map((row) => row.slice(0, 2)),
      0,
      0,
    ),
    tileOf(
      whole.map((row) => row.slice(2)),
      0,
      2,
    ),
  ];
  const scale = 8;
  const [smooth, plain] = [true, false].map((isSmooth) => pixelsOf(tiles, 2, 4, scale, isSmooth));
  const at = (row: number, column: number) =>
    whole[Math.min(Math.max(row, 0), 1)]![Math.min(Math.max(column, 0), 3)]!;
  for (let y = 0; y < 2 * scale; y++)
    for (let x = 0; x < 4 * scale; x++) {
      const nearest = whole[Math.floor(y / scale)]![Math.floor(x / scale)]!;
      expect(plain![y * 4 * scale + x]).toBe(nearest);
      const [down, across] = [(y + 0.5) / scale - 0.5, (x + 0.5) / scale - 0.5];
      const [row, column] = [Math.floor(down), Math.floor(across)];
      const [v, u] = [down - row, across - column];
      const mixed =
        (1 - v) * ((1 - u) * at(row, column) + u * at(row, column + 1)) +
        v * ((1 - u) * at(row + 1, column) + u * at(row + 1, column + 1));
      const expected = Number.isNaN(mixed) ? nearest : mixed;
      if (Number.isNaN(expected)) expect(smooth![y * 4 * scale + x]).toBeNaN();
      else expect(smooth![y * 4 * scale + x]).toBeCloseTo(expected, 10);
    }
});

it("tiles that have not been read, and damaged parts, are not numbers", () => {
  const tile = tileOf([[1, 2, 3, 4]], 0, 0);
  const damaged = { ...tile, gaps: [{ kind: "damaged", rows: [0, 1], columns: [1, 2] }] } as unknown as Tile;
  expect([...pixelsOf([damaged], 1, 5, 1, false)]).toEqual([1, Number.NaN, 3, 4, Number.NaN]);
});
