/** The engine: one session per module and thread, made when first needed, replaced when broken or outgrown. */
import { HeapDemand } from "./heap-demand.js";
import { instantiate, type ModuleName } from "./module.js";
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
  images: new HeapDemand(),
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

/** What decodes, and in which module: a plan, or the codec of a chunk. */
export interface Decoder {
  readonly decodeModule: ModuleName;
  /** Says that a chunk turned out to need the full module: from now on all are decoded there. */
  requireFullModule(): void;
}

/**
 * Does some work that decodes, and once more where a chunk turns out to need a decoder that only the full module
 * holds, and the images module (rare: frames of before zstd 1.0). Whatever decodes, comes by here.
 * @param work given the module to use; what it throws is NeedsFullModule only where nothing of it remains.
 */
export async function withFullIfNeeded<T>(
  decoder: Decoder,
  work: (module: ModuleName) => Promise<T>,
): Promise<T> {
  const module = decoder.decodeModule;
  try {
    return await work(module);
  } catch (error) {
    if (!(error instanceof NeedsFullModule) || module !== "decode") throw error;
  }
  decoder.requireFullModule();
  return work("full");
}

/** {@link withFullIfNeeded} in a session of this thread. `work` must not await. */
export function withDecoder<T>(decoder: Decoder, work: (session: CodecSession) => T): Promise<T> {
  return withFullIfNeeded(decoder, async (module) => work(await sessionOf(module)));
}
