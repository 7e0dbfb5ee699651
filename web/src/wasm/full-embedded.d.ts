/** full.wasm as a string: LZMA in base64. */
export declare const compressed: string;
/** Its size. */
export declare const bytes: number;
