/** What importing a module gives where packaged-edge.ts does so. */
declare module "*.wasm" {
  const module: unknown;
  export default module;
}
