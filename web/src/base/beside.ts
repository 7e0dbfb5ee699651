/** Files that lie beside the code, and bundlers that move the code without them. */

/** Folders of the package from which relative addresses of its files are right. */
const ownFolders = /\/(?:engine|workers|bundle|edge|viewer)\/[^/]*$/;

/**
 * True where a bundler has moved the code, but left an address as it is written here: the file is not there then, and
 * asking for it would only be an error in the console.
 * @param url what `new URL(written, import.meta.url)` is after the bundler
 * @param here `import.meta.url` in the same file
 */
export function isLeftBehind(url: URL, written: string, here: string): boolean {
  const at = new URL(here);
  return !ownFolders.test(at.pathname) && url.href === new URL(written, at).href;
}
