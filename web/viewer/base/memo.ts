/** Returns a function that calls `make` once for each object and caches the results as long as the objects live. */
export function keptFor<K extends object, T>(make: (object: K) => T): (object: K) => T {
  const results = new WeakMap<K, { readonly value: T }>();
  return (object) => {
    let result = results.get(object);
    if (!result) {
      result = { value: make(object) };
      results.set(object, result);
    }
    return result.value;
  };
}
