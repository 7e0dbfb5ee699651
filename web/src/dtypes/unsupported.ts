/** Zarr v3 data types that are recognised but not supported, with the reason. */
const proposal = "its proposal to zarr-extensions is not settled";

export const unsupportedTypes: Readonly<Record<string, string>> = {
  float8_e4m3fn:
    "it is tensorstore's own, without a specification; the registered ones are float8_e4m3 and its kin",
  "zarrs.optional": "it is an experiment of zarrs, without a specification",
  binary_fixed_point: proposal,
  fixed_size_list: proposal,
  json: proposal,
  label_multiset: proposal,
  optional: proposal,
};
