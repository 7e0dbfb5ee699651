/** Changes the metadata of existing nodes, and deletes nodes. */

import { checkOptions } from "../hierarchy/arguments.js";
import { ZarrArray } from "../hierarchy/array.js";
import { type OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import { attributesOf } from "../metadata/document.js";
import { attributesIn, attributesKey, withAttributes } from "../metadata/model.js";
import { attributesJson } from "../metadata/print.js";
import type { ArraySpec, Attributes } from "../metadata/spec.js";
import { dimensionNamesOf } from "../metadata/v2.js";
import { inTurn } from "../store/key-lock.js";
import { invalidArgument, isZarrError, notFound } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { replaceDocument, updateConsolidated } from "./consolidated-metadata.js";
import type { Target, UpdateAttributesOptions, UpdateOptions } from "./options.js";
import { removeNode } from "./remove-node.js";
import { nodeAt, placeOf } from "./target.js";

export async function updateAttributes(
  node: OpenedNode,
  attributes: unknown,
  options: UpdateAttributesOptions,
): Promise<void> {
  checkOptions(options);
  const { mode = "merge", signal } = options;
  const { store, path, zarrFormat } = checkNode(node);
  if (mode !== "merge" && mode !== "replace")
    throw invalidArgument(`mode must be "merge" or "replace", not "${mode}"`);
  attributesJson(attributes); // rejected before anything is read
  const key = attributesKey[zarrFormat];
  let written: JsonObject = {};
  const change = async (object: JsonObject | undefined) => {
    if (zarrFormat === 3 && !object) throw gone(path);
    written = withAttributes(object, zarrFormat, attributes, mode);
    return written;
  };
  if (zarrFormat < 3 && !(await nodeAt(store, path, signal))) throw gone(path);
  await replaceDocument(store, path, key, change, { signal });
  const plain = attributesOf(attributesIn(written, zarrFormat), "attributes");
  if (node instanceof ZarrGroup) node.adopt(plain);
  else node.adopt(specWith(node, plain));
  await updateConsolidated(
    store,
    zarrFormat,
    [{ path, documents: new Map([[key, written]]), isShared: true }],
    { signal },
  );
}

/** Returns an array's spec with new attributes, which in v2 also name its dimensions. */
function specWith({ spec, zarrFormat }: ZarrArray, attributes: Attributes): ArraySpec {
  if (zarrFormat !== 2) return { ...spec, attributes };
  return { ...spec, attributes, dimensionNames: dimensionNamesOf(attributes, spec.shape.length) };
}

function checkNode<T extends OpenedNode>(node: T): T {
  if (!(node instanceof ZarrArray || node instanceof ZarrGroup))
    throw invalidArgument("a node is an array or a group that was opened or created");
  return node;
}

const gone = (path: string) => notFound(`there is no node at "/${path}" any more`);

export async function deleteNode(
  target: Target,
  given: string | undefined,
  options: UpdateOptions,
): Promise<void> {
  checkOptions(options);
  const { signal } = options;
  const { store, path } = await placeOf(target, given);
  if (path === "" && given === undefined)
    throw invalidArgument(
      'without a path this would delete all that the store holds: deleteNode(target, "/") does that',
      { code: "no-path" },
    );
  const isDeleted = await inTurn(store, path, signal, () => removeNode(store, path, { signal })).catch(
    (error: unknown) => {
      if (isZarrError(error, "NotAllowed") && error.code === "not-zarr") return false;
      throw error;
    },
  );
  if (!isDeleted) throw notFound(`there is no Zarr array or group at "/${path}" to delete`);
}
