/** The Embind surface of bindings/bindings.cpp, as the glue exposes it. */

/** One thread's session with the core; see bindings/session.hpp for every call. */
export interface CoreSession {
  reserveInput(bytes: number): number;
  reserveOutput(bytes: number): number;
  reserveWords(count: number): number;
  prepare(count: number): number;
  release(plan: number): void;
  decodedBytes(plan: number): number;
  decode(plan: number, bytes: number): number;
  decodePlaced(plan: number, bytes: number): number;
  fillPlaced(plan: number): number;
  encode(plan: number, bytes: number): number;
  outputAddress(): number;
  outputBytes(): number;
  makeSlab(bytes: number): number;
  slabAddress(slab: number): number;
  freeSlab(slab: number): void;
  errorCode(): number;
  errorStep(): number;
  errorAt(): number;
  trim(): void;
  delete(): void;
}

export interface Core {
  heap(): Uint8Array;
  statusName(code: number): string;
  statusMessage(code: number): string;
  codecName(id: number): string;
  hasCodec(id: number): boolean;
  dtypeName(id: number): string;
  dtypeItemBytes(id: number): number;
  dtypeComponentBytes(id: number): number;
  Session: new (maxChunkBytes: number) => CoreSession;
}

/** What the glue's factory takes: we instantiate, it only receives the instance. */
export interface CoreOptions {
  locateFile(file: string): string;
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}

export type CoreFactory = (options: CoreOptions) => Promise<Core>;
