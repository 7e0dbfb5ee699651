/** Options of the worker pool that all viewers of a page share. */
import type { WorkerPoolOptions } from "zarr-wasm";

let current: WorkerPoolOptions = {};

export const poolOptions = (): WorkerPoolOptions => current;

/**
 * Sets the options of the worker pool that all viewers of the page share, such as `createWorker`. Must be called
 * before the first viewer opens a source.
 */
export function configurePool(options: WorkerPoolOptions): void {
  current = options;
}
