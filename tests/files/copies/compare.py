"""Copies NetCDF files to Zarr v2 by the command line, and compares both in xarray: values, masks, times, coordinates.

Usage: compare.py CLI OUT FILE...; prints "same FILE", "differs FILE: why" or "skipped FILE: why" for each file.
"""
import os
import shutil
import subprocess
import sys
import warnings

import numpy
import xarray

warnings.simplefilter("ignore")


def copied(cli, out, file):
    place = os.path.join(out, os.path.basename(file) + ".zarr")
    shutil.rmtree(place, ignore_errors=True)
    command = ["node", cli, "copy", file, place, "--format", "2", "--overwrite"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return xarray.open_zarr(place, consolidated=None), done.stderr


def joined_characters(variable, dimensions):
    """xarray joins characters unless another variable has their dimension; the library always joins them."""
    data = numpy.ascontiguousarray(variable.values)
    if 0 in data.shape:
        return xarray.Variable(dimensions, numpy.zeros(data.shape[:-1], f"S{data.shape[-1]}"), variable.attrs)
    return xarray.Variable(dimensions, data.view(f"S{data.shape[-1]}")[..., 0], variable.attrs)


def comparable(original, copy, warned):
    """Removes the documented differences: joined characters, names of enums, gaps of compounds."""
    original, copy = original.copy(), copy.copy()
    for name in [*original.variables]:
        # Names that keys cannot have, and variables that are refused by name.
        if name == "zarr.json" or (name not in copy.variables and f'"/{name}" is left out' in warned):
            original = original.drop_vars(name)
            continue
        one, other = original[name].variable, copy[name].variable
        if {one.dtype.kind, other.dtype.kind} <= {"S", "O"} and "_FillValue" in original[name].encoding:
            original, copy = original.drop_vars(name), copy.drop_vars(name)
        elif one.dtype == "S1" and one.ndim == other.ndim + 1:
            original[name] = joined_characters(one, other.dims)
        elif one.dtype.names and one.dtype != other.dtype:
            fields = list(one.dtype.names)
            for variable, source in ((original, one), (copy, other)):
                for field in fields:
                    variable[f"{name}.{field}"] = (source.dims, source.values[field])
            original, copy = original.drop_vars(name), copy.drop_vars(name)
        elif "flag_meanings" in other.attrs and "flag_meanings" not in one.attrs:
            for key in ("flag_values", "flag_meanings"):
                del copy[name].attrs[key]
    for dataset in (original, copy):
        for variable in [dataset, *dataset.variables.values()]:
            for key, value in variable.attrs.items():
                if isinstance(value, (float, numpy.floating)) and value != value:
                    variable.attrs[key] = "NaN"
    return original, copy


def compare(cli, out, file):
    try:
        original = xarray.open_dataset(file)
        original.load()
    except Exception as error:
        return f"skipped {file}: xarray cannot read it: {error}"
    try:
        copy, warned = copied(cli, out, file)
    except Exception as error:
        damaged = "ends early" in str(error) or " ends before " in str(error)  # read as zeros by the NetCDF library
        return f"{'skipped' if damaged else 'differs'} {file}: {error}"
    try:
        copy.load()
        original, copy = comparable(original, copy, warned)
        xarray.testing.assert_identical(copy, original)
    except Exception as error:
        return f"differs {file}: {error}".replace("\n", " ")[:2000]
    return f"same {file}"


if __name__ == "__main__":
    cli, out, *files = sys.argv[1:]
    for file in files:
        print(compare(cli, out, file), flush=True)
