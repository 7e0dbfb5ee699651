/** Recognises folders of references by name. */

/** Whether a folder has a name for references in Parquet files. */
export const isFolderName = (path: string): boolean => /\.parq(?:uet)?\/?$/i.test(path);

/** Whether a path names such a folder, or the document in it. */
export const namesFolder = (path: string): boolean => isFolderName(path) || /(?:^|\/)\.zmetadata$/.test(path);
