/** Documents of nodes, as an ordinary store would hold them. */
import { isJsonObject, type Json, type JsonObject, jsonText, parseJson } from "../../util/json.js";
import { textEncoder } from "../../util/platform.js";
import { malformed } from "./flatbuffer.js";
import type { SnapshotNode } from "./snapshot.js";

/** How chunks are named to the engine, whatever a document says: Icechunk knows them by their coordinates. */
const plainKeys: Json = { name: "default", configuration: { separator: "/" } };

/**
 * The zarr.json of a node: as it is stored, save that consolidated metadata is left out (it is of the time when somebody
 * consolidated, and the snapshot has all nodes), and that chunks have the keys of the default encoding.
 * @throws InvalidMetadata where the document is of another kind of node than the snapshot says.
 */
export function documentOf(node: SnapshotNode, path: string, maxDepth: number): Uint8Array {
  const name = `the zarr.json of "/${path}"`;
  const json = parseJson(node.document, { name, maxDepth, bareNonFinite: true });
  if (!isJsonObject(json) || json["node_type"] !== node.kind)
    throw malformed(name, `the snapshot says that it is that of an ${node.kind}`);
  const changed = node.kind === "group" ? withoutConsolidated(json) : withPlainKeys(json);
  return changed === json ? node.document : textEncoder().encode(jsonText(changed));
}

function withoutConsolidated(json: JsonObject): JsonObject {
  if (json["consolidated_metadata"] === undefined) return json;
  const { consolidated_metadata: _, ...rest } = json;
  return rest;
}

function withPlainKeys(json: JsonObject): JsonObject {
  const encoding = json["chunk_key_encoding"];
  if (!isJsonObject(encoding) || encoding["name"] === "default") {
    const configuration = isJsonObject(encoding) ? encoding["configuration"] : undefined;
    if (!isJsonObject(configuration) || (configuration["separator"] ?? "/") === "/") return json;
  }
  return { ...json, chunk_key_encoding: plainKeys };
}
