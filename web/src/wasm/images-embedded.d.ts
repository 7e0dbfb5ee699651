/** images.wasm as a string in base64: the rest of the LZMA stream that starts with full.wasm. */
export declare const compressed: string;
/** Its size. */
export declare const bytes: number;
