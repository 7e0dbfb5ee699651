/** Stores that wrap another one under the same keys, to change what is read or to add to it. */
import { handleOf } from "./handle.js";
import type { Store } from "./store.js";

/** Notes that a store writes to another one, so that writers through either wait for each other. */
export function putInFront<S extends Store>(front: S, store: Store): S {
  handleOf(front).behind = store;
  return front;
}

/** Returns the innermost store: the one that holds the objects. */
export function storeBehind(store: Store): Store {
  let last = store;
  for (let next = handleOf(last).behind; next; next = handleOf(last).behind) last = next;
  return last;
}

type Writing = Omit<Store, "get" | "getRange" | "locate" | "listChildren">;

/** Returns the methods of a store except those that read, for a wrapper that leaves them unchanged. */
export function writingMethods(store: Store): Writing {
  if (store instanceof Map) return methodsOfMap(store);
  const methods = {
    ...(store.set && { set: store.set.bind(store) }),
    ...(store.delete && { delete: store.delete.bind(store) }),
    ...(store.deletePrefix && { deletePrefix: store.deletePrefix.bind(store) }),
    ...(store.list && { list: store.list.bind(store) }),
  };
  const { conditional, ambiguous } = store;
  return conditional === undefined ? methods : { ...methods, conditional, ambiguous };
}

/** A Map keeps copies, as the caller may use its buffer again. */
function methodsOfMap(map: Map<string, Uint8Array>): Writing {
  return {
    set: (key, bytes) => map.set(key, bytes.slice()),
    delete: (key) => map.delete(key),
    list: (path) => [...map.keys()].filter((key) => path === "" || key.startsWith(`/${path}/`)),
  };
}
