/** A value that notifies its listeners of changes. */

/** Called after a change; `cause` names its origin: a control, "open", "address", the name of a link. */
export type Listener<T> = (value: T, before: T, cause: string) => void;

export class Observable<T> {
  #value: T;
  readonly #listeners = new Set<Listener<T>>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Listeners are not called if the value stays the same. */
  set(value: T, cause: string): void {
    const before = this.#value;
    if (Object.is(before, value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value, before, cause);
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
