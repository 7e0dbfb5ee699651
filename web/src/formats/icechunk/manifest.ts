/** Manifests: the locations of chunks. They are searched without being parsed. */

import { utf8Text } from "../../util/bytes.js";
import { expanderWith, type FlatBuffer, objectId } from "./format.js";

const [maxLocation, maxEtag] = [2 ** 16, 2 ** 12];
/** Maximum size of a location that was compressed, in bytes. */
const maxExpandedLocation = 4096;

/** A range of an object of the repository. */
interface NativeReference {
  readonly kind: "native";
  readonly id: string;
  readonly offset: number;
  readonly length: number;
}

/** A range of a file outside of the repository. */
export interface VirtualReference {
  readonly kind: "virtual";
  /** The URL, or its zstd frame with the manifest's dictionary. */
  readonly location: string | { readonly compressed: Uint8Array };
  readonly offset: number;
  readonly length: number;
  /** Conditions that the file must still meet. */
  readonly etag: string | undefined;
  /** Seconds since 1970. */
  readonly lastModified: number | undefined;
}

export type ChunkReference =
  | { readonly kind: "inline"; readonly bytes: Uint8Array }
  | NativeReference
  | VirtualReference;

export class Manifest {
  /** Lists of references known to be sorted, with their rank, by position. */
  readonly #checked = new Map<number, number>();
  readonly #arrays: number;
  /** Decodes compressed locations. */
  #expander: ReturnType<typeof expanderWith> | undefined;

  /** @throws InvalidMetadata. */
  constructor(
    readonly buffer: FlatBuffer,
    readonly id: string,
  ) {
    const { root } = buffer;
    const own = objectId(buffer.struct(buffer.required(root, 0, 12), 12));
    if (own !== id) buffer.fail(`it contains manifest ${own}`);
    this.#arrays = buffer.vector(buffer.required(root, 1), 4);
    this.#checkArrays();
  }

  /** Memory used, in bytes. */
  get byteLength(): number {
    return this.buffer.bytes.byteLength;
  }

  /** The dictionary of compressed locations. */
  get dictionary(): Uint8Array | undefined {
    const at = this.buffer.field(this.buffer.root, 2);
    return at === 0 ? undefined : this.buffer.bytesAt(at);
  }

  /**
   * Returns the reference of a chunk; undefined if the chunk is missing.
   * @throws InvalidMetadata if the manifest lacks the array, or is damaged.
   */
  find(node: Uint8Array, coordinates: readonly number[]): ChunkReference | undefined {
    const { buffer } = this;
    const list = this.#references(node);
    const rank = coordinates.length;
    if (this.#checked.get(list) !== rank) this.#checkOrder(list, rank);
    const found = buffer.search(list, (reference) => this.#compare(this.#index(reference), coordinates));
    return found === 0 ? undefined : this.#read(found);
  }

  /** The references of all arrays. @throws InvalidMetadata for a damaged reference. */
  *references(): Generator<ChunkReference> {
    const { buffer } = this;
    for (let i = 0; i < buffer.count(this.#arrays); i++) {
      const list = buffer.vector(buffer.required(buffer.tableIn(this.#arrays, i), 1), 4);
      for (let at = 0; at < buffer.count(list); at++) yield this.#read(buffer.tableIn(list, at));
    }
  }

  /** Position of the references of an array. */
  #references(node: Uint8Array): number {
    const { buffer } = this;
    const idOrder = (array: number) => buffer.compare(buffer.required(array, 0, 8), 8, node);
    const array = buffer.search(this.#arrays, idOrder);
    if (array === 0) buffer.fail("it lacks an array that the snapshot refers to");
    return buffer.vector(buffer.required(array, 1), 4);
  }

  #checkArrays(): void {
    const { buffer } = this;
    let before: Uint8Array | undefined;
    for (let i = 0; i < buffer.count(this.#arrays); i++) {
      const at = buffer.required(buffer.tableIn(this.#arrays, i), 0, 8);
      const id = buffer.struct(at, 8);
      if (before && buffer.compare(at, 8, before) <= 0) buffer.fail("its arrays are not sorted");
      before = id;
    }
  }

  /** Checks the order: a search in an unsorted list would miss chunks. */
  #checkOrder(list: number, rank: number): void {
    const { buffer } = this;
    let before = 0;
    for (let i = 0; i < buffer.count(list); i++) {
      const index = this.#index(buffer.tableIn(list, i));
      if (buffer.count(index) !== rank)
        buffer.fail(`a chunk has ${buffer.count(index)} coordinates, the array has ${rank} dimensions`);
      if (i > 0 && !this.#isBefore(before, index, rank)) buffer.fail("its references are not sorted");
      before = index;
    }
    this.#checked.set(list, rank);
  }

  /** Start of the coordinates of a reference. */
  #index(reference: number): number {
    return this.buffer.vector(this.buffer.required(reference, 0), 4);
  }

  #isBefore(a: number, b: number, rank: number): boolean {
    const { buffer } = this;
    for (let axis = 1; axis <= rank; axis++) {
      const [first, second] = [buffer.u32(a + 4 * axis), buffer.u32(b + 4 * axis)];
      if (first !== second) return first < second;
    }
    return false;
  }

  #compare(index: number, coordinates: readonly number[]): number {
    for (const [axis, wanted] of coordinates.entries()) {
      const order = this.buffer.u32(index + 4 + 4 * axis) - wanted;
      if (order !== 0) return order;
    }
    return 0;
  }

  #read(reference: number): ChunkReference {
    const { buffer } = this;
    const fields = { inline: 1, native: 4, location: 5, compressed: 8 } as const;
    const found = Object.values(fields).filter((id) => buffer.field(reference, id, id === 4 ? 12 : 4) !== 0);
    if (found.length !== 1) buffer.fail(`a reference must be of exactly one kind, got ${found.length}`);
    const [kind] = found as [number];
    if (kind === fields.inline)
      return { kind: "inline", bytes: buffer.bytesAt(buffer.field(reference, kind)) };
    const [offset, length] = [this.#number(reference, 2), this.#number(reference, 3)];
    if (!(length > 0 && Number.isSafeInteger(offset + length)))
      buffer.fail(`a reference has an invalid range: ${length} bytes at offset ${offset}`);
    if (kind === fields.native) {
      const id = objectId(buffer.struct(buffer.field(reference, kind, 12), 12));
      return { kind: "native", id, offset, length };
    }
    const place = buffer.field(reference, kind);
    const modified = buffer.field(reference, 7);
    const etag = buffer.field(reference, 6);
    return {
      kind: "virtual",
      location:
        kind === fields.location ? buffer.text(place, maxLocation) : { compressed: buffer.bytesAt(place) },
      offset,
      length,
      etag: etag === 0 ? undefined : buffer.text(etag, maxEtag),
      lastModified: (modified !== 0 && buffer.u32(modified)) || undefined,
    };
  }

  #number(reference: number, id: number): number {
    const at = this.buffer.field(reference, id, 8);
    return at === 0 ? 0 : this.buffer.u64(at);
  }

  /** Returns the location of a reference. @throws InvalidMetadata. */
  async resolveLocation({ location }: VirtualReference): Promise<string> {
    if (typeof location === "string") return location;
    const { buffer, dictionary } = this;
    if (!dictionary?.byteLength) return buffer.fail("it has compressed locations and no dictionary for them");
    this.#expander ??= expanderWith(dictionary);
    const expand = await this.#expander;
    let text: string | undefined;
    try {
      text = utf8Text(expand(location.compressed, maxExpandedLocation));
    } catch (error) {
      buffer.fail(`a compressed location is damaged: ${(error as Error).message}`);
    }
    return text ?? buffer.fail("a location is not UTF-8");
  }
}
