/** The file's address: what bundlers make of the import that copy files. */
declare const url: string;
export default url;
