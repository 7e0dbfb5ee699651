/** Streams, arguments and environment of a running command, which tests replace to run it in their process. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Writable } from "node:stream";

export type Output = Writable & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>;

export interface Context {
  readonly args: readonly string[];
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
}

const contexts = new AsyncLocalStorage<Context>();

/** Returns the context of the running command. Default: the streams, arguments and environment of this process. */
export function context(): Context {
  const { argv, env, stderr, stdout } = process;
  return contexts.getStore() ?? { args: argv.slice(2), env, stderr, stdout };
}

/** Runs a command in another context. Node then calls hooks for every promise, which only tests need. */
export const withContext = <T>(value: Context, run: () => T): T => contexts.run(value, run);
