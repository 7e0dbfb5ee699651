/** The pool that reads use where none is given. */
import type { WorkerPool } from "../../workers/pool.js";

let pool: WorkerPool | undefined;

/** Lets all reads use a pool of workers, so that code that knows of none gains them; undefined: none again. */
export function setPool(own: WorkerPool | undefined): void {
  pool = own;
}

export function currentPool(): WorkerPool | undefined {
  return pool;
}
