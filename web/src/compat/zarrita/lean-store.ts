/** Opening a node with no more requests than zarrita makes for it. */
import { locateKey } from "../../store/read.js";
import type { GetOptions, MaybePromise, Store } from "../../store/store.js";

type Bytes = Uint8Array | undefined;

interface Wanted {
  readonly kind: "array" | "group" | undefined;
  /** Whether attributes of v2 are read. */
  readonly attrs: boolean;
  /** Attributes of v2 are asked for together with what tells the node. */
  readonly isLikelyV2: boolean;
}

/**
 * A store to open one node from, which passes on what zarrita would ask for: no consolidated metadata, of v2's two
 * documents that of the kind that is wanted, that of a group only where there is no array.
 */
export class LeanStore implements Store {
  #array: MaybePromise<Bytes> | undefined;
  #attributes: Promise<Bytes> | undefined;

  constructor(
    private readonly inner: Store,
    private readonly wanted: Wanted,
  ) {}

  async get(key: string, options?: GetOptions): Promise<Bytes> {
    const { kind, attrs, isLikelyV2 } = this.wanted;
    const ask = () => this.inner.get(key, options);
    switch (key.slice(key.lastIndexOf("/") + 1)) {
      case ".zmetadata":
        return undefined;
      case ".zattrs":
        return attrs ? (this.#attributes ?? ask()) : undefined;
      case ".zarray":
        if (kind === "group") return undefined;
        if (isLikelyV2) this.#askAttributes(key, options);
        this.#array = ask();
        return this.#array;
      case ".zgroup":
        if (kind === "array" || (await this.#array)) return undefined;
        if (isLikelyV2 && kind === "group") this.#askAttributes(key, options);
        return ask();
      default:
        return ask();
    }
  }

  locate(key: string): string {
    return locateKey(this.inner, key);
  }

  /** Trouble with them is for who reads them. */
  #askAttributes(key: string, options?: GetOptions): void {
    if (!this.wanted.attrs) return;
    const read = async () => this.inner.get(`${key.slice(0, key.lastIndexOf("/") + 1)}.zattrs`, options);
    this.#attributes = read();
    this.#attributes.catch(() => {});
  }
}
