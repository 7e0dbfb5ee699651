/** transpose: permutes the axes. Spec: Zarr v3 "transpose" codec; "C" and "F" are the draft's. */
import { type ConfigReader, show } from "./config.js";
import type { CodecDefinition } from "./definition.js";

function readOrder(config: ConfigReader, rank: number): number[] {
  const order = config.get("order");
  const identity = Array.from({ length: rank }, (_, axis) => axis);
  if (order === "C") return identity;
  if (order === "F") return identity.reverse();
  if (!Array.isArray(order))
    throw config.error(`"order" must be a list of axes, "C" or "F", not ${show(order)}`);
  const valid = order.every(
    (axis) => typeof axis === "number" && Number.isInteger(axis) && axis >= 0 && axis < rank,
  );
  if (order.length !== rank || !valid || new Set(order).size !== rank) {
    throw config.error(`"order" ${show(order)} is not a permutation of the ${rank} axes`, "bad-permutation");
  }
  return order as number[];
}

export const transpose: CodecDefinition = {
  core: "transpose",
  kind: "array-to-array",
  // Zarr v1 and v2 express it as "order".
  names: { 1: ["transpose"], 2: ["transpose"], 3: ["transpose"] },
  encodedBytes: (bytes) => bytes,
  parse(config, { array }) {
    config.only("order");
    const order = readOrder(config, array.shape.length);
    return { params: order, encoded: { dtype: array.dtype, shape: order.map((axis) => array.shape[axis]!) } };
  },
};
