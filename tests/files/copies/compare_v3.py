"""Compares copies in Zarr v3 with their originals, as netCDF4, cfgrib and rasterio read them: values, masks, times,
coordinates. Needs zarr-python 3.

The copies are made before: `zarr-wasm copy FILE FILE.zarr`, with `--codecs zstd` for GRIB and TIFF, whose codecs zarr-python
does not have. Strips of different lengths need ZARR_ARRAY__RECTILINEAR_CHUNKS=True.

Usage: compare_v3.py FILE...; prints "same FILE", "differs FILE: why" or "skipped FILE: why" for each file.
"""
import sys
import warnings

import numpy
import xarray
import zarr
from compare import comparable

warnings.simplefilter("ignore")


class Skipped(Exception):
    pass


def netcdf(file, copy):
    try:
        original = xarray.open_dataset(file).load()
    except Exception as error:
        raise Skipped(f"xarray cannot read it: {error}") from error
    opened = xarray.open_zarr(copy, consolidated=None).load()
    original, opened = comparable(original, opened, "")
    xarray.testing.assert_identical(opened, original)


def original_grid(dataset):
    return next(iter(dataset.data_vars.values())).attrs.get("GRIB_gridType", "")


def grib(file, copy):
    """Attributes differ: cfgrib's are keys of ecCodes. Coordinates are computed, and agree to 1e-6 degrees, those of rotated
    grids to 1e-4. cfgrib does not follow all scanning flags, and always has values of 32 bits (docs/files.md)."""
    options = {"indexpath": "", "errors": "raise"}
    try:
        original = xarray.open_dataset(file, engine="cfgrib", backend_kwargs=options).load()
    except Exception as error:
        raise Skipped(f"cfgrib cannot read it as one dataset: {error}") from error
    opened = xarray.open_zarr(copy, consolidated=None, decode_timedelta=True).load()
    for name, variable in original.data_vars.items():
        found = opened[name]
        if found.dtype == "float64":
            found = found.astype(variable.dtype)
        assert found.dims == variable.dims, f"{name}: dimensions {found.dims}, not {variable.dims}"
        numpy.testing.assert_array_equal(found.values, variable.values, name)
    for name, variable in original.coords.items():
        if name not in opened:
            assert name in ("surface", "meanSea"), f"no coordinate {name}"  # levels without a value
            continue
        one, other = numpy.squeeze(variable.values), numpy.squeeze(opened[name].values)
        if numpy.issubdtype(one.dtype, numpy.datetime64) or numpy.issubdtype(one.dtype, numpy.timedelta64):
            numpy.testing.assert_array_equal(other.astype(one.dtype), one, name)
        else:
            tolerance = 1e-4 if "rotated" in original_grid(original) else 1e-6
            numpy.testing.assert_allclose(other, one, rtol=0, atol=tolerance, err_msg=name)


def tiff(file, copy):
    import rasterio

    try:
        source = rasterio.open(file)
        original = source.read(masked=True)
    except Exception as error:
        raise Skipped(f"rasterio cannot read it: {error}") from error
    node = zarr.open(copy, mode="r")
    array = node if isinstance(node, zarr.Array) else node["0"]
    names = array.metadata.dimension_names
    values = array[...]
    if values.ndim == 2:
        values = values[None]
    elif names[-1] == "s":
        values = numpy.moveaxis(values, -1, 0)
    if values.dtype.kind == "b":
        values = values.astype(original.dtype)
    numpy.testing.assert_array_equal(values, original.data)
    if source.nodata is not None:
        fill = array.attrs["_FillValue"]
        fill = numpy.nan if fill == "NaN" else fill
        missing = numpy.isnan(values) if fill != fill else values == fill
        numpy.testing.assert_array_equal(missing, numpy.ma.getmaskarray(original), "masks")
    place = node.attrs if "spatial:transform" in node.attrs else array.attrs
    if source.crs is not None and not source.transform.is_identity:
        numpy.testing.assert_allclose(place["spatial:transform"], list(source.transform)[:6], rtol=1e-15)
        if source.crs.to_epsg():
            assert place.get("proj:code") == f"EPSG:{source.crs.to_epsg()}", place.get("proj:code")


for file in sys.argv[1:]:
    compare = grib if file.endswith((".grib2", ".grb2")) else tiff if file.endswith(".tif") else netcdf
    try:
        compare(file, f"{file}.zarr")
        print(f"same {file}", flush=True)
    except Skipped as why:
        print(f"skipped {file}: {why}".replace("\n", " ")[:300], flush=True)
    except Exception as error:
        print(f"differs {file}: {type(error).__name__}: {error}".replace("\n", " ")[:1500], flush=True)
