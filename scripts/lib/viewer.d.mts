/** Builds web/viewer/dist. */
export function buildViewer(options?: { keepsOld?: boolean }): void;
/** Writes the script of the pool's workers into a folder. */
export function copyWorker(out: string): void;
/** Removes bundled files, or moves them to another folder. */
export function moveBundled(out: string, to?: string): void;
