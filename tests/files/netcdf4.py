"""Writes NetCDF-4 files, and lists what netCDF4 reads in them."""
import gzip
import os
import struct
import sys

import netCDF4
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "shared"))
from hdf5_reading import Writer, describe_netcdf, run  # noqa: E402

def netcdf_files(out):
    path = lambda name: os.path.join(out, name)
    for model in ("NETCDF4", "NETCDF4_CLASSIC"):
        name = f"{model.lower()}.nc"
        with netCDF4.Dataset(path(name), "w", format=model) as f:
            weather(f)
        yield name
    with netCDF4.Dataset(path("groups.nc"), "w") as f:
        f.createDimension("x", 3)
        f.createDimension("unused", 7)
        f.createVariable("x", "f8", ("x",))[:] = [1, 2, 3]
        group = f.createGroup("a/b")
        group.createDimension("y", 2)
        group.createVariable("v", "i4", ("x", "y"))[:] = np.arange(6).reshape(3, 2)
        inner = group.createGroup("c")
        inner.createDimension("x", 2)
        inner.createVariable("w", "f4", ("x", "y"))[:] = 1
        inner.title = "inner"
    yield "groups.nc"
    with netCDF4.Dataset(path("names.nc"), "w") as f:
        f.createDimension("x", 3)
        f.createDimension("y", 2)
        f.createVariable("y", "f8", ("x",))[:] = [1, 2, 3]  # not the coordinate of y
        f.createVariable("grid", "f8", ("y", "x"))[:] = 1
        f.createVariable("x", "f8", ("x", "y"))[:] = 2  # a coordinate of two dimensions
        f.createVariable("scalar", "i4")[...] = 5
        f.createVariable("twice", "i4", ("x", "x"))[:] = np.arange(9).reshape(3, 3)
    yield "names.nc"
    with netCDF4.Dataset(path("checksum-first.nc"), "w") as f:
        f.createDimension("x", 5)
        # The checksum comes before the shuffle, which then has 4 bytes beyond whole items.
        options = dict(zlib=True, shuffle=True, fletcher32=True, chunksizes=(3,))
        f.createVariable("v", "f8", ("x",), **options)[:] = [1, 2, 3, 4, 5]
    yield "checksum-first.nc"
    with netCDF4.Dataset(path("types.nc"), "w") as f:
        f.createDimension("n", 3)
        f.createDimension("width", 4)
        for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
            f.createVariable(code, code, ("n",))[:] = [1, 2, 3]
            f.createVariable(f"big {code}", code, ("n",), endian="big")[:] = [1, 2, 3]
        f.createVariable("char", "S1", ("n", "width"))[:] = np.array([list("abcd"), list("efgh"), list("ijkl")], "S1")
        f.createVariable("words", "S1", ("width",))[:] = np.array(list("abc "), "S1")
        f.createVariable("halves", "S1", ("n", "width"), chunksizes=(1, 2))[:] = np.full((3, 4), b"x")
        f.createVariable("packed", "S1", ("n", "width"), zlib=True, shuffle=True)[:] = np.full((3, 4), b"y")
        f.createVariable("filled", "S1", ("n", "width"), fill_value=b"-")[:1] = np.full((1, 4), b"x")
        f.createVariable("one", "S1")[...] = b"z"
        f.createVariable("string", str, ("n",))[:] = np.array(["a", "", "ünïcödé"], object)
        enum = f.createEnumType("u1", "color_t", {"red": 1, "green": 2})
        f.createVariable("enum", enum, ("n",))[:] = [1, 2, 1]
        compound = f.createCompoundType(np.dtype([("a", "<i4"), ("b", "<f8")]), "pair_t")
        f.createVariable("pair", compound, ("n",))[:] = np.array([(1, 2), (3, 4), (5, 6)], compound.dtype)
        ragged = f.createVLType("i4", "ragged_t")
        f.createVariable("ragged", ragged, ("n",))[0] = np.array([1, 2], "i4")
    yield "types.nc"
    with netCDF4.Dataset(path("attributes.nc"), "w") as f:
        f.createDimension("n", 2)
        variable = f.createVariable("v", "f4", ("n",), fill_value=-1)
        for i in range(30):
            variable.setncattr(f"number {i}", np.int16(i))
            f.setncattr(f"text {i}", f"value {i}")
        variable.list = np.array([1.5, 2.5], "f4")
        variable.text = "ünïcödé"
        variable.empty = ""
        variable.texts = ["a", "b"]
        variable.setncattr_string("one text", "x")
        variable.valid_range = np.array([0, 10], "i4")
        variable.nan = np.nan
    yield "attributes.nc"
    with netCDF4.Dataset(path("many.nc"), "w") as f:
        f.createDimension("time", None)
        for i in range(60):
            f.createDimension(f"dim {i}", 2)
            f.createVariable(f"var {i}", "f8", ("time", f"dim {i}"), zlib=True)[:2] = i
    yield "many.nc"
    cdl = os.path.join(out, "example.cdl")
    with open(cdl, "w") as f:
        f.write(
            "netcdf example { types: int64 enum big {one = 1, two = 2}; dimensions: t = unlimited; s = 3;"
            " variables: int64 t(t); t:units = \"days since 2000-01-01\"; string names(s); big e(s); ubyte u(t, s);"
            " u:_FillValue = 255UB; // global attributes\n :Conventions = \"CF-1.8\"; data: t = 1, 2;"
            " names = \"a\", \"b\", \"c\"; e = one, two, one; u = 1, 2, 3, _, 5, 6; }"
        )
    if run("ncgen", "-4", "-o", path("example.nc"), cdl):
        yield "example.nc"
    os.remove(cdl)


def weather(f):
    f.createDimension("time", None)
    f.createDimension("lat", 3)
    f.createDimension("lon", 4)
    f.Conventions = "CF-1.8"
    time = f.createVariable("time", "f8", ("time",))
    time.units = "hours since 2000-01-01"
    time[:] = np.arange(5)
    f.createVariable("lat", "f4", ("lat",))[:] = [-10, 0, 10]
    f.createVariable("lon", "f4", ("lon",))[:] = [0, 1, 2, 3]
    packed = f.createVariable("t2m", "i2", ("time", "lat", "lon"), zlib=True, fill_value=-32768, chunksizes=(2, 3, 2))
    packed.set_auto_maskandscale(False)
    packed.scale_factor = 0.01
    packed.add_offset = np.float32(273.15)
    packed.coordinates = "lat lon"
    packed[:] = np.arange(60).reshape(5, 3, 4)
    plain = f.createVariable("wind", "f4", ("time", "lat", "lon"), fill_value=np.nan)
    plain[:3] = np.arange(36).reshape(3, 3, 4)
    f.createVariable("default", "f8", ("time", "lat"))


def large(path, is_spread):
    """Writes 20 variables of about 1 GB, all zeros: with all metadata at the start, or each variable after the data before."""
    with netCDF4.Dataset(path, "w") as f:
        f.Conventions = "CF-1.8"
        f.history = "made by a test " * 50
        for name, length in (("time", None), ("lat", 361), ("lon", 720)):
            f.createDimension(name, length)
            axis = f.createVariable(name, "f8", (name,))
            axis.units = {"time": "hours since 1900-01-01", "lat": "degrees_north", "lon": "degrees_east"}[name]
            axis[:] = np.arange(length or 50)
        names = [f"variable {i}" for i in range(17)]
        if not is_spread:
            variables = [weather_variable(f, name) for name in names]
            for step in range(50):
                for variable in variables:
                    variable[step] = 0
        for name in names if is_spread else []:
            variable = weather_variable(f, name)
            f.sync()
            variable[:50] = 0


def weather_variable(f, name):
    variable = f.createVariable(name, "f4", ("time", "lat", "lon"), fill_value=-999)
    variable.units = "K"
    variable.long_name = f"the {name}"
    variable.cell_methods = "time: mean"
    return variable


def pages(path):
    """Replaces a file by its pages other than zeros: the size, then index and bytes of each page, compressed."""
    size = 4096
    with open(path, "rb") as f, gzip.GzipFile(f"{path}.pages.gz", "wb", mtime=0) as out:
        out.write(struct.pack("<Q", os.path.getsize(path)))
        for index, page in enumerate(iter(lambda: f.read(size), b"")):
            if page.count(0) != len(page):
                out.write(struct.pack("<I", index) + page.ljust(size, b"\0"))
    os.remove(path)


def main(out):
    os.makedirs(out, exist_ok=True)
    writer = Writer(out)
    for name in ("large", "spread"):
        large(os.path.join(out, f"{name}.nc"), name == "spread")
        pages(os.path.join(out, f"{name}.nc"))
    for name in netcdf_files(out):
        describe_netcdf(writer, name)
    writer.save()


main(*sys.argv[1:])
