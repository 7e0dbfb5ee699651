/** What differs between runtimes; `#platform` in package.json picks the file. */
import type { Store } from "../store/store.js";

/** Reads the bytes behind a URL of a packaged .wasm file. */
export declare function loadWasm(url: URL): Promise<Uint8Array<ArrayBuffer> | Response>;

/** A store for a URL that is neither http nor https, or undefined where there is none. */
export declare function openUrl(url: URL): Store | undefined;
