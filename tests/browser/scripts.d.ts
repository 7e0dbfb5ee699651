// The project's scripts are plain JavaScript; these are the parts that the tests use.
declare module "*/scripts/lib/server.mjs" {
  export const strictPolicy: string;
  export function startServer(options: {
    mounts: Record<string, string>;
    policy?: string;
    headers?: Record<string, string>;
  }): Promise<{ url: string; close(): Promise<void> }>;
}

declare module "*/scripts/lib/system.mjs" {
  export function findChromium(): string | undefined;
  export function findNginx(): string | undefined;
}
