/** The engine: one session per module and thread, made when first needed, replaced when broken. */
import { instantiate, type ModuleName } from "./module.js";
import type { Plan } from "./plan.js";
import { CodecSession, NeedsFullModule } from "./session.js";

/** What one WebAssembly memory can serve; the caller's own limits are checked before plans are made. */
const maxChunkBytes = 2 ** 31 - 1;

const sessions: Partial<Record<ModuleName, Promise<CodecSession>>> = {};

/** The session of a module; a new one after a failure. */
export async function sessionOf(name: ModuleName): Promise<CodecSession> {
  for (;;) {
    sessions[name] ??= startSession(name);
    const pending = sessions[name];
    const session = await pending;
    if (session.usable) return session;
    // Broken. Whoever notices first makes room for a new one; the others find that.
    if (sessions[name] === pending) delete sessions[name];
  }
}

function startSession(name: ModuleName): Promise<CodecSession> {
  const fresh = instantiate(name).then((core) => new CodecSession(core, name, maxChunkBytes));
  fresh.catch(() => {
    if (sessions[name] === fresh) delete sessions[name]; // a later call may be luckier
  });
  return fresh;
}

/**
 * Runs a piece of decoding with the session that the plan needs, and once more with the full module
 * where a chunk turns out to need a decoder that only that one holds. `work` must not await.
 */
export async function withDecoder<T>(plan: Plan, work: (session: CodecSession) => T): Promise<T> {
  try {
    return work(await sessionOf(plan.decodeModule));
  } catch (error) {
    if (!(error instanceof NeedsFullModule)) throw error;
  }
  plan.requireFullModule();
  return work(await sessionOf("full"));
}
