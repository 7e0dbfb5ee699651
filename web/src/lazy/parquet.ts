/** References in Parquet files. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { FolderReferences } from "../store/reference/folder.js";
export { documentUrl, folderOf, folderText } from "../store/reference/place.js";
