/**
 * What the command line needs of the library beside what the package exports: `#internal` of package.json. For nobody
 * else; bundled with the other entries, so that classes and the core are the same ones.
 */
export { type Box, positionsIn } from "./base/box.js";
export { corruptChunk, networkError, withDetails } from "./base/errors.js";
export { isJsonObject, type Json, showJson } from "./base/json.js";
export { Limiter } from "./base/limiter.js";
export { resolveLimits } from "./base/limits.js";
export { isRecord, own, textOf } from "./base/records.js";
export { stridesOf } from "./base/strides.js";
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
export { largerModule } from "./engine/compile.js";
export { sessionOf } from "./engine/engine.js";
export type { CodecSession } from "./engine/session.js";
export { arrayLike, leafCodecs } from "./hierarchy/writing/array-options.js";
export { recordName } from "./hierarchy/writing/belongings.js";
export { writeConsolidated } from "./hierarchy/writing/consolidate.js";
export { writeNode } from "./hierarchy/writing/create.js";
export { requireEncodable } from "./hierarchy/writing/encodable.js";
export { checkSeen, metadataAt } from "./hierarchy/writing/place.js";
export { requireZarr } from "./hierarchy/writing/remove.js";
export { storedObjects } from "./hierarchy/writing/stored-objects.js";
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
export { Jobs } from "./region/assemble/jobs.js";
export { type ArrayReader, defaultCoalescing } from "./region/fetch/reader.js";
export { readBytesInto } from "./region/read.js";
export { type AxisRange, resolveSelection } from "./region/selection/selection.js";
export { resolveWanted } from "./region/wanted.js";
export { ChunkEncoder } from "./region/write/encoder.js";
export { resolveRegion } from "./region/write/parts.js";
export { changeShard, storedParts } from "./region/write/shard.js";
export { valuesOf } from "./region/write/values.js";
export { type WriteRegionOptions, writeRegion } from "./region/write/write.js";
export { answerOf } from "./store/answers.js";
export { releaseBytes } from "./store/buffer-lease.js";
export {
  hiddenName,
  isDeletedFolder,
  isHidden,
  isScratchName,
  isWriterLockName,
  scratchName,
  writerLockName,
} from "./store/hidden.js";
export { decoded, type NodePlace, overlappingPlace, placeNames, placesRead } from "./store/overlap.js";
export { joinKey } from "./store/store.js";
export { UnchangedTimer } from "./store/unchanged.js";
export { writeObject } from "./store/write.js";
export { encodersOf } from "./workers/encode-work.js";
