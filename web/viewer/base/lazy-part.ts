/** Parts of the viewer whose code is loaded on first use. */
import { signal } from "@preact/signals-core";

export class LazyPart<T> {
  readonly #value = signal<T | undefined>(undefined);
  #loading: Promise<T> | undefined;
  #hasFailed = false;

  /** @param make imports the code and creates the part */
  constructor(private readonly make: () => Promise<T>) {}

  /** Undefined until it has been loaded. Effects that read it run again then. */
  get value(): T | undefined {
    return this.#value.value;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined && this.#value.peek() === undefined;
  }

  /** Whether the last attempt failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Loads the part, once. A failed load is tried again at the next call. */
  load(): Promise<T> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<T> {
    try {
      this.#value.value = await this.make();
      this.#hasFailed = false;
      return this.#value.value;
    } catch (error) {
      this.#hasFailed = true;
      this.#loading = undefined;
      throw error;
    }
  }

  /**
   * Loads a part that the view can do without, unless it is loading already. The next call tries again after a failure.
   * @param onLoaded called after it has been loaded
   * @param onFailed called after a failure; must not call this method
   */
  want(onLoaded: () => void = () => {}, onFailed: (error: unknown) => void = () => {}): void {
    if (!this.#loading) this.load().then(onLoaded, onFailed);
  }
}
