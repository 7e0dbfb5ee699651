/** reshape: gives the same elements in C order another shape. Spec: zarr-extensions "reshape". */
import { countOf } from "../util/shapes.js";
import { type CodecDefinition, type ConfigReader, formatValue } from "./definition.js";

const isCount = (value: unknown, min: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= min;

/** Checks lists of the array's dimensions: they must ascend across all lists, so no dimension appears twice. */
function checkDimensions(config: ConfigReader, entries: readonly unknown[], rank: number): void {
  const dims = entries.filter(Array.isArray).flat() as unknown[];
  const ascends = dims.every(
    (dim, i) => isCount(dim, 0) && dim < rank && (i === 0 || dim > (dims[i - 1] as number)),
  );
  if (!ascends) {
    throw config.error(`the dimensions in "shape" ${formatValue(entries)} must ascend, and be below ${rank}`);
  }
}

/** Checks the position of a list of dimensions: the products of the lengths before and after it must match. */
function checkPlace(
  config: ConfigReader,
  entry: unknown,
  i: number,
  from: readonly number[],
  to: readonly number[],
) {
  if (!Array.isArray(entry) || entry.length === 0) return;
  const before = countOf(from.slice(0, entry[0] as number));
  const after = countOf(from.slice((entry.at(-1) as number) + 1));
  const contiguous = entry.every((dim, k) => dim === (entry[0] as number) + k);
  if (!contiguous || countOf(to.slice(0, i)) !== before || countOf(to.slice(i + 1)) !== after) {
    throw config.error(`dimensions ${formatValue(entry)} do not lie at position ${i} of "shape"`);
  }
}

function readShape(config: ConfigReader, from: readonly number[]): number[] {
  const entries = config.get("shape");
  const valid =
    Array.isArray(entries) &&
    entries.every((entry) => Array.isArray(entry) || entry === -1 || isCount(entry, 1)) &&
    entries.filter((entry) => entry === -1).length <= 1;
  if (!valid) {
    throw config.error(
      `"shape" must hold lengths, lists of dimensions and at most one -1, not ${formatValue(entries)}`,
    );
  }
  checkDimensions(config, entries, from.length);
  const known = entries.map((entry: unknown) =>
    Array.isArray(entry) ? countOf(entry.map((dim: number) => from[dim]!)) : (entry as number),
  );
  const rest = countOf(from) / countOf(known.filter((length) => length !== -1));
  const to = known.map((length) => (length === -1 ? rest : length));
  if (countOf(to) !== countOf(from) || !to.every((length) => isCount(length, 1))) {
    throw config.error(
      `"shape" ${formatValue(entries)} does not have as many elements as shape ${formatValue(from)}`,
    );
  }
  entries.forEach((entry: unknown, i) => {
    checkPlace(config, entry, i, from, to);
  });
  return to;
}

export const reshape: CodecDefinition = {
  core: "reshape",
  kind: "array-to-array",
  names: { 3: ["reshape"] },
  parse(config, { array }) {
    config.only("shape");
    const shape = readShape(config, array.shape);
    return { params: shape, encoded: { dtype: array.dtype, shape } };
  },
};
