/** English texts of the interface: a section per subject, in alphabetical order. */
export const english = {
  gallery: {
    welcome:
      "Enter the address of a Zarr array or group, or of a NetCDF, HDF5, TIFF or FITS file, or drop a folder or files here. Other servers must allow pages to read from them (CORS); files of this machine are sent nowhere.",
    publicData: "Public data",
    publicDataNote:
      "Other people’s data, by address: it may have moved, and its servers may not let this page read it.",
    fields: {
      microscopy: "Microscopy",
      "single cells": "Single cells",
      "weather and climate": "Weather and climate",
    },
    testData: "Test data",
    smallArrays: "Small arrays",
  },
  page: {
    title: "zarr-wasm viewer",
    titleOf: (name: string) => `${name} – zarr-wasm viewer`,
    notKept: (name: string) =>
      `${name} was opened from this machine, and pages may not keep such files: drop it here again, or choose it.`,
    othersDropped: (shown: string, others: readonly string[]) =>
      `Showing ${shown}. Open ${others.join(", ")} alone to see it.`,
    drop: "Drop a folder, a zip archive or a file to see it",
    folder: "Folder…",
    folderTitle: "Open a folder of this machine. Nothing is sent anywhere.",
    folderInput: "A folder of Zarr",
    file: "File…",
    fileTitle: "Open a zip archive, a TIFF, HDF5 or NetCDF file of this machine. Nothing is sent anywhere.",
    fileInput: "Files: zip archives, TIFF, HDF5, NetCDF",
    noRecent: "Sources that you open are listed here, in this browser only.",
    clearRecent: "Clear this list",
    recentPlace: { file: "Archive of this machine", directory: "Folder of this machine" },
    moved: (name: string) => `${name} was moved or deleted.`,
  },
  tabs: {
    image: "Image",
    layers: "Layers",
    axes: "Axes",
    measure: "Measure",
    share: "Share",
  },
};
