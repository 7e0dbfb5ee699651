/**
 * The workers' script as a module that bundlers treat as any other: a worker whose `name` is {@link name} starts by it,
 * elsewhere it only tells its address.
 */
export declare const url: string | undefined;
export declare const name: string;
export declare function startWorker(): void;
