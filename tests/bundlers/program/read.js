// The test program of every bundler and runtime: reads each store in its own thread and with a pool, and encodes with
// the full module. Takes the library as an argument: programs import it as their tool requires.

/** @returns the results; `faults` is empty if there are none */
export async function readAll(
  { get, open, WorkerPool },
  { createCodecChain },
  base,
  { hasWorkers = true } = {},
) {
  const faults = [];
  const pool = new WorkerPool({ size: 2 });
  // `open` probes for version 1 last; naming the version saves requests for missing documents.
  const versions = { v1: 1, v2: 2, v3: 3, shard: 3 };
  for (const [name, version] of Object.entries(versions)) {
    const array = await open(`${base}/${name}`, { kind: "array", version });
    for (const options of [{}, { pool }]) {
      const { data } = await get(array, null, options);
      const isRight = data.length === 256 * 256 && data.every((value, i) => value === (i * 31) % 10007);
      if (!isRight) faults.push(`${name}${options.pool ? " with a pool" : ""}: wrong elements`);
    }
  }
  const { status } = pool;
  const isRight = hasWorkers ? status.state === "running" && status.workers > 0 : status.state === "failed";
  if (!isRight) faults.push(`the pool is ${JSON.stringify(status)}`);
  pool.destroy();
  const codecs = ["bytes", { name: "zstd", configuration: { level: 3, checksum: true } }];
  const chain = await createCodecChain({ dtype: "uint8", shape: [1000], codecs });
  const encoded = chain.encode(new Uint8Array(1000).fill(7));
  if (encoded.length > 100 || !chain.decode(encoded).every((value) => value === 7))
    faults.push("zstd: wrong elements");
  // Scripts contain no copy of the images: bundles without files tell how to serve it.
  const advice = "serve the package's dist/wasm/images.wasm and call configureWasm({ images: ";
  const png = createCodecChain({ dtype: "uint8", shape: [2, 2], codecs: [{ name: "imagecodecs_png" }] });
  await png.catch(({ message }) => message.includes(advice) || faults.push(`images: ${message}`));
  return { faults, status };
}
