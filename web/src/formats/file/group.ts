/** Groups of nodes that exist already. */

import type { JsonObject } from "../../util/json.js";
import type { FileGroup, FileNode } from "./model.js";

export const groupOf = (attributes: JsonObject, nodes: ReadonlyMap<string, FileNode>): FileGroup => ({
  kind: "group",
  attributes: () => attributes,
  members: () => [...nodes.keys()],
  member: (name) => nodes.get(name),
});
