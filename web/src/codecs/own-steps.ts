/** Codecs that chains of Zarr v1 and v2 have here in place of "dtype" and "order": arrays of these versions do not name them. */
export const ownSteps: readonly string[] = ["bytes", "transpose"];
