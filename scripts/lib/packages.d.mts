export const packages: Readonly<Record<"zarr-wasm" | "zarr-wasm-viewer", string>>;
export declare function installArchives(modules: string, archives: Record<string, string>): void;
