/** State that range reads of one client share, and the interface of its fallbacks. */

import type { Watch } from "../../util/idle-timeout.js";
import type { Answer } from "../transport.js";
import type { Servers } from "./capabilities.js";
import type { Requests } from "./requests.js";
import type { Versions } from "./versions.js";
import type { WholeObjects } from "./whole-objects.js";

type Bytes = Uint8Array | undefined;

export interface OffsetRange {
  readonly offset: number;
  readonly length: number;
}

/** Reads the bytes at an offset, of an object of a size, where that has been told. */
export type ReadAt = (url: URL, range: OffsetRange, signal: AbortSignal, size?: number) => Promise<Bytes>;

export interface Shared {
  readonly requests: Requests;
  readonly servers: Servers;
  readonly versions: Versions;
  readonly wholes: WholeObjects;
  /** Most bytes of one answer. */
  readonly maxBytes: number;
  /** Parts of which the server says that they are of a web page, and that do not show it. */
  readonly doubtful: WeakSet<Uint8Array>;
  /** Fallbacks for servers that do not serve ranges as asked. */
  readonly fallback: () => Fallback;
}

export interface Fallback {
  /** An object that is kept or, of a server that is known not to serve parts, read once for all who want parts of it. */
  findWhole(url: URL, signal: AbortSignal): Promise<Bytes>;
  /** Says that an object has been written: what is kept of it counts no more. */
  forget(url: URL): void;
  /** A range out of an answer with the whole object, read no further than to its end. */
  fromWhole(url: URL, answer: Answer, watch: Watch, range: OffsetRange): Promise<Uint8Array>;
  /**
   * A part that is shorter than was asked for, if the object has the size that it must have for that. Where nobody tells
   * its size, the part out of the whole object.
   * @throws Network ("bad-range").
   */
  proven(url: URL, range: OffsetRange, bytes: Uint8Array, size: number, signal: AbortSignal): Promise<Bytes>;
  /** The last bytes, by the size of the object; undefined where that is to be found out. */
  lastBytes(url: URL, length: number, size: number | undefined, signal: AbortSignal): Promise<Bytes>;
  /**
   * Looks at the start of an object of which the server says that it is a web page.
   * @throws Network ("html-page").
   */
  refusePage(url: URL, signal: AbortSignal): Promise<void>;
  /** @throws Network ("html-page") for an object that starts like a web page. */
  refusePageStart(url: URL, status: number, start: Uint8Array): void;
}
