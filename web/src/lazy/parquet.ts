/** References in Parquet files. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { FolderReferences } from "../formats/kerchunk/folder.js";
export { documentUrl, folderOf, folderText } from "../formats/kerchunk/place.js";
