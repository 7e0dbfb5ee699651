export function withPackedLinks(
  file: string,
  text: string,
  packed: { repository?: string | { url: string }; files: string[] },
): string;
