/** The program of a thread that copies boxes. */

import { metadataAt } from "../edit/target.js";
import { configureWasm } from "../engine/engine.js";
import { ZarrArray } from "../hierarchy/array.js";
import type { ArrayMetadata } from "../metadata/model.js";
import { blockForFiles } from "../store/file/calls.js";
import { FileSystemStore } from "../store/file/store.js";
import type { StoreSetOptions, StoreWriteOptions } from "../store/store.js";
import { engineFailed } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { nodeModule } from "../util/platform.js";
import type { Box } from "../util/shapes.js";
import { packFailure, unpackFailure } from "../workers/messages.js";
import { Callbacks, Tally, TargetStore } from "./array-copy.js";
import { BoxCopier } from "./box-copy.js";
import { View } from "./boxes.js";
import { type LockLiveness, lockAge } from "./heartbeat.js";
import { documentsText } from "./nodes.js";
import {
  type ArrayPlace,
  type BoxReport,
  type CopySetup,
  keysIn,
  type ThreadData,
  type ThreadOrder,
  type ThreadReport,
} from "./threads.js";

class CopyThread {
  readonly #arrays = new Map<number, Promise<BoxCopies>>();
  readonly #gate: Gate;

  constructor(
    data: ThreadData,
    private readonly send: (report: ThreadReport) => void,
  ) {
    this.#gate = new Gate(data, send);
  }

  async receive(order: ThreadOrder): Promise<void> {
    if ("confirmed" in order) return this.#gate.confirm(order);
    if ("setup" in order) {
      if (order.wasm && this.#arrays.size === 0) configureWasm({ full: order.wasm });
      this.#gate.liveness = order.setup.liveness;
      const opening = openCopies(order.setup, this.#gate);
      opening.catch(() => {}); // reported for each box
      this.#arrays.set(order.array, opening);
      return;
    }
    const { id, array, box, kept } = order;
    try {
      const copies = await this.#arrays.get(array)!;
      this.send({ id, ...(await copies.copy(box, kept)) });
    } catch (error) {
      this.send({ id, failure: packFailure(error) });
    }
  }
}

/** Lets writes pass only while the lock of the destination is held and the copy goes on. */
class Gate {
  /** Of the destination's lock. */
  liveness: LockLiveness | undefined;
  readonly #waiting = new Map<number, (order: { readonly failure?: unknown }) => void>();
  #next = 0;

  constructor(
    private readonly data: ThreadData,
    private readonly send: (report: ThreadReport) => void,
  ) {}

  readonly check = async (): Promise<void> => {
    const { liveness } = this;
    if (Atomics.load(this.data.control, 0) !== 0) throw engineFailed("the copy has ended");
    // Other processes cannot take the lock over before it is stale. The main thread renews it.
    if (!liveness || lockAge(liveness.report) < liveness.stale / 2) return;
    const id = this.#next++;
    const { failure } = await new Promise<{ readonly failure?: unknown }>((resolve) => {
      this.#waiting.set(id, resolve);
      this.send({ confirm: id });
    });
    if (failure) throw unpackFailure(failure as Parameters<typeof unpackFailure>[0]);
  };

  confirm(order: { readonly confirmed: number; readonly failure?: unknown }): void {
    this.#waiting.get(order.confirmed)?.(order);
    this.#waiting.delete(order.confirmed);
  }
}

/** The folder of the copy: files get their names only while the gate is open. */
class GatedFolder extends FileSystemStore {
  constructor(
    { url, options }: ArrayPlace["folder"],
    private readonly gate: Gate,
  ) {
    super(new URL(url), options);
  }

  override async set(key: string, value: Uint8Array, options: StoreSetOptions = {}): Promise<void> {
    await this.gate.check();
    await super.set(key, value, { ...options, beforeCommit: this.gate.check } as StoreSetOptions);
  }

  override async delete(key: string, options: StoreWriteOptions = {}): Promise<void> {
    await super.delete(key, { ...options, beforeCommit: this.gate.check } as StoreWriteOptions);
  }
}

async function openCopies(setup: CopySetup, gate: Gate): Promise<BoxCopies> {
  const { limits, mayHoldMore, source, target } = setup;
  const tally = new Tally(new Callbacks(undefined, []), undefined);
  const gated = new GatedFolder(target.folder, gate);
  const folder = new FileSystemStore(new URL(source.folder.url), source.folder.options);
  await blockForFiles(folder, gated);
  const store = new TargetStore(gated, tally, mayHoldMore);
  const from = await openArray(folder, source, limits);
  const to = await openArray(store, target, limits);
  return new BoxCopies(setup, View.ofRanges(from, setup.ranges), to, store, tally);
}

/** @throws EngineFailed if the array has changed: only the main thread knows the opened ones. */
async function openArray(
  store: FileSystemStore | TargetStore,
  { path, documents }: ArrayPlace,
  limits: Limits,
): Promise<ZarrArray> {
  const metadata = await metadataAt(store, path, { limits });
  if (metadata?.kind !== "array" || documentsText(metadata) !== documents)
    throw engineFailed(`the documents of "/${path}" have changed`);
  return new ZarrArray(store, path, (metadata as ArrayMetadata).spec, limits);
}

/** Copies boxes of one array. */
class BoxCopies {
  #copier: BoxCopier | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly setup: CopySetup,
    private readonly from: View,
    private readonly to: ZarrArray,
    private readonly store: TargetStore,
    private readonly tally: Tally,
  ) {}

  /** Copies one box at a time: calls of the system block this thread, and more boxes would take more memory. */
  copy(box: Box, kept: readonly string[]): Promise<Omit<BoxReport, "id">> {
    const copied = this.#last.then(() => this.#copy(box, kept));
    this.#last = copied.catch(() => {});
    return copied;
  }

  async #copy(box: Box, kept: readonly string[]): Promise<Omit<BoxReport, "id">> {
    const { store, tally, to } = this;
    for (const key of kept) store.kept.add(key);
    this.#copier ??= this.#makeCopier();
    await this.#copier.box(box);
    const { bytesRead, bytesWritten } = tally;
    tally.bytesRead = 0;
    tally.bytesWritten = 0;
    return { written: keysIn(to, box).filter((key) => store.written.delete(key)), bytesRead, bytesWritten };
  }

  #makeCopier(): BoxCopier {
    const { memory, verify } = this.setup;
    return new BoxCopier({
      ...{ from: this.from, to: this.to, memory, verify, pool: undefined, signal: undefined },
      origin: this.to.shape.map(() => 0),
      onRead: (bytes) => {
        this.tally.bytesRead += bytes;
      },
    });
  }
}

/** Copies boxes for `CopyThreads`, in the script `bundle/copy-thread.js`. */
export async function runCopyThread(): Promise<void> {
  const { parentPort, workerData } =
    await nodeModule<typeof import("node:worker_threads")>("node:worker_threads");
  const thread = new CopyThread(workerData as ThreadData, (report) => parentPort!.postMessage(report));
  parentPort!.on("message", (order: ThreadOrder) => void thread.receive(order));
}
