/** Results that are made once. */

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

/** A value that is loaded on first use. Concurrent calls share one attempt; a failed one can be retried. */
export class Once<T extends object> {
  #loading: Promise<T> | undefined;

  /** @param value the value, if it is known already */
  constructor(
    private readonly make: () => Promise<T>,
    public value?: T | undefined,
  ) {}

  load(): Promise<T> {
    if (this.value) return Promise.resolve(this.value);
    this.#loading ??= this.make()
      .then((made) => {
        this.value = made;
        return made;
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }
}
