/** Codecs that are known and not supported, with the reason; by their names in all Zarr versions. */
const pickle = "a pickle can run any code when it is read, and is refused for safety";
const gdeflate = "GDeflate needs a library that is not built in";
const experiment = "it is an experiment of zarrs, without a specification";
const proposal = "its proposal to zarr-extensions is not settled";

export const unsupportedCodecs: Readonly<Record<string, string>> = {
  pickle,
  "numcodecs.pickle": pickle,
  gdeflate,
  "zarrs.gdeflate": gdeflate,
  "numcodecs.gdeflate": gdeflate,
  "zarrs.optional": experiment,
  "zarrs.squeeze": experiment,
  "zarrs.vlen": experiment,
  "zarrs.vlen_v2": experiment,
  "arrow-ipc": proposal,
  label_multiset: proposal,
  n5_label_multiset: proposal,
  n5_varlen: proposal,
  optional: proposal,
  pad: proposal,
  singleton_dim: proposal,
};
