/** The index for language models: the pages of docs/README.md. */
export function llmsIndex(base?: string): string;
