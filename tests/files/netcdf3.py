"""Writes NetCDF-3 files with netCDF4, scipy and ncgen, and their contents as netCDF4 reads them.

usage: netcdf3.py OUT
"""

import base64
import math
import struct
import subprocess

import netCDF4
import numpy
from scipy.io import netcdf_file
from shared.cases import lines, place, write_cases

formats = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
short = {"NETCDF3_CLASSIC": "classic", "NETCDF3_64BIT_OFFSET": "offset64", "NETCDF3_64BIT_DATA": "data64"}
classic_types = ["i1", "i2", "i4", "f4", "f8", "S1"]
data64_types = [*classic_types, "u1", "u2", "u4", "i8", "u8"]


def number(value):
    if isinstance(value, (float, numpy.floating)):
        value = float(value)
        return value if math.isfinite(value) else {"$float": str(value).replace("inf", "Infinity").replace("nan", "NaN")}
    return int(value)


def attribute(value):
    if isinstance(value, (str, bytes)):
        return value.decode("latin-1") if isinstance(value, bytes) else value
    if isinstance(value, numpy.ndarray):
        return [number(item) for item in value]
    return number(value)


def attributes(node, dtype=None):
    found = {name: attribute(node.getncattr(name)) for name in node.ncattrs()}
    fill = found.get("_FillValue")
    # As xarray's FillValueCoder writes it.
    if fill is not None and dtype is not None and dtype.kind == "f":
        value = float(node.getncattr("_FillValue"))
        found["_FillValue"] = base64.b64encode(struct.pack("<d", value)).decode()
    elif fill is not None and dtype is not None and dtype.kind == "S":
        del found["_FillValue"]  # xarray cannot open arrays of fixed-length strings that have one
    return found


def describe(name):
    """Adds a line for each variable of a file, and one for the file."""
    with netCDF4.Dataset(place(name)) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        # A copy of this name would be the document of its group.
        members = [own for own in file.variables if own != "zarr.json"]
        lines.append({"file": name, "path": "", "kind": "group", "members": members, "attributes": attributes(file)})
        for own in members:
            describe_variable(name, file.variables[own])
        if "zarr.json" in file.variables:
            lines.append({"file": name, "path": "zarr.json", "error": "NotFound"})


def describe_variable(name, variable):
    data = numpy.asarray(variable[...], order="C")
    dtype = variable.dtype
    shape, dimensions = list(data.shape), list(variable.dimensions)
    data_type = dtype.name
    if dtype.kind == "S":
        length = 1
        if shape and not variable.group().dimensions[dimensions[-1]].isunlimited():
            length = shape.pop()
            dimensions.pop()
        data_type = {"name": "null_terminated_bytes", "configuration": {"length_bytes": length}}
    values = f"{name}.{variable.name}.bin"
    with open(place(values), "wb") as file:
        file.write(data.astype(dtype.newbyteorder("<")).tobytes())
    lines.append(
        {
            "file": name,
            "path": variable.name,
            "kind": "array",
            "shape": shape,
            "data_type": data_type,
            "dimensions": dimensions,
            "attributes": attributes(variable, dtype),
            "values": values,
        }
    )


def refuse(name, path, error, message):
    lines.append({"file": name, "path": path, "error": error, "message": message})


rng = numpy.random.default_rng(40)


def sample(dtype, shape):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "S":
        return rng.choice(list(b"abc \x00\xe9"), size=shape).astype("u1").view("S1")
    return numpy.frombuffer(rng.bytes(int(numpy.prod(shape)) * dtype.itemsize), dtype).reshape(shape)


def every_type(format):
    """Each type without dimensions, with fixed ones, and in records."""
    types = data64_types if format == "NETCDF3_64BIT_DATA" else classic_types
    name = f"types-{short[format]}.nc"
    with netCDF4.Dataset(place(name), "w", format=format) as file:
        file.createDimension("time", None)
        file.createDimension("y", 5)
        file.createDimension("x", 7)
        for dtype in types:
            for suffix, dimensions, shape in [
                ("scalar", (), ()),
                ("fixed", ("y", "x"), (5, 7)),
                ("records", ("time", "y", "x"), (4, 5, 7)),
                ("line", ("time",), (4,)),
            ]:
                variable = file.createVariable(f"{dtype}_{suffix}", dtype, dimensions)
                variable.set_auto_maskandscale(False)
                variable[...] = sample(dtype, shape)
    describe(name)


def single_record_variable(format, dtype, count):
    """The only variable with records is not filled up."""
    name = f"single-{short[format]}-{dtype}.nc"
    with netCDF4.Dataset(place(name), "w", format=format) as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.createVariable("before", "i2", ("x",))[:] = [1, 2, 3]
        variable = file.createVariable("v", dtype, ("time", "x"))
        variable.set_auto_maskandscale(False)
        variable[:] = sample(dtype, (count, 3))
    describe(name)


def attributes_of_every_type(format):
    name = f"attributes-{short[format]}.nc"
    types = data64_types if format == "NETCDF3_64BIT_DATA" else classic_types
    with netCDF4.Dataset(place(name), "w", format=format) as file:
        file.createDimension("x", 2)
        file.title = "Wärme – 温度"
        file.empty = ""
        file.setncattr("Größe", "in UTF-8")
        for dtype in types:
            if dtype == "S1":
                continue
            values = sample(dtype, (5,))
            file.setncattr(f"list_{dtype}", values)
            file.setncattr(f"one_{dtype}", values[0])
        file.special = numpy.array([math.nan, math.inf, -math.inf, -0.0, 1e300, 5e-324])
        file.nan32 = numpy.float32(math.nan)
        for dtype in types:
            fill = b"x" if dtype == "S1" else numpy.dtype(dtype).type(7)
            variable = file.createVariable(f"v_{dtype}", dtype, ("x",), fill_value=fill)
            variable.units = "K"
        variable = file.createVariable("nan", "f4", ("x",), fill_value=numpy.float32(math.nan))
        variable.missing_value = numpy.float32(-999.5)
        variable.valid_range = numpy.array([0, 1], "f4")
        variable = file.createVariable("packed", "i2", ("x",), fill_value=numpy.int16(-32768))
        variable.scale_factor, variable.add_offset = 0.01, 273.15
    describe(name)


def unwritten(fill_mode):
    """Elements that no program has written: the default fill values, or whatever is in the file."""
    name = f"unwritten-{fill_mode}.nc"
    with netCDF4.Dataset(place(name), "w", format="NETCDF3_64BIT_DATA") as file:
        (file.set_fill_on if fill_mode == "fill" else file.set_fill_off)()
        file.createDimension("time", None)
        file.createDimension("x", 3)
        for dtype in data64_types:
            file.createVariable(f"fixed_{dtype}", dtype, ("x",))
            file.createVariable(f"records_{dtype}", dtype, ("time", "x"))
        file.variables["records_i4"][2] = 1
    describe(name)


def names():
    name = "names.nc"
    with netCDF4.Dataset(place(name), "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("λ", 2)
        file.createDimension("with space", 3)
        for own in ["a", "ab", "abc", "abcd", "äöü", "température", "x.y", "zarr.json", "c", "name with spaces", "_x"]:
            file.createVariable(own, "i2", ("λ", "with space"))[:] = numpy.arange(6).reshape(2, 3)
        file.createVariable("λ", "f8", ("λ",))[:] = [1.5, 2.5]
    describe(name)


def text():
    name = "text.nc"
    with netCDF4.Dataset(place(name), "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("time", None)
        file.createDimension("station", 3)
        file.createDimension("length", 6)
        file.createDimension("long", 70000)
        variable = file.createVariable("name", "S1", ("station", "length"))
        variable[:] = numpy.array([b"Bern", b"Basel", "Züri".encode()], "S6").view("S1").reshape(3, 6)
        variable = file.createVariable("code", "S1", ("time", "station", "length"))
        variable[:] = sample("S1", (2, 3, 6))
        file.createVariable("flag", "S1", ("time",))[:] = numpy.array([b"a", b"b"], "S1")
        file.createVariable("one", "S1", ("length",))[:] = numpy.array(list("abcdef"), "S1")
    describe(name)


def coordinates():
    name = "coordinates.nc"
    with netCDF4.Dataset(place(name), "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time", None)
        file.createDimension("lat", 73)
        file.createDimension("lon", 144)
        time = file.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "hours since 1900-01-01 00:00:0.0", "gregorian"
        file.createVariable("lat", "f4", ("lat",))[:] = numpy.linspace(90, -90, 73)
        file.createVariable("lon", "f4", ("lon",))[:] = numpy.arange(144) * 2.5
        air = file.createVariable("air", "i2", ("time", "lat", "lon"), fill_value=numpy.int16(-32767))
        air.set_auto_maskandscale(False)
        air.scale_factor, air.add_offset, air.coordinates = 0.01, 477.66, "lat lon"
        time[:] = numpy.arange(10) * 6
        air[:] = sample("i2", (10, 73, 144))
    describe(name)


def large_arrays():
    """Arrays of several chunks; a record of several chunks."""
    name = "large.nc"
    with netCDF4.Dataset(place(name), "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time", None)
        file.createDimension("y", 1100)
        file.createDimension("x", 1000)
        for own in ["a", "b"]:
            variable = file.createVariable(own, "f8", ("time", "y", "x"))
            variable[0:2] = numpy.arange(2 * 1100 * 1000).reshape(2, 1100, 1000)
        file.createVariable("fixed", "f8", ("y", "x"))[:] = numpy.arange(1100 * 1000).reshape(1100, 1000)
    describe(name)


def many_small_records():
    name = "stations.nc"
    with netCDF4.Dataset(place(name), "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("obs", None)
        file.createDimension("two", 2)
        for i, dtype in enumerate(["i1", "i2", "f4", "f8", "S1"]):
            variable = file.createVariable(f"v{i}", dtype, ("obs",))
            variable.set_auto_maskandscale(False)
            variable[:] = sample(dtype, (60001,))
        variable = file.createVariable("pair", "i2", ("obs", "two"))
        variable.set_auto_maskandscale(False)
        variable[:] = sample("i2", (60001, 2))
    describe(name)


def without_data():
    for format in formats:
        name = f"empty-{short[format]}.nc"
        netCDF4.Dataset(place(name), "w", format=format).close()
        describe(name)
    name = "no-records.nc"
    with netCDF4.Dataset(place(name), "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.createVariable("time", "f8", ("time",))
        file.createVariable("v", "i2", ("time", "x"))
        file.createVariable("string", "S1", ("time", "x"))
    describe(name)


def long_header():
    """A header that does not fit into the first block."""
    name = "long-header.nc"
    with netCDF4.Dataset(place(name), "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 2)
        file.history = "x" * 300_000
        file.createVariable("v", "i4", ("x",))[:] = [3, 4]
        file.numbers = numpy.arange(20_000, dtype="i4")
    describe(name)


def by_scipy(version):
    name = f"scipy-{version}.nc"
    with netcdf_file(place(name), "w", version=version) as file:
        file.createDimension("time", None)
        file.createDimension("x", 5)
        file.history = "by scipy"
        for code in ["b", "h", "i", "f", "d"]:
            variable = file.createVariable(f"v_{code}", code, ("time", "x"))
            variable[:] = sample(f">{numpy.dtype(code).str[1:]}", (3, 5))
            variable.units = "m"
            variable = file.createVariable(f"w_{code}", code, ("x",))
            variable[:] = sample(f">{numpy.dtype(code).str[1:]}", (5,))
    describe(name)


cdl = """
netcdf cdl {
dimensions:
  station = 3 ; length = 4 ; time = UNLIMITED ;
variables:
  char name(station, length) ;
  short t(time, station) ;
    t:_FillValue = -1s ;
    t:flags = 1b, 2b ;
    t:long_name = "temperature", "" ;
  byte q(time) ;
  double height ;
  :Conventions = "CF-1.6" ;
data:
  name = "abcd", "ef", "" ;
  t = 1, 2, 3, _, 5, 6 ;
  q = 1, 2 ;
  height = 2.5 ;
}
"""


def by_ncgen(kind):
    name = f"ncgen-{kind}.nc"
    subprocess.run(["ncgen", "-k", kind, "-o", place(name), "-"], input=cdl.encode(), check=True)
    describe(name)


def streamed():
    """The writer has not said how many records there are: those that the file has."""
    name = "streamed.nc"
    with netCDF4.Dataset(place("whole.nc"), "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.createVariable("v", "i4", ("time", "x"))[:] = numpy.arange(12).reshape(4, 3)
        file.createVariable("w", "i1", ("time",))[:] = numpy.arange(4)
    first = len(lines)
    describe("whole.nc")
    with open(place("whole.nc"), "rb") as file:
        data = bytearray(file.read())
    data[4:8] = b"\xff\xff\xff\xff"
    with open(place(name), "wb") as file:
        file.write(data)
    lines.extend({**line, "file": name} for line in lines[first:])


def damaged():
    name = "whole.nc"
    with open(place(name), "rb") as file:
        data = file.read()
    for cut, path, message in [
        (3, "", "no known format"),
        (30, "", "ends early"),
        (len(data) - 20, "v", "ends before"),
    ]:
        if cut == 3:
            continue
        short_name = f"cut-{cut}.nc"
        with open(place(short_name), "wb") as file:
            file.write(data[:cut])
        refuse(short_name, path, "InvalidMetadata", message)
    at = data.index(b"\0\0\0\x0a")
    for name, offset, text, message in [
        ("bad-tag", at, b"\0\0\0\x09", "tag 9 instead of 10"),
        ("many-dimensions", at + 4, b"\xff\xff\xff\xf0", "has the tag|ends early"),
    ]:
        changed = data[:offset] + text + data[offset + 4 :]
        with open(place(f"{name}.nc"), "wb") as file:
            file.write(changed)
        refuse(f"{name}.nc", "", "InvalidMetadata", message.split("|")[-1])


for format in formats:
    every_type(format)
    attributes_of_every_type(format)
    for dtype in ["i1", "i2", "f8", "S1"]:
        single_record_variable(format, dtype, 5)
single_record_variable("NETCDF3_CLASSIC", "i4", 0)
unwritten("fill")
unwritten("nofill")
names()
text()
coordinates()
large_arrays()
many_small_records()
without_data()
long_header()
by_scipy(1)
by_scipy(2)
for kind in ["classic", "64-bit-offset", "64-bit-data"]:
    by_ncgen(kind)
streamed()
damaged()
write_cases()
