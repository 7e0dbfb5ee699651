/** The arrays of a group: what to offer where the address of one was expected. */
import { isMultiscales, multiscales, type OpenedNode, open, type Source, type ZarrGroup } from "zarr-wasm";

/** An array in a group, with what helps to choose it. */
export interface MemberArray {
  readonly path: string;
  readonly text: string;
}

/** Most arrays that are listed. */
const most = 50;

/** The arrays below a group, in order; those found before anything that cannot be read or listed. */
export async function arraysOf(
  source: Source,
  path: string | undefined,
  signal: AbortSignal,
): Promise<MemberArray[]> {
  const arrays: MemberArray[] = [];
  try {
    const group = await open(source, { path, signal, kind: "group" });
    for await (const node of nodesOf(group, signal)) {
      if (node.kind === "array") arrays.push({ path: node.path, text: textOf(node) });
      if (arrays.length >= most) break;
    }
  } catch {
    signal.throwIfAborted(); // whatever else went wrong: what was found can be opened
  }
  return arrays;
}

/** The nodes below a group; of an image without a list, its levels, which the attributes name. */
async function* nodesOf(group: ZarrGroup, signal: AbortSignal): AsyncGenerator<OpenedNode> {
  if (group.isConsolidated || !isMultiscales(group)) return yield* group.walk({ signal });
  for (const { levels } of multiscales(group)) for (const level of levels) yield level.open();
}

function textOf({ path, shape, dtype, dimensionNames }: Extract<OpenedNode, { kind: "array" }>): string {
  const lengths = shape.map((length, axis) => {
    const name = dimensionNames?.[axis];
    return name ? `${name} ${length}` : String(length);
  });
  return `${path}: ${lengths.join(" × ") || "one value"}, ${dtype}`;
}
