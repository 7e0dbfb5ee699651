/** An opened dataset: its levels, axes and channel metadata. */
import { open, type Store, type ZarrArray } from "zarr-wasm";
import { channelAxis, type OmeChannel } from "zarr-wasm/conventions";
import { badRequest, cannotShow } from "./failures.js";
import { type Levels, levelsOf } from "./levels.js";
import type { Settings } from "./settings.js";

export interface Dataset {
  /** Unique per opening: cache keys contain it, so that a reopened dataset does not reuse old blocks. */
  readonly id: string;
  readonly title: string;
  /** Coarsest first. */
  readonly levels: readonly [ZarrArray, ...ZarrArray[]];
  readonly axes: readonly string[];
  /** Positions of the picture's axes. */
  readonly y: number;
  readonly x: number;
  readonly channels: readonly OmeChannel[];
  /** Position of the channel axis, or −1. */
  readonly channel: number;
}

/** Types with one number per element. */
const shownTypes = /^(bool|u?int\d+|b?float\d+)/;

let opened = 0;

/** @throws Refusal for data that cannot be shown; errors of `open`. */
export async function openDataset(
  store: Store,
  variable: string | undefined,
  { chunkBytes, tileChunks }: Pick<Settings, "chunkBytes" | "tileChunks">,
  signal: AbortSignal,
): Promise<Dataset> {
  const limits = {
    chunkBytes,
    encodedBytes: 2 * chunkBytes,
    metadataBytes: 4 * 2 ** 20,
    shardEntries: 2 ** 17,
    resultBytes: chunkBytes,
    readChunks: tileChunks,
  };
  const node = await open(store, { limits, signal });
  if (node.kind === "array" && variable !== undefined)
    throw badRequest("this dataset is a single array: it has no variables");
  const { arrays, image }: Levels =
    node.kind === "array" ? { arrays: [node] } : await levelsOf(node, variable, signal);
  const [finest] = [...arrays].sort((a, b) => sizeOf(b) - sizeOf(a));
  if (!finest) throw cannotShow("this dataset has no levels");
  check(finest);
  const levels = arrays.filter((array) => array.shape.length === finest.shape.length && isShown(array));
  const axes = image ? image.axes.map(({ name }) => name) : namesOf(finest);
  const [y, x] = pictureAxes(axes);
  return {
    id: String(opened++),
    title: image?.name ?? finest.path,
    levels: levels.sort((a, b) => sizeOf(a) - sizeOf(b)) as [ZarrArray, ...ZarrArray[]],
    axes,
    y,
    x,
    channels: image?.channels ?? [],
    channel: image ? channelAxis(image) : axes.indexOf("c"),
  };
}

const sizeOf = ({ shape }: ZarrArray): number => shape.reduce((a, b) => a * b, 1);
const isShown = ({ dtype }: ZarrArray): boolean => shownTypes.test(dtype.name);

function check(array: ZarrArray): void {
  if (array.shape.length < 2) throw cannotShow("this array has fewer than two dimensions");
  if (!isShown(array)) throw cannotShow(`elements of type ${array.dtype} cannot be shown as pixels`);
}

/** Unique dimension names. Unnamed dimensions are called d0, d1, …, the last two y and x. */
function namesOf({ shape, dimensionNames }: ZarrArray): string[] {
  const rank = shape.length;
  const usual = shape.map((_, axis) => (axis === rank - 2 ? "y" : axis === rank - 1 ? "x" : `d${axis}`));
  const names = usual.map((name, axis) => dimensionNames?.[axis] ?? name);
  return new Set(names).size === rank ? names : usual;
}

const rowNames = /^(y|lat|latitude|row|rows|northing)$/i;
const columnNames = /^(x|lon|long|longitude|col|column|columns|easting)$/i;

/** The axes of rows and columns: by name, otherwise the last two. */
function pictureAxes(axes: readonly string[]): [number, number] {
  const [y, x] = [rowNames, columnNames].map((names) => axes.findIndex((name) => names.test(name)));
  return y! >= 0 && x! >= 0 ? [y!, x!] : [axes.length - 2, axes.length - 1];
}

/** An index for each axis; 0 for axes that are not chosen and for the picture's axes. */
export function indicesOf(dataset: Dataset, level: ZarrArray, chosen: ReadonlyMap<string, number>): number[] {
  const { axes, y, x } = dataset;
  for (const name of chosen.keys()) {
    const axis = axes.indexOf(name);
    if (axis < 0 || axis === y || axis === x) {
      const others = axes.filter((_, at) => at !== y && at !== x);
      throw badRequest(
        `"${name}" is not a parameter; parameters are map, range, nodata, variable${others.map((other) => `, ${other}`).join("")}`,
      );
    }
  }
  const finest = dataset.levels.at(-1)!;
  return axes.map((name, axis) => {
    const index = chosen.get(name) ?? 0;
    const [length, finestLength] = [level.shape[axis]!, finest.shape[axis]!];
    if (axis !== y && axis !== x && index >= finestLength)
      throw badRequest(`${name} must be below ${finestLength}`);
    // Levels may be coarser along other axes, too.
    return Math.min(Math.floor((index * length) / Math.max(1, finestLength)), Math.max(0, length - 1));
  });
}
