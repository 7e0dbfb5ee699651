/**
 * The codec core alone: chains of Zarr v3 codecs on typed arrays, without a store.
 * @packageDocumentation
 */

export type { CodecMetadata } from "./chain/chain.js";
export {
  type CodecChain,
  type CodecChainDType,
  type CodecChainOptions,
  createCodecChain,
} from "./chain/codec-chain.js";
export { DType } from "./dtypes/dtype.js";
export type { ElementData, Elements, ElementsLike, ReadAs } from "./dtypes/elements.js";
export type { DTypeName, DTypeNamed, DTypeObject, DTypeString } from "./dtypes/names.js";
export { configureWasm, type WasmSource } from "./engine/engine.js";
export { isZarrError, ZarrError } from "./util/errors.js";
