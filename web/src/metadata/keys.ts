/** Keys of the documents of each Zarr version, relative to a node's path. */

export const v3Key = "zarr.json";

export const v2ArrayKey = ".zarray";
export const v2GroupKey = ".zgroup";
export const v2AttributesKey = ".zattrs";
export const v2ConsolidatedKey = ".zmetadata";

export const v1MetaKey = "meta";
export const v1AttrsKey = "attrs";
