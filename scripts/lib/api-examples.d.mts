/** The examples of the API reference. */
export function apiExamples(): {
  /** As imported: "zarr-wasm/codecs". */
  entry: string;
  name: string;
  line: number;
  /** Whether it needs a page. */
  isBrowser: boolean;
  code: string;
}[];
