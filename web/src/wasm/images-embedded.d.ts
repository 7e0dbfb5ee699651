/** images.wasm as a text: raw DEFLATE, in base 64. */
export declare const deflated: string;
/** Its size. */
export declare const bytes: number;
