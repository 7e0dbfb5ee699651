/** A dataset stored at several resolutions, each a group (GeoZarr, ndpyramid) or an array. */
import type { ZarrArray, ZarrGroup } from "zarr-wasm";
import { arrayDataset, variableDataset } from "./arrays.js";
import type { Dataset, Level } from "./dataset.js";
import { nodeKind, type Variable } from "./kinds.js";
import { openedLevel } from "./multiscale.js";
import { ifReadable } from "./nodes.js";

/** One resolution. */
interface Storey {
  readonly group: ZarrGroup | undefined;
  readonly variables: readonly Variable[];
}

export interface Pyramid {
  readonly dataset: Dataset;
  /** Path of the finest level's array. */
  readonly path: string;
  /** The variables of the finest level. */
  readonly variables: readonly Variable[];
}

/** Maximum number of levels. */
const maxLevels = 32;

/**
 * The named variable, by default the main one, at all resolutions that have it; finest first, regardless of the
 * order of paths.
 * @returns undefined if there is no such variable.
 */
export async function findPyramid(
  root: ZarrGroup,
  paths: readonly string[],
  wanted: string | undefined,
  title: string,
  signal: AbortSignal | undefined,
): Promise<Pyramid | undefined> {
  const found = await Promise.all(paths.slice(0, maxLevels).map((path) => storeyAt(root, path, signal)));
  const storeys = found.filter((storey) => storey !== undefined);
  const byName = (storey: Storey, name: string) =>
    storey.variables.find((variable) => variable.name === name) ??
    (storey.group ? undefined : storey.variables[0]);
  const name = wanted ?? storeys.find(({ variables }) => variables.length > 0)?.variables[0]?.name;
  const isKnown = storeys.some(({ variables }) => variables.some((variable) => variable.name === name));
  if (name === undefined || !isKnown) return undefined;
  const floors = storeys
    .flatMap((storey) => {
      const variable = byName(storey, name);
      return variable ? [{ storey, array: variable.array }] : [];
    })
    .sort((a, b) => elementCount(b.array) - elementCount(a.array));
  const finest = floors[0];
  if (!finest) return undefined;
  const { storey, array } = finest;
  const base = storey.group
    ? await variableDataset(array, storey.group, title, signal)
    : await arrayDataset(array, title);
  const fitting = floors.filter(
    (floor) => floor.array.shape.length === array.shape.length && floor.array.dtype.name === array.dtype.name,
  );
  const levels = fitting.map((floor) => levelBelow(array, floor.array)) as [Level, ...Level[]];
  return { dataset: { ...base, levels }, path: array.path, variables: storey.variables };
}

const elementCount = ({ shape }: ZarrArray): number => shape.reduce((a, b) => a * b, 1);

function levelBelow(finest: ZarrArray, array: ZarrArray): Level {
  const factor = finest.shape.map((length, axis) => length / Math.max(1, array.shape[axis]!));
  const origin = factor.map(() => 0);
  return openedLevel(factor, origin, array, async () => array);
}

async function storeyAt(
  root: ZarrGroup,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Storey | undefined> {
  const node = await ifReadable(root.open(path, { signal }), signal);
  if (!node) return undefined;
  if (node.kind === "array") {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { group: undefined, variables: [{ name, array: node, dimensions: undefined }] };
  }
  const kind = await nodeKind(node, signal);
  if (kind.kind !== "dataset") return undefined;
  const { first, variables } = kind;
  return { group: node, variables: [first, ...variables.filter((variable) => variable !== first)] };
}
