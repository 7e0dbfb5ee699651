/** Codecs that are known and not supported, with the reason; by their names in all Zarr versions. */
const pickle = "a pickle can run any code when it is read, and is refused for safety";
const gdeflate = "GDeflate needs a library that is not built in";

export const unsupportedCodecs: Readonly<Record<string, string>> = {
  pickle,
  "numcodecs.pickle": pickle,
  gdeflate,
  "zarrs.gdeflate": gdeflate,
  "numcodecs.gdeflate": gdeflate,
};
