export function withPackedLinks(
  file: string,
  text: string,
  packed: { repository?: string | { url: string }; files: string[] },
): string;
export function deadLinks(file: string, text: string, files: readonly string[]): string[];
