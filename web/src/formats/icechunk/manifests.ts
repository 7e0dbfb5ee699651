/** Manifests that have been read: kept up to a number of bytes, each read once for all who ask for it. */

import { expanderWith } from "../../engine/zstd-frames.js";
import { SingleFlight } from "../../util/single-flight.js";
import { utf8 } from "./flatbuffer.js";
import type { Manifest, VirtualReference } from "./manifest.js";

/** Most bytes of a location that was compressed. */
const maxLocation = 4096;

type Expander = Awaited<ReturnType<typeof expanderWith>>;

export class Manifests {
  readonly #kept = new Map<string, Manifest>();
  #bytes = 0;
  readonly #flights = new SingleFlight<Manifest>();
  readonly #expanders = new WeakMap<Manifest, Promise<Expander>>();

  /** @param maxBytes that are kept, besides the manifest that was read last. */
  constructor(
    private readonly maxBytes: number,
    private readonly load: (id: string, signal: AbortSignal) => Promise<Manifest>,
  ) {}

  /** A manifest that is there already. */
  kept(id: string): Manifest | undefined {
    const manifest = this.#kept.get(id);
    if (!manifest) return undefined;
    this.#kept.delete(id); // to the end: used last
    this.#kept.set(id, manifest);
    return manifest;
  }

  async get(id: string, signal: AbortSignal | undefined): Promise<Manifest> {
    return this.kept(id) ?? this.#flights.run(id, signal, (joint) => this.#load(id, joint));
  }

  async #load(id: string, signal: AbortSignal): Promise<Manifest> {
    const manifest = await this.load(id, signal);
    this.#kept.set(id, manifest);
    this.#bytes += manifest.byteLength;
    for (const [old, { byteLength }] of this.#kept) {
      if (this.#bytes <= this.maxBytes || old === id) break;
      this.#kept.delete(old);
      this.#bytes -= byteLength;
    }
    return manifest;
  }

  /** The location of a reference, as text. @throws InvalidMetadata. */
  async locationOf(manifest: Manifest, { location }: VirtualReference): Promise<string> {
    if (typeof location === "string") return location;
    const { buffer } = manifest;
    let expander = this.#expanders.get(manifest);
    if (!expander) {
      const { dictionary } = manifest;
      if (!dictionary?.byteLength)
        return buffer.fail("it has compressed locations and no dictionary for them");
      expander = expanderWith(dictionary);
      this.#expanders.set(manifest, expander);
    }
    const expand = await expander;
    let text: string | undefined;
    try {
      text = utf8(expand(location.compressed, maxLocation));
    } catch (error) {
      buffer.fail(`a compressed location is damaged: ${(error as Error).message}`);
    }
    return text ?? buffer.fail("a location is not UTF-8");
  }
}
