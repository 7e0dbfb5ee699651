/** Stores of destinations, whose writes go through a gate. The lock of a destination is neither written nor deleted. */
import { type SetOptions, type Store, WritableHttpStore, type WritableHttpStoreOptions } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { writerLockName } from "#internal";
import { WriteGate } from "./write-gate.js";

const lockKey = `/${writerLockName()}`;

export class FolderStore extends FileSystemStore {
  readonly gate = new WriteGate();

  override set(key: string, value: Uint8Array, options?: SetOptions): Promise<void> {
    const gated = { ...options, beforeCommit: this.gate.checkLock };
    return this.gate.run(() => super.set(key, value, gated));
  }

  override copyFrom(source: FileSystemStore, from: string, key: string): Promise<boolean> {
    return this.gate.run(() => super.copyFrom(source, from, key, { beforeCommit: this.gate.checkLock }));
  }

  override async delete(...args: Parameters<FileSystemStore["delete"]>): Promise<void> {
    if (args[0] !== lockKey) await this.gate.run(() => super.delete(...args));
  }

  override deletePrefix(...args: Parameters<FileSystemStore["deletePrefix"]>): Promise<void> {
    return this.gate.run(() => super.deletePrefix(...args));
  }
}

export class ServerStore extends WritableHttpStore {
  readonly gate = new WriteGate();

  constructor(url: string, options: WritableHttpStoreOptions) {
    super(url, options);
    const { deletePrefix } = this;
    if (!deletePrefix) return;
    const gated: Store["deletePrefix"] = (...args) => this.gate.run(async () => deletePrefix(...args));
    Object.assign(this, { deletePrefix: gated });
  }

  override set(...args: Parameters<WritableHttpStore["set"]>): Promise<void> {
    return this.gate.run(() => super.set(...args));
  }

  override async delete(...args: Parameters<WritableHttpStore["delete"]>): Promise<void> {
    if (args[0] !== lockKey) await this.gate.run(() => super.delete(...args));
  }
}
