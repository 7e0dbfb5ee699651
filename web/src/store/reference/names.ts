/** What is known of references by their names. */

/** Whether a folder is named as those of references in Parquet files are. */
export const isFolderName = (path: string): boolean => /\.parq(?:uet)?\/?$/i.test(path);
