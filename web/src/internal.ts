/**
 * Exports for the command line, the viewer and their tests, in addition to the public entries: `#internal` of
 * package.json. Bundled with the other entries, so that all share their classes and the core. The viewer uses
 * those of `util/shared.ts`.
 */

export { withSession } from "./chain/chunk-codec.js";
export { loadCompute } from "./compute/load.js";
export { registerLabel } from "./conventions/ome/pyramid/nodes.js";
export { checkMultiscale } from "./conventions/ome/pyramid/write.js";
export { parseCalendarUnits } from "./conventions/xarray/cf-time.js";
export { toElements } from "./dtypes/elements.js";
export { statisticsAttribute } from "./metadata/statistics.js";
export { resolveSelection } from "./plan/selection.js";
export { refuseProtected } from "./store/file/entries.js";
export { byteReader } from "./store/source/byte-reader.js";
export { formatHint, formatOf, readableFormats } from "./store/source/file-formats.js";
export { hiddenName } from "./store/temp-names.js";
export { isArchiveName, openDestination } from "./transfer/destination.js";
export { exitHooks, transferTimes } from "./transfer/host.js";
export { checkTargets, placeBelow } from "./transfer/places.js";
export { ScratchStore } from "./transfer/scratch.js";
export { autoShards } from "./transfer/target.js";
export { closestTo } from "./util/arguments.js";
export { bucketAddress } from "./util/buckets.js";
export * from "./util/shared.js";
