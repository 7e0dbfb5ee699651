/** Adds label images to the list in their group `labels`, by which readers find them. */

import { changeAttributes } from "../../../edit/update-node.js";
import type { ZarrGroup } from "../../../hierarchy/group.js";
import { open } from "../../../hierarchy/open.js";
import { isRecord, ownProperty } from "../../../util/arguments.js";
import { isZarrError } from "../../../util/errors.js";
import type { OmeVersion } from "./options.js";

/**
 * Registers an image that lies in a group named `labels`. Other metadata of that group stays.
 * @throws errors of the store.
 */
export async function registerLabel(
  { store, path, zarrFormat }: Pick<ZarrGroup, "store" | "path" | "zarrFormat">,
  version: OmeVersion,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [, parent, name] = /^((?:.*\/)?labels)\/([^/]+)$/.exec(path) ?? [];
  if (name === undefined) return;
  const labels = await open(store, { path: parent, kind: "group", signal }).catch((error) => {
    if (!isZarrError(error, "NotFound")) throw error;
    return undefined;
  });
  if (labels?.zarrFormat !== zarrFormat) return;
  const add = (attributes: unknown) => {
    const ome = zarrFormat === 2 ? attributes : ownProperty(attributes, "ome");
    const listed = ownProperty(ome, "labels");
    const list = Array.isArray(listed) ? listed : [];
    if (list.includes(name)) return undefined;
    const added = { ...(isRecord(ome) ? ome : {}), labels: [...list, name] };
    return zarrFormat === 2 ? added : { ome: { version, ...added } };
  };
  await changeAttributes(labels, add, { signal });
}
