interface Running {
  readonly url: string;
  readonly pid: number;
  close(): Promise<unknown>;
}

interface Bucket {
  put(key: string, bytes: Uint8Array): Promise<unknown>;
}

export declare const home: string;
export declare function sharp(image: Uint8Array): {
  metadata(): Promise<{ format: string; width: number; height: number }>;
  ensureAlpha(): { raw(): { toBuffer(): Promise<Buffer> } };
};
export declare function startMiniflare(
  bindings: Record<string, string | number>,
  options?: Record<string, unknown>,
): Promise<Running & { readonly server: { getR2Bucket(name: string): Promise<Bucket> } }>;
export declare function startWorkerd(bindings: Record<string, string | number>): Promise<Running>;
export declare function cpuOf(pid: number): number;
export declare function memoryOf(pid: number): number;
