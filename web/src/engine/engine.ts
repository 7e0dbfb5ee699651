/** The engine: one session per module and thread, made when first needed, replaced when broken or outgrown. */
import { HeapDemand } from "./heap-demand.js";
import { instantiate, type ModuleName } from "./module.js";
import type { Plan } from "./plan.js";
import { CodecSession, NeedsFullModule } from "./session.js";

/** What one WebAssembly memory can serve; the caller's own limits are checked before plans are made. */
const maxChunkBytes = 2 ** 31 - 1;

const sessions: Partial<Record<ModuleName, Promise<CodecSession>>> = {};

/** Those that have come to be, the last of each module. */
const loaded: Partial<Record<ModuleName, CodecSession>> = {};
/** What instances hand on to their successors. */
const demands: Readonly<Record<ModuleName, HeapDemand>> = {
  decode: new HeapDemand(),
  full: new HeapDemand(),
};

/** The session of a module; a new one after a failure, and when the old one's memory is far larger than needed. */
export async function sessionOf(name: ModuleName): Promise<CodecSession> {
  for (;;) {
    sessions[name] ??= startSession(name);
    const session = await sessions[name];
    if (!session.isSpent) return session;
  }
}

/**
 * The session of a module for which `sessionOf` has waited, for those who cannot wait now. One that is spent is lent
 * until the next is there.
 */
export function loadedSession(name: ModuleName): CodecSession {
  const session = loaded[name]!;
  if (session.isSpent) sessionOf(name).catch(() => {}); // it may not have come to be at the first try
  return session;
}

function startSession(name: ModuleName): Promise<CodecSession> {
  const fresh = instantiate(name).then((core) => {
    const session = new CodecSession(core, name, maxChunkBytes, demands[name], () => replace(name, fresh));
    loaded[name] = session;
    return session;
  });
  fresh.catch(() => {
    if (sessions[name] === fresh) delete sessions[name]; // a later call may be luckier
  });
  return fresh;
}

/** Whoever is at work with the old session finishes with it. Nothing here holds it then, so that its memory goes. */
function replace(name: ModuleName, old: Promise<CodecSession>): void {
  if (sessions[name] === old) sessions[name] = startSession(name);
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
