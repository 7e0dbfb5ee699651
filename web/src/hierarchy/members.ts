/** Finds the members of groups without consolidated metadata: lists the store and reads the documents of each entry. */

import { listChildren } from "../store/listing.js";
import type { Store } from "../store/store.js";
import { Limiter, settleAll } from "../util/async.js";
import { unsupported } from "../util/errors.js";
import { nextTask } from "../util/platform.js";
import { sliceTime } from "../util/slices.js";

/** Number of nodes that are read in parallel. */
const concurrency = 32;

/**
 * Returns the kinds of the nodes directly below a path, by name.
 * @param kindOf returns the kind of the node with a name; undefined if it is not a node.
 * @throws Unsupported ("no-listing") if the store cannot list; the errors of `listChildren`.
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
      "this store does not support listing and the group has no consolidated metadata; open nodes by path",
      { code: "no-listing" },
    );
  }
  const limiter = new Limiter(concurrency);
  const members = new Map<string, Kind>();
  let end = performance.now() + sliceTime;
  const look = async (name: string) => {
    // In-memory stores resolve in microtasks, which would block the event loop.
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
