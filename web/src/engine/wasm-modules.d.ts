/** Type of the .wasm imports in edge-modules.ts. */
declare module "*.wasm" {
  const module: unknown;
  export default module;
}
