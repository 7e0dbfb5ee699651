"""Copies NetCDF files to Zarr v2 by the command line, and compares both in xarray: values, masks, times, coordinates.

Usage: compare.py CLI OUT FILE...; prints "same FILE", "differs FILE: why" or "skipped FILE: why" for each file.
"""
import os
import shutil
import subprocess
import sys
import warnings

import xarray

warnings.simplefilter("ignore")
cli, out, *files = sys.argv[1:]


def copied(file):
    place = os.path.join(out, os.path.basename(file) + ".zarr")
    shutil.rmtree(place, ignore_errors=True)
    command = ["node", cli, "copy", file, place, "--format", "2", "--overwrite"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return xarray.open_zarr(place, consolidated=None)


def compare(file):
    try:
        original = xarray.open_dataset(file)
        original.load()
    except Exception as error:
        return f"skipped {file}: xarray cannot read it: {error}"
    try:
        copy = copied(file)
        copy.load()
        # Encodings and the order of attributes may differ; dimension coordinates are compared as well.
        xarray.testing.assert_identical(copy, original)
    except Exception as error:
        return f"differs {file}: {error}".replace("\n", " ")[:2000]
    return f"same {file}"


for file in files:
    print(compare(file), flush=True)
