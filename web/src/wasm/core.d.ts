import type { WasmImports, WasmInstance, WasmModule } from "../util/platform.js";

/** The Embind surface of bindings/bindings.cpp, as the glue exposes it. */
export interface Core {
  /** The whole memory. Growing the memory detaches this view (its length becomes 0) and creates another. */
  readonly HEAPU8: Uint8Array<ArrayBuffer>;

  // Strings: addresses of zero-terminated ASCII characters.
  statusName(code: number): number;
  statusMessage(code: number): number;
  statusTag(code: number): number;
  codecName(id: number): number;
  /** 1 if the module has a codec, else 0. */
  hasCodec(id: number): number;
  dtypeName(id: number): number;
  dtypeItemBytes(id: number): number;
  dtypeComponentBytes(id: number): number;

  /** Creates the session of the instance. Call once, before the functions below (see bindings/session.hpp). */
  start(maxChunkBytes: number): void;
  reserveInput(bytes: number): number;
  reserveWords(count: number): number;
  prepare(count: number): number;
  release(plan: number): void;
  decodedBytes(plan: number): number;
  /**
   * Decodes a chunk.
   * @param bytes length of `encoded`, in bytes.
   * @returns a view of the memory, which the next call invalidates; null after a failure: see `errorCode`.
   */
  decode(plan: number, encoded: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> | null;
  placeChunks(plan: number, count: number, bytes: number): number;
  /** Encodes a chunk, as `decode` does. */
  encode(plan: number, decoded: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> | null;
  // In full.wasm and images.wasm:
  encodePlaced(plan: number): number;
  isFillPlaced(plan: number): number;
  accumulate(bytes: number): number;
  mergeState(bytes: number): number;
  histogram(bytes: number): number;
  // In full.wasm alone:
  reduce(bytes: number): number;
  startFrame(dictionaryBytes: number): number;
  feedFrame(bytes: number): number;
  readFrame(): number;
  endFrame(): number;
  outputAddress(): number;
  outputBytes(): number;
  makeSlab(bytes: number): number;
  slabAddress(slab: number): number;
  freeSlab(slab: number): void;
  errorCode(): number;
  errorStep(): number;
  errorAt(): number;
}

/** What the glue's factory takes: we instantiate, it only receives the instance. */
export interface CoreOptions {
  locateFile(file: string): string;
  instantiateWasm(imports: WasmImports, done: (instance: WasmInstance, module: WasmModule) => void): object;
}

export type CoreFactory = (options: CoreOptions) => Promise<Core>;
