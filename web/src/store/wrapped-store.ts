/** Stores that stand in front of another one, under the same keys: to change what is read, or to add to it. */
import type { Store } from "./store.js";

const behind = new WeakMap<Store, Store>();

/** Says that what is written to a store goes to another one: writers through either then wait for each other. */
export function putInFront<S extends Store>(front: S, store: Store): S {
  behind.set(front, store);
  return front;
}

/** The store at the end of the row: the one that holds the objects. */
export function storeBehind(store: Store): Store {
  let last = store;
  for (let next = behind.get(last); next; next = behind.get(last)) last = next;
  return last;
}

type Writing = Omit<Store, "get" | "getRange" | "locate" | "listChildren">;

/** The methods of a store besides reading, for one in front of it that leaves them as they are. */
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
