/** Files that lie beside the code, and bundlers that move the code without them. */

/**
 * The URL of a file of the package, from a file one folder below its root, in a form that bundlers do not follow: they
 * would have an asset of the page in its place, or any of several files.
 * @param path relative to that root
 * @param here `import.meta.url` of the other file
 */
export function packageFile(path: string, here: string): URL {
  const url = new URL(here);
  url.pathname = url.pathname.replace(/[^/]*\/[^/]*$/, path);
  return url;
}

/** Folders of the package from which relative addresses of its files are right. */
const ownFolders = /\/(?:engine|workers|bundle|edge|viewer)\/[^/]*$/;

/**
 * True where a bundler has moved the code, but left an address as it is written here: the file is not there then, and
 * asking for it would only be an error in the console.
 * @param url what `new URL(written, import.meta.url)` is after the bundler
 * @param here `import.meta.url` in the same file
 */
export function isLeftBehind(url: URL, written: string, here: string): boolean {
  return isMoved(here) && url.href === new URL(written, here).href;
}

/** True for code that is not where the package has it. webpack and Parcel tell where it was before they moved it. */
export function isMoved(here: string): boolean {
  return !ownFolders.test(new URL(here).pathname);
}
