// A module worker that uses the library without a bundler.
import { getBytes, open } from "/lib/index.js";

self.onmessage = async ({ data: source }) => {
  try {
    const { bytes, shape } = await getBytes(await open(source));
    self.postMessage({ bytes, shape }, [bytes.buffer]);
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
