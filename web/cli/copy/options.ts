/** Options of `copy`, parsed. */

import type { CopyOptions } from "zarr-wasm/transfer";
import type { Values } from "../options.js";
import { UsageError } from "../usage-error.js";
import { integer, lengthsOf, parseCodecs, parseFill, parseSelection, partOf, shardsOf } from "../values.js";

const defaultMemory = 128;
const minMemory = 8;
/** Seconds. */
const defaultWait = 30;

/** Threads are for the caller, who destroys the pool. */
type ReadOptions = CopyOptions & { readonly threads: number | undefined };

/** @throws UsageError. */
export function readOptions(values: Values): ReadOptions {
  const { format, part, overwrite = false, resume = false, verify = false, bucket, temp } = values;
  if (format !== undefined && !/^[123]$/.test(format)) throw new UsageError("--format must be 1, 2 or 3");
  if (overwrite && resume) throw new UsageError("--overwrite and --resume exclude one another");
  if (overwrite && part !== undefined)
    throw new UsageError(
      "--overwrite with --part would delete what other parts write: use --metadata-only before",
    );
  const metadataOnly = values["metadata-only"] ?? false;
  if (metadataOnly && part !== undefined)
    throw new UsageError("--metadata-only makes the nodes for all parts: leave --part out");
  return {
    select: values.select === undefined ? undefined : parseSelection(values.select),
    format: format === undefined ? undefined : (Number(format) as 1 | 2 | 3),
    chunks: lengthsOf(values.chunks, "--chunks"),
    shards: shardsOf(values.shards),
    codecs: values.codecs === undefined ? undefined : parseCodecs(values.codecs),
    fill: values.fill === undefined ? undefined : parseFill(values.fill),
    ...{ overwrite, resume, metadataOnly, verify, bucket, temp },
    part: partOf(part),
    memory: integer(values.memory, "--memory", minMemory, defaultMemory) * 2 ** 20,
    threads: values.threads === undefined ? undefined : integer(values.threads, "--threads", 1, 1),
    wait: integer(values.wait, "--wait", 0, defaultWait) * 1000,
  };
}
