/** full.wasm as a string: raw DEFLATE in base64. */
export declare const deflated: string;
/** Its size. */
export declare const bytes: number;
