// @fideus-labs/fizarrita: chunks fetched here, and decoded in workers by the registry's codecs.
import { getWorker } from "@fideus-labs/fizarrita";
import { WorkerPool } from "@fideus-labs/worker-pool";
import * as zarr from "zarrita";

export async function read(url) {
  const pool = new WorkerPool(2);
  const results = [];
  try {
    for (const path of [
      "image2/1",
      "image3/1",
      "climate2/temperature",
      "climate3/temperature",
      "climate3/lat",
    ]) {
      const array = await zarr.open(new zarr.FetchStore(`${url}/${path}`), { kind: "array" });
      results.push(await getWorker(array, null, { pool }));
      const selection = array.shape.map((length, axis) =>
        axis === 0 ? 0 : zarr.slice(0, Math.min(length, 50)),
      );
      results.push(await getWorker(array, selection, { pool, useSharedArrayBuffer: true }));
    }
  } finally {
    pool.terminateWorkers();
  }
  return results;
}
