/** Writes attributes of nodes, and removes statistics before elements change. */

import { ZarrArray } from "../hierarchy/array.js";
import { type OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import { type Attributes, plainAttributes } from "../metadata/document.js";
import { attributesIn, attributesKey, withAttributes } from "../metadata/model.js";
import type { ArraySpec } from "../metadata/spec.js";
import { withoutStatistics } from "../metadata/statistics.js";
import { xarrayDimensionNames } from "../metadata/v2.js";
import { checkOptions, sharedOptions } from "../util/arguments.js";
import { invalidArgument, notFound } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { updateConsolidated } from "./consolidated-metadata.js";
import { replaceDocument } from "./documents.js";
import type { UpdateAttributesOptions } from "./options.js";
import { nodeAt } from "./target.js";

export async function updateAttributes(
  node: OpenedNode,
  attributes: unknown,
  options: UpdateAttributesOptions,
): Promise<void> {
  checkOptions(options, { ...sharedOptions, mode: true });
  const { mode = "merge" } = options;
  if (mode !== "merge" && mode !== "replace")
    throw invalidArgument(`mode must be "merge" or "replace", not "${mode}"`);
  await changeAttributes(checkNode(node), () => attributes, options);
}

/**
 * Changes attributes that depend on the stored ones.
 * @param attributesOf called with the stored attributes, again if another program has changed them since; returns
 *   undefined for no change.
 */
export async function changeAttributes(
  node: OpenedNode,
  attributesOf: (now: Attributes) => unknown,
  { mode = "merge", signal }: UpdateAttributesOptions,
): Promise<void> {
  const { store, path, zarrFormat } = node;
  const key = attributesKey[zarrFormat];
  let written: JsonObject | undefined;
  const change = async (object: JsonObject | undefined) => {
    if (zarrFormat === 3 && !object) throw gone(path);
    const attributes = attributesOf(plainAttributes(attributesIn(object, zarrFormat), "attributes"));
    written = attributes === undefined ? undefined : withAttributes(object, zarrFormat, attributes, mode);
    return written;
  };
  if (zarrFormat < 3 && !(await nodeAt(store, path, signal))) throw gone(path);
  await replaceDocument(store, path, key, change, { signal });
  if (!written) return;
  const plain = plainAttributes(attributesIn(written, zarrFormat), "attributes");
  if (node instanceof ZarrGroup) node.adopt(plain);
  else node.adopt(specWith(node, plain));
  await updateConsolidated(store, zarrFormat, [path], signal);
}

/** Removes the statistics in an array's attributes, which do not hold once its elements change. */
export async function dropStatistics(array: ZarrArray, signal: AbortSignal | undefined): Promise<void> {
  if (withoutStatistics(array.attributes))
    await changeAttributes(array, withoutStatistics, { mode: "replace", signal });
}

/** Returns an array's spec with new attributes, which in v2 also name its dimensions. */
function specWith({ spec, zarrFormat }: ZarrArray, attributes: Attributes): ArraySpec {
  if (zarrFormat !== 2) return { ...spec, attributes };
  return { ...spec, attributes, dimensionNames: xarrayDimensionNames(attributes, spec.shape.length) };
}

function checkNode<T extends OpenedNode>(node: T): T {
  if (!(node instanceof ZarrArray || node instanceof ZarrGroup))
    throw invalidArgument("expected an array or a group returned by open(), create() or createGroup()");
  return node;
}

const gone = (path: string) => notFound(`the node at "/${path}" no longer exists`);
