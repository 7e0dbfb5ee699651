/** WebAssembly files are modules in a Worker. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
