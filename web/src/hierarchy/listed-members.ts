/** The nodes of a group that no metadata names: what the store lists, looked at one by one. */

import { listChildren } from "../store/listing.js";
import type { Store } from "../store/store.js";
import { unsupported } from "../util/errors.js";
import { Limiter } from "../util/limiter.js";
import { nextTask } from "../util/platform.js";
import { settleAll } from "../util/settle-all.js";
import { sliceTime } from "../util/slices.js";

/** How many nodes are looked at a time. */
const concurrency = 32;

/**
 * Kinds of the nodes directly below a path, by name.
 * @param kindOf what kind of node a name is; undefined for what is none
 * @throws Unsupported ("no-listing") where the store cannot list; what `listChildren` throws.
 */
export async function listedMembers<Kind>(
  store: Store,
  path: string,
  kindOf: (name: string) => Promise<Kind | undefined>,
  signal: AbortSignal | undefined,
): Promise<Map<string, Kind>> {
  const names = await listChildren(store, path, signal);
  if (!names) {
    throw unsupported(
      "this store cannot list what it holds, and the group has no consolidated metadata: open nodes by their path",
      { code: "no-listing" },
    );
  }
  const limiter = new Limiter(concurrency);
  const members = new Map<string, Kind>();
  let end = performance.now() + sliceTime;
  const look = async (name: string) => {
    // In-memory stores answer in microtasks, which never let the event loop turn.
    if (performance.now() > end) {
      await nextTask();
      end = performance.now() + sliceTime;
    }
    const kind = await kindOf(name);
    if (kind !== undefined) members.set(name, kind);
  };
  await settleAll(names.map((name) => limiter.run(() => look(name), signal)));
  return members;
}
