/**
 * What the command line needs of the library beside what the package exports: `#internal` of package.json. For nobody
 * else; bundled with the other entries, so that classes and the core are the same ones.
 */

export { type ResolvedChain, resolveChain } from "./chain/chain.js";
export { type ChunkCodec, withSession } from "./chain/chunk-codec.js";
export type { CoreChunkCodec } from "./chain/core-chunk.js";
export type { Leaf, ShardLevel } from "./chain/layout.js";
export { entryOf, parseEntries, shorterThanIndex } from "./chain/shard-index.js";
export type { ZarrVersion } from "./codecs/definition.js";
export { printCodecs } from "./codecs/print.js";
export { decodeBase64, encodeBase64 } from "./dtypes/base64.js";
export { printFill } from "./dtypes/fill-print.js";
export type { FillValue } from "./dtypes/fill-value.js";
export { parseScalar } from "./dtypes/parse-scalar.js";
export { readScalar } from "./dtypes/scalar.js";
export { arrayLike, leafCodecs } from "./edit/array-options.js";
export { recordName } from "./edit/belongings.js";
export { writeConsolidated } from "./edit/consolidate.js";
export { writeNode } from "./edit/create.js";
export { requireEncodable } from "./edit/encodable.js";
export { decoded, type NodePlace, overlappingPlace, placeNames, placesRead } from "./edit/overlap.js";
export { requireZarr } from "./edit/remove-node.js";
export { storedObjects } from "./edit/stored-objects.js";
export { checkSeen, metadataAt } from "./edit/target.js";
export { largerModule } from "./engine/compile.js";
export { sessionOf } from "./engine/engine.js";
export type { CodecSession } from "./engine/session.js";
export { convertMetadata } from "./metadata/convert.js";
export { v2ArrayKey, v2ConsolidatedKey, v2GroupKey, v3Key } from "./metadata/keys.js";
export {
  type ArrayMetadata,
  attributesIn,
  attributesKey,
  type GroupMetadata,
  mainOf,
  type NodeMetadata,
  printMetadata,
  readMetadata,
} from "./metadata/model.js";
export type { Documents } from "./metadata/new-array.js";
export { jsonEntries, jsonOf, withEntries } from "./metadata/print.js";
export type { ArraySpec } from "./metadata/spec.js";
export { Jobs } from "./plan/jobs.js";
export { type AxisRange, resolveSelection } from "./plan/selection.js";
export { readBytesInto } from "./read/read-region.js";
export { type ArrayReader, defaultCoalescing } from "./read/reader.js";
export { resolveWanted } from "./read/resolve-region.js";
export { releaseBytes } from "./store/buffer-lease.js";
export { answerOf } from "./store/read.js";
export { joinKey } from "./store/store.js";
export {
  hiddenName,
  isDeletedFolder,
  isHidden,
  isScratchName,
  isWriterLockName,
  scratchName,
  writerLockName,
} from "./store/temp-names.js";
export { writeObject } from "./store/write.js";
export { type Box, positionsIn } from "./util/box.js";
export { corruptChunk, networkError, withDetails } from "./util/errors.js";
export { isJsonObject, type Json, showJson } from "./util/json.js";
export { Limiter } from "./util/limiter.js";
export { resolveLimits } from "./util/limits.js";
export { isRecord, own, textOf } from "./util/own-property.js";
export { stridesOf } from "./util/strides.js";
export { UnchangedTimer } from "./util/unchanged-timer.js";
export { encodersOf } from "./workers/encode-work.js";
export { ChunkEncoder } from "./write/encoder.js";
export { resolveRegion } from "./write/region-parts.js";
export { changeShard, storedParts } from "./write/shard.js";
export { valuesOf } from "./write/values.js";
export { type WriteRegionOptions, writeRegion } from "./write/write-region.js";
