/** Amount of work of tests: samples in `npm test`, everything in `npm test -- whole`. Both cover every kind of case. */
export const isWhole = process.env["ZARR_WASM_WHOLE"] === "1";

/** Number of repetitions. @param name of the environment variable that overrides it for one test. */
export function amount(sample: number, whole: number, name?: string): number {
  const own = name && process.env[name];
  return own ? Number(own) : isWhole ? whole : sample;
}
