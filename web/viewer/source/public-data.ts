/**
 * Well-known public data sets by address: publicly readable over HTTPS, and by pages of other servers if
 * their owners allow it. They do not belong to this project, and their availability is not tested;
 * descriptions are their owners'.
 */
import type { Texts } from "../language/text.js";

export interface PublicData {
  /** Key of its title and description. */
  readonly key: keyof Texts["publicData"];
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
      key: "blastocyst",
      owner: idr,
      source: `${ebi}/v0.4/idr0062A/6001240.zarr`,
    },
    {
      key: "blastocyst5",
      owner: idr,
      source: `${ebi}/v0.5/idr0062A/6001240_labels.zarr`,
    },
    {
      key: "chicken",
      owner: idr,
      source: `${ebi}/v0.5/idr0066/ExpD_chicken_embryo_MIP.ome.zarr`,
    },
    {
      key: "plate",
      owner: idr,
      source: `${ebi}/v0.5/idr0033A/BR00109990_C2.zarr`,
    },
    {
      key: "plate2",
      owner: idr,
      source: `${ebi}/v0.4/idr0001A/2551.zarr`,
    },
    {
      key: "hela",
      owner: janelia,
      source: `${cosem}/jrc_hela-2/jrc_hela-2.zarr`,
      path: "recon-1/em/fibsem-uint8",
    },
    {
      key: "hela3",
      owner: janelia,
      source: `${cosem}/jrc_hela-3/jrc_hela-3.zarr`,
      path: "recon-1/em/fibsem-uint8",
    },
    {
      key: "liver",
      owner: janelia,
      source: `${cosem}/jrc_mus-liver-zon-1/jrc_mus-liver-zon-1.zarr`,
      path: "recon-1/em/fibsem-uint8",
    },
    {
      key: "worm",
      owner: "EMBL",
      source: "https://s3.embl.de/i2k-2020/platy-raw.ome.zarr",
    },
    {
      key: "five",
      owner: "EMBL",
      source: "https://s3.embl.de/i2k-2020/ngff-example-data/v0.4/tczyx.ome.zarr",
    },
    {
      key: "labels",
      owner: "EMBL",
      source: "https://s3.embl.de/i2k-2020/ngff-example-data/v0.4/image-with-labels.ome.zarr",
    },
    {
      key: "beechnut",
      owner: "OME-Zarr Open SciVis datasets",
      source: "https://ome-zarr-scivis.s3.us-east-1.amazonaws.com/v0.5/96x2/beechnut.ome.zarr",
    },
  ],
  "single cells": [
    {
      key: "intestine",
      owner: "scverse, EMBL",
      source: "https://s3.embl.de/spatialdata/spatialdata-sandbox/visium_hd_3.0.0_io.zarr",
    },
    {
      key: "brain",
      owner: "Vitessce",
      source: `${google}/vitessce-demo-data/scmd-analysis-october-2023/lake_et_al.2.h5ad.zarr`,
    },
  ],
  "weather and climate": [
    {
      key: "era5",
      owner: "Google, ECMWF",
      source: `${google}/gcp-public-data-arco-era5/ar/1959-2022-6h-240x121_equiangular_with_poles_conservative.zarr`,
      path: "2m_temperature",
    },
    {
      key: "era5Hourly",
      owner: "Google, ECMWF",
      source: `${google}/gcp-public-data-arco-era5/ar/full_37-1h-0p25deg-chunk-1.zarr-v3`,
      path: "2m_temperature",
    },
    {
      key: "weatherBench",
      owner: "Google Research",
      source: `${google}/weatherbench2/datasets/era5/1959-2022-6h-1440x721.zarr`,
      path: "2m_temperature",
    },
    {
      key: "forecast",
      owner: "dynamical.org, NOAA",
      source: "https://data.dynamical.org/noaa/gfs/forecast/latest.zarr",
      path: "temperature_2m",
    },
    {
      key: "sea",
      owner: "NASA JPL, Amazon",
      source: "https://mur-sst.s3.us-west-2.amazonaws.com/zarr-v1",
      path: "analysed_sst",
    },
    {
      key: "precipitation",
      owner: "Pangeo Forge",
      source: "https://ncsa.osn.xsede.org/Pangeo/pangeo-forge/gpcp-feedstock/gpcp.zarr",
      path: "precip",
    },
    {
      key: "rain",
      owner: "CarbonPlan",
      source: "https://carbonplan-maps.s3.us-west-2.amazonaws.com/v2/demo/4d/tavg-prec-month",
    },
    {
      key: "fire",
      owner: "CarbonPlan",
      source: "https://carbonplan.blob.core.windows.net/carbonplan-forests/risks/results/web/fire.zarr",
    },
  ],
};
