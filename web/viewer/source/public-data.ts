/**
 * Well-known public data sets by address: publicly readable over HTTPS, and by pages of other servers if
 * their owners allow it. They do not belong to this project, and their availability is not tested;
 * descriptions are their owners'.
 */

export interface PublicData {
  readonly title: string;
  /** Description, in a sentence. */
  readonly text: string;
  /** Name of the owner. */
  readonly owner: string;
  readonly source: string;
  readonly path?: string | undefined;
}

const idr = "Image Data Resource, EMBL-EBI";
const ebi = "https://uk1s3.embassy.ebi.ac.uk/idr/zarr";
const janelia = "OpenOrganelle, HHMI Janelia";
const cosem = "https://janelia-cosem-datasets.s3.amazonaws.com";
const google = "https://storage.googleapis.com";

/** By field. */
export const publicData: Readonly<
  Record<"microscopy" | "single cells" | "weather and climate", readonly PublicData[]>
> = {
  microscopy: [
    {
      title: "A blastocyst’s nuclei",
      text: "Two channels in 236 planes of a mouse embryo, with labels (idr0062).",
      owner: idr,
      source: `${ebi}/v0.4/idr0062A/6001240.zarr`,
    },
    {
      title: "A blastocyst’s nuclei, OME-Zarr 0.5",
      text: "The same image in Zarr v3, with its labels.",
      owner: idr,
      source: `${ebi}/v0.5/idr0062A/6001240_labels.zarr`,
    },
    {
      title: "A chicken embryo",
      text: "A maximum projection of a cleared embryo under a light sheet (idr0066).",
      owner: idr,
      source: `${ebi}/v0.5/idr0066/ExpD_chicken_embryo_MIP.ome.zarr`,
    },
    {
      title: "A plate of a screen",
      text: "Wells and fields of a plate in five channels (idr0033), as HCS layout.",
      owner: idr,
      source: `${ebi}/v0.5/idr0033A/BR00109990_C2.zarr`,
    },
    {
      title: "A plate of a screen, Zarr v2",
      text: "Fission yeast in the wells of a plate (idr0001).",
      owner: idr,
      source: `${ebi}/v0.4/idr0001A/2551.zarr`,
    },
    {
      title: "A whole cell by electron microscopy",
      text: "A HeLa cell at 4 nm, by FIB-SEM: thousands of planes at several resolutions.",
      owner: janelia,
      source: `${cosem}/jrc_hela-2/jrc_hela-2.zarr`,
      path: "recon-1/em/fibsem-uint8",
    },
    {
      title: "Another HeLa cell",
      text: "The same method at 4 nm, another cell.",
      owner: janelia,
      source: `${cosem}/jrc_hela-3/jrc_hela-3.zarr`,
      path: "recon-1/em/fibsem-uint8",
    },
    {
      title: "Liver tissue",
      text: "Mouse liver by FIB-SEM.",
      owner: janelia,
      source: `${cosem}/jrc_mus-liver-zon-1/jrc_mus-liver-zon-1.zarr`,
      path: "recon-1/em/fibsem-uint8",
    },
    {
      title: "A whole worm by electron microscopy",
      text: "Platynereis dumerilii at ten resolutions, terabytes at the finest.",
      owner: "EMBL",
      source: "https://s3.embl.de/i2k-2020/platy-raw.ome.zarr",
    },
    {
      title: "Five dimensions",
      text: "A small example with time, channels and three dimensions of space.",
      owner: "EMBL",
      source: "https://s3.embl.de/i2k-2020/ngff-example-data/v0.4/tczyx.ome.zarr",
    },
    {
      title: "An image with labels",
      text: "A small example of labels over an image.",
      owner: "EMBL",
      source: "https://s3.embl.de/i2k-2020/ngff-example-data/v0.4/image-with-labels.ome.zarr",
    },
    {
      title: "A beechnut by computed tomography",
      text: "A volume from a CT scanner, as OME-Zarr 0.5.",
      owner: "OME-Zarr Open SciVis datasets",
      source: "https://ome-zarr-scivis.s3.us-east-1.amazonaws.com/v0.5/96x2/beechnut.ome.zarr",
    },
  ],
  "single cells": [
    {
      title: "Visium HD, mouse intestine",
      text: "Spatial transcriptomics: images, shapes and tables as SpatialData.",
      owner: "scverse, EMBL",
      source: "https://s3.embl.de/spatialdata/spatialdata-sandbox/visium_hd_3.0.0_io.zarr",
    },
    {
      title: "Cells of a human brain",
      text: "Expression of genes in single cells, with a UMAP, as AnnData.",
      owner: "Vitessce",
      source: `${google}/vitessce-demo-data/scmd-analysis-october-2023/lake_et_al.2.h5ad.zarr`,
    },
  ],
  "weather and climate": [
    {
      title: "ERA5, at 1.5°",
      text: "ECMWF’s reanalysis every six hours from 1959 to 2022, on a grid of 240 × 121.",
      owner: "Google, ECMWF",
      source: `${google}/gcp-public-data-arco-era5/ar/1959-2022-6h-240x121_equiangular_with_poles_conservative.zarr`,
      path: "2m_temperature",
    },
    {
      title: "ERA5, at 0.25° every hour",
      text: "The reanalysis as it is published, with 37 levels of pressure.",
      owner: "Google, ECMWF",
      source: `${google}/gcp-public-data-arco-era5/ar/full_37-1h-0p25deg-chunk-1.zarr-v3`,
      path: "2m_temperature",
    },
    {
      title: "WeatherBench 2",
      text: "ERA5 every six hours at 0.25°, for comparing forecasts.",
      owner: "Google Research",
      source: `${google}/weatherbench2/datasets/era5/1959-2022-6h-1440x721.zarr`,
      path: "2m_temperature",
    },
    {
      title: "Today’s weather forecast",
      text: "NOAA’s GFS, the world at 0.25°, updated as it is issued.",
      owner: "dynamical.org, NOAA",
      source: "https://data.dynamical.org/noaa/gfs/forecast/latest.zarr",
      path: "temperature_2m",
    },
    {
      title: "Sea surface temperature",
      text: "NASA’s MUR analysis at 1 km, every day since 2002.",
      owner: "NASA JPL, Amazon",
      source: "https://mur-sst.s3.us-west-2.amazonaws.com/zarr-v1",
      path: "analysed_sst",
    },
    {
      title: "Daily precipitation",
      text: "The Global Precipitation Climatology Project at 1°, 1996 to 2021.",
      owner: "Pangeo Forge",
      source: "https://ncsa.osn.xsede.org/Pangeo/pangeo-forge/gpcp-feedstock/gpcp.zarr",
      path: "precip",
    },
    {
      title: "Temperature and rain by month",
      text: "A pyramid of map tiles for the web, at six resolutions.",
      owner: "CarbonPlan",
      source: "https://carbonplan-maps.s3.us-west-2.amazonaws.com/v2/demo/4d/tavg-prec-month",
    },
    {
      title: "Risk of fire in forests",
      text: "Modelled for the United States.",
      owner: "CarbonPlan",
      source: "https://carbonplan.blob.core.windows.net/carbonplan-forests/risks/results/web/fire.zarr",
    },
  ],
};
