/** The codecs for elements of variable length, by their names in Zarr v2: the one list of them. list.ts has the codecs. */
const vlenNames = ["vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2", "categorize"] as const;

export type VlenName = (typeof vlenNames)[number];

/** Whether a name, in any version of Zarr, is one of them. */
export function isVlenName(name: string): boolean {
  return vlenNames.some((known) => known === name.replace(/^numcodecs\./, ""));
}
