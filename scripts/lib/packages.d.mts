export const packages: Readonly<Record<"zarr-wasm" | "zarr-wasm-viewer", string>>;
export interface Packed {
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}
export declare function packedFiles(folder: string): Packed;
export declare function packPackages(to: string, names?: readonly string[]): Record<string, string>;
export declare function installArchives(modules: string, archives: Record<string, string>): void;
