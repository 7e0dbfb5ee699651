/** Two-dimensional coordinates: longitudes and latitudes of a curvilinear grid. Spec: CF 1.11, section 5.2. */
import { get, type ZarrArray } from "zarr-wasm";
import { decodeCF, dimensionsOf } from "zarr-wasm/conventions";
import { Once } from "../base/memo.js";
import { axisRole } from "./coordinates.js";
import type { DatasetAxis, GridPositions } from "./dataset.js";

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
  const isSmall = longitude.shape[0]! * longitude.shape[1]! <= maxElements;
  if (!isFitting || !isSame || !isSmall || own[0] === own[1]) return undefined;
  const positions = new Once(async () => {
    const [longitudes, latitudes] = await Promise.all([degrees(longitude), degrees(latitude)]);
    return { longitudes, latitudes };
  });
  return {
    axes: [own[0]!, own[1]!],
    get known() {
      return positions.value;
    },
    read: async () => void (await positions.load()),
  };
}

/** Fill values, which are far outside the range of angles, become NaN. */
async function degrees(array: ZarrArray): Promise<Float64Array> {
  const { data } = decodeCF(array, await get(array, null));
  return Float64Array.from(data as ArrayLike<number>, (value) =>
    Math.abs(value) <= 720 ? value : Number.NaN,
  );
}
