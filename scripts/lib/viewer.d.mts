/** Builds dist/viewer. */
export function buildViewer(options?: { keepsOld?: boolean }): void;
/** Writes the script of the pool's workers into a folder. */
export function copyWorker(out: string): void;
