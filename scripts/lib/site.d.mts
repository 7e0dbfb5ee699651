/** The index for language models: the pages of docs/README.md. */
export function llmsIndex(base?: string): string;

/** Whether a file of the checkout becomes a page with its text. */
export function isShown(file: string): boolean;
