/** Whether chunks of two arrays are encoded alike, so that they need not be decoded to be copied. */
import {
  type ArraySpec,
  leafCodecs,
  type ResolvedChain,
  resolveChain,
  resolveLimits,
  type ShardLevel,
} from "#internal";

/** Whether a chunk of the one, as it is stored, is a chunk of the other, with the same elements. */
export function isSameEncoding(a: ArraySpec, b: ArraySpec): boolean {
  const isSameShape = a.chunkShape.join() === b.chunkShape.join() && a.isRegular === b.isRegular;
  if (!isSameShape || JSON.stringify(a.dtype) !== JSON.stringify(b.dtype)) return false;
  if (!a.isRegular && !isSameGrid(a, b)) return false;
  return chainOutline(a) === chainOutline(b);
}

/** Whether stored objects, be they chunks or shards, are the same in both. */
export function isSameObject(a: ArraySpec, b: ArraySpec): boolean {
  if (!isSameEncoding(a, b) || a.isSharded !== b.isSharded) return false;
  if (!a.isSharded) return true;
  return levelsOutline(a) === levelsOutline(b);
}

/** Whether both have the same chunks of different lengths. */
function isSameGrid(a: ArraySpec, b: ArraySpec): boolean {
  return a.axes.every((axis, i) => {
    const other = b.axes[i]!;
    if (axis.count !== other.count || axis.count > maxCompared) return false;
    for (let chunk = 0; chunk < axis.count; chunk++) if (axis.size(chunk) !== other.size(chunk)) return false;
    return true;
  });
}

/** Most chunks along an axis whose lengths are compared. */
const maxCompared = 2 ** 20;

/** What decides how elements become bytes, whatever a version of Zarr calls it. */
function chainOutline(spec: ArraySpec): string {
  const { chunkShape: shape, dtype, zarrFormat: version } = spec;
  const codecs = leafCodecs(spec.codecs);
  const chain = resolveChain(codecs, { dtype, shape }, { limits: resolveLimits(undefined), version });
  const own = codecs.find(
    ({ name }) => "name" in chain.toBytes && name === chain.toBytes.name,
  )?.configuration;
  const after = chain.after.map(({ core, params }) => [
    core,
    core === "blosc" ? bloscOutline(params) : params,
  ]);
  return JSON.stringify([beforeOutline(chain), toBytesOutline(chain, own), after]);
}

/** Transposes in a row are one, and none where they leave all axes in place. */
function beforeOutline({ before }: ResolvedChain): unknown[] {
  const outline: [string, readonly number[]][] = [];
  for (const { core, params } of before) {
    const last = outline.at(-1);
    if (core !== "transpose" || last?.[0] !== "transpose") outline.push([core, params]);
    else last[1] = params.map((axis) => last[1][axis]!);
  }
  return outline.filter(([core, params]) => core !== "transpose" || params.some((axis, i) => axis !== i));
}

const zstdInBlosc = 5;
const legacyZstd = 1;

/**
 * Blosc's options without what a version tolerates in frames: bytes behind them, which are cut off, and zstd of before
 * its format was final (Zarr v1), of which only the frame itself could tell.
 */
function bloscOutline(params: readonly number[]): readonly number[] {
  const flags = params[0] === zstdInBlosc ? params[5]! & legacyZstd : 0;
  return [...params.slice(0, 5), flags];
}

function toBytesOutline({ toBytes, encodedArray }: ResolvedChain, configuration: unknown): unknown {
  if (toBytes.type !== "core")
    return [toBytes.type, toBytes.name.replace("numcodecs.", ""), configuration ?? {}];
  const { core, params } = toBytes.step;
  // Single bytes have no order, whatever is said of it.
  const isSingle = core === "bytes" && encodedArray.dtype.itemBytes === 1;
  return [core, isSingle ? [] : params];
}

const levelsOutline = ({ firstLayout }: ArraySpec): string =>
  JSON.stringify(firstLayout.levels.map(levelOutline));

function levelOutline({ shape, innerShape, axes, counts, index, after }: ShardLevel): unknown {
  const steps = after.map(({ core, params }) => [core, params]);
  return [shape, innerShape, axes, counts, index.location, index.bytes, [...index.plan.words], steps];
}
