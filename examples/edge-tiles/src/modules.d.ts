/** In a Worker, WebAssembly files are imported as modules. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
