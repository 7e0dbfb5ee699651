// The project's scripts are plain JavaScript; these are the parts that the tests use.
declare module "*/scripts/lib/server.mjs" {
  export const strictPolicy: string;
  export const isolationHeaders: Record<string, string>;
  export function startServer(options: {
    mounts: Record<string, string>;
    policy?: string;
    headers?: Record<string, string>;
    route?: (
      request: import("node:http").IncomingMessage,
      response: import("node:http").ServerResponse,
      headers: Record<string, string>,
    ) => boolean;
  }): Promise<{ url: string; close(): Promise<void> }>;
}

declare module "*/scripts/lib/system.mjs" {
  export function findChromium(): string | undefined;
  export function findNginx(): string | undefined;
  export function findFirefox(): string | undefined;
  export function findWebKitDriver(): string | undefined;
  export function findMiniBrowser(): string | undefined;
}
