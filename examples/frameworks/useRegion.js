import { useEffect, useState } from "react";
import { readRegion, waiting } from "./region.js";

/** Reads a region of an array: `{ state, progress, region, error }`. */
export function useRegion(url, selection) {
  const [result, setResult] = useState(waiting);
  const key = JSON.stringify(selection); // a new list of the same entries does not read again
  useEffect(() => readRegion(url, JSON.parse(key), setResult), [url, key]);
  return result;
}
