/** Type of the .wasm imports in packaged-edge.ts. */
declare module "*.wasm" {
  const module: unknown;
  export default module;
}
