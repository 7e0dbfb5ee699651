/** Two-dimensional coordinates: longitudes and latitudes of a curvilinear grid. Spec: CF 1.11, section 5.2. */
import { get, type ZarrArray } from "zarr-wasm";
import { decodeCF, dimensionsOf } from "zarr-wasm/conventions";
import { Once } from "../base/memo.js";
import { axisRole } from "./coordinates.js";
import type { DatasetAxis, GridPositions, PointConverter } from "./dataset.js";

/** Largest grid in elements: its positions take 100 bytes each. */
const maxElements = 2 ** 22;

/** @param arrays two-dimensional coordinates */
export function gridPositions(
  arrays: readonly ZarrArray[],
  axes: readonly DatasetAxis[],
): GridPositions | undefined {
  const find = (role: "longitude" | "latitude") =>
    arrays.find((array) => axisRole(array.path.split("/").at(-1), array) === role);
  const [longitude, latitude] = [find("longitude"), find("latitude")];
  if (!longitude || !latitude) return undefined;
  const names = dimensionsOf(longitude) ?? [];
  const own = names.map((name) => axes.findIndex((axis) => axis.name === name));
  const isFitting = own.length === 2 && own.every((axis, i) => axes[axis]?.length === longitude.shape[i]);
  const isSame = dimensionsOf(latitude)?.join() === names.join();
  const isSmall = isSmallGrid(longitude.shape);
  if (!isFitting || !isSame || !isSmall || own[0] === own[1]) return undefined;
  return positionsOf([own[0]!, own[1]!], async () => {
    const [longitudes, latitudes] = await Promise.all([degrees(longitude), degrees(latitude)]);
    return { longitudes, latitudes };
  });
}

const isSmallGrid = ([rows, columns]: readonly number[]): boolean => rows! * columns! <= maxElements;

function positionsOf(
  axes: GridPositions["axes"],
  make: () => Promise<NonNullable<GridPositions["known"]>>,
): GridPositions {
  const positions = new Once(make);
  return {
    axes,
    get known() {
      return positions.value;
    },
    read: async () => void (await positions.load()),
  };
}

/** Rows and columns to coordinates. */
export interface Affine {
  readonly x: readonly [edge: number, step: number];
  readonly y: readonly [edge: number, step: number];
  /** Change of x per row, and of y per column. */
  readonly shear: readonly [x: number, y: number];
  readonly isRotated: boolean;
}

/** The positions of a grid that is rotated or sheared in its reference system; undefined without one. */
export function affinePositions(
  { x: [x0, dx], y: [y0, dy], shear: [rx, ry] }: Affine,
  axes: readonly DatasetAxis[],
  converter: Once<PointConverter> | undefined,
): GridPositions | undefined {
  const find = (...roles: readonly DatasetAxis["role"][]) =>
    axes.findIndex(({ role, coordinates }) => roles.includes(role) && !coordinates);
  const own = [find("y", "latitude"), find("x", "longitude")] as const;
  if (!converter || own[0] < 0 || own[1] < 0) return undefined;
  const [rows, columns] = own.map((axis) => axes[axis]!.length) as [number, number];
  if (!isSmallGrid([rows, columns])) return undefined;
  return positionsOf(own, async () => {
    const { inverse } = await converter.load();
    const [longitudes, latitudes] = [new Float64Array(rows * columns), new Float64Array(rows * columns)];
    for (let at = 0; at < longitudes.length; at++) {
      const [i, j] = [(at % columns) + 0.5, Math.floor(at / columns) + 0.5];
      const place = inverse(x0 + dx * i + rx * j, y0 + ry * i + dy * j);
      [longitudes[at], latitudes[at]] = place ?? [Number.NaN, Number.NaN];
    }
    return { longitudes, latitudes };
  });
}

/** Fill values, which are far outside the range of angles, become NaN. */
async function degrees(array: ZarrArray): Promise<Float64Array> {
  const { data } = decodeCF(array, await get(array, null));
  return Float64Array.from(data as ArrayLike<number>, (value) =>
    Math.abs(value) <= 720 ? value : Number.NaN,
  );
}
