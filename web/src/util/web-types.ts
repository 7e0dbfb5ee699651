/**
 * Types of the web platform that TypeScript's DOM library declares and Node's types do not. They resolve to
 * the global types if those are declared, so that programs for Node compile without that library.
 */
type Globals = typeof globalThis;

/** WebAssembly.Module. */
export type WasmModule = Globals extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;

/** WebAssembly.Instance. */
export type WasmInstance = Globals extends { WebAssembly: { Instance: { prototype: infer Instance } } }
  ? Instance
  : object;

/** WebAssembly.Imports. */
export type WasmImports = Globals extends {
  WebAssembly: { Instance: new (module: never, imports?: infer Imports) => unknown };
}
  ? NonNullable<Imports>
  : object;

/** HeadersInit: the argument of `new Headers()`. */
export type HeadersSource = NonNullable<ConstructorParameters<typeof Headers>[0]>;
