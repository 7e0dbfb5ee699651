// Reads the start of a blosc chunk with the named library, and prints it: see cases/runs.mjs.
import { readers } from "./readers.mjs";
import { storeOf, v2 } from "./stores.mjs";

/** numcodecs: Blosc(5, "lz4", 1) of the int32 0, 4, 8, …, as base64. */
const frame =
  "AgEhBAAEAAAABAAAHwEAABQAAADLAAAA/7EABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8AAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+PzAAChQ7PD0+PwaAAAAHwABACwfAQEALB8CAQAsHwMBACdQAwMDAwMLAAAAHwABAOdQAAAAAAALAAAAHwABAOdQAAAAAAA=";
const count = 256;
const store = storeOf({
  ".zarray": v2({
    shape: [count],
    chunks: [count],
    dtype: "<i4",
    compressor: { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 },
  }),
  0: new Uint8Array(Buffer.from(frame, "base64")),
});
try {
  const values = await readers[process.argv[2]](store);
  console.log(JSON.stringify(values.slice(0, 4)));
} catch (error) {
  console.error(String(error.cause ?? error)); // zarrita wraps codec errors
}
