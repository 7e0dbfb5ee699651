/** Locates files next to the code, and detects bundlers that move the code without them. */

/**
 * Returns the URL of a file of the package, given a module one folder below its root. Written so that
 * bundlers do not recognise it: they would replace it with an asset of the page, or with any of several
 * files.
 * @param path relative to the package root
 * @param here `import.meta.url` of the calling module
 */
export function packageFile(path: string, here: string): URL {
  const url = new URL(here);
  url.pathname = url.pathname.replace(/[^/]*\/[^/]*$/, path);
  return url;
}

/** Folders of the package in which relative URLs of its files are correct. */
const ownFolders = /\/(?:engine|workers|bundle|edge|viewer)\/[^/]*$/;

/**
 * Whether a bundler has moved the code but left a URL unchanged. The file does not exist then, and a request
 * for it would only log an error in the console.
 * @param url the value of `new URL(written, import.meta.url)` after bundling
 * @param here `import.meta.url` of the same file
 */
export function isLeftBehind(url: URL, written: string, here: string): boolean {
  return isMoved(here) && url.href === new URL(written, here).href;
}

/** Whether the code has been moved out of the package. webpack and Parcel report its original location. */
export function isMoved(here: string): boolean {
  return !ownFolders.test(new URL(here).pathname);
}
