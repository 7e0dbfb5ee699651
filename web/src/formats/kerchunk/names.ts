/** What is known of references by their names. */

/** Whether a folder is named as those of references in Parquet files are. */
export const isFolderName = (path: string): boolean => /\.parq(?:uet)?\/?$/i.test(path);

/** Whether a path names such a folder, by its name or by the document in it. */
export const namesFolder = (path: string): boolean => isFolderName(path) || /(?:^|\/)\.zmetadata$/.test(path);
