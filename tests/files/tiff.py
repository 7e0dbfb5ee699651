"""Writes TIFF files with tifffile, GDAL and libtiff's tools, and lists what tifffile and rasterio read of them.

Usage: tiff.py OUT
"""

import itertools
import json
import math
import os
import struct
import subprocess
import sys
import warnings

import numpy as np
import rasterio
import tifffile
from rasterio.enums import Resampling
from rasterio.shutil import copy as gdal_copy
from rasterio.transform import Affine

warnings.filterwarnings("ignore")
out = sys.argv[1]
os.makedirs(out, exist_ok=True)
lines = open(os.path.join(out, "expected.jsonl"), "w")
random = np.random.default_rng(7)
written = set()


def place(name):
    return os.path.join(out, name)


def expect(file, path="", values=None, **wanted):
    """Adds a line; `values` are written in C order and little-endian."""
    line = {"file": file, "path": path, **wanted}
    if values is not None:
        values = np.asarray(values)
        name = f"{file}.{path.replace('/', '.')}.bin" if path else f"{file}.bin"
        little = values.astype(values.dtype.newbyteorder("<"), copy=False)
        with open(place(name), "wb") as target:
            target.write(np.ascontiguousarray(little).tobytes())
        line.setdefault("kind", "array")
        line.setdefault("shape", list(values.shape))
        line.setdefault("data_type", str(values.dtype.newbyteorder("=")))
        line["values"] = name
    print(json.dumps(line), file=lines)


def sample(shape, dtype):
    """Values that use the range of the type, smooth enough for predictors."""
    dtype = np.dtype(dtype)
    count = math.prod(shape)
    if dtype.kind == "c":
        part = sample(shape, f"f{dtype.itemsize // 2}")
        return (part + 1j * part[::-1]).astype(dtype)
    ramp = np.cumsum(random.integers(-9, 10, count)).reshape(shape)
    if dtype.kind == "f":
        return (ramp / 8).astype(dtype)
    if dtype == bool:
        return ramp % 3 == 0
    wide = ramp.astype("i8") * (2 ** (8 * dtype.itemsize - 8) or 1)
    return wide.astype(dtype)


def squeezed(array, samples_first=False):
    """tifffile's order: rows, columns, samples."""
    return np.moveaxis(array, -1, 0) if samples_first else array


# ---- tifffile: data types, byte orders, strips and tiles, planes, predictors

dtypes = "u1 u2 u4 u8 i1 i2 i4 i8 f2 f4 f8 c8 c16".split()
for dtype, order, big in itertools.product(dtypes, "<>", [False, True]):
    data = sample((19, 23), dtype)
    name = f"tf-{dtype}-{'le' if order == '<' else 'be'}-{'big' if big else 'classic'}.tif"
    tifffile.imwrite(place(name), data, byteorder=order, bigtiff=big, rowsperstrip=8, metadata=None)
    expect(name, values=tifffile.imread(place(name)), dimensions=["y", "x"])

for dtype, planar, tiled, order in itertools.product(["u1", "u2", "f4"], ["contig", "separate"], [None, (16, 32)], "<>"):
    shape = (21, 33, 3) if planar == "contig" else (3, 21, 33)
    data = sample(shape, dtype)
    name = f"tf-rgb-{dtype}-{planar}-{'tile' if tiled else 'strip'}-{'le' if order == '<' else 'be'}.tif"
    tifffile.imwrite(
        place(name), data, photometric="rgb", planarconfig=planar, tile=tiled, byteorder=order,
        rowsperstrip=None if tiled else 7, metadata=None,
    )
    expect(name, values=tifffile.imread(place(name)))

for dtype, order in itertools.product(["u1", "u2", "i4", "f4"], "<>"):
    data = sample((40, 50), dtype)
    name = f"tf-zlib-{dtype}-{'le' if order == '<' else 'be'}.tif"
    tifffile.imwrite(place(name), data, byteorder=order, compression="zlib", rowsperstrip=16, metadata=None)
    expect(name, values=data)

# ---- GDAL: compressions, predictors, layouts; rasterio's bands come first


def gdal(name, bands, dims=None, levels=(), **options):
    bands = np.asarray(bands)
    count, height, width = bands.shape
    profile = {"driver": "GTiff", "height": height, "width": width, "count": count, "dtype": bands.dtype.name}
    extra = {key: options.pop(key) for key in ("crs", "transform", "nodata") if key in options}
    tags = options.pop("tags", {})
    with rasterio.open(place(name), "w", **profile, **extra, **options) as target:
        target.write(bands)
        target.update_tags(**tags)
    if levels:
        with rasterio.open(place(name), "r+") as target:
            target.build_overviews(list(levels), Resampling.nearest)
    with rasterio.open(place(name)) as source:
        return source.read()


def in_file_order(bands):
    return bands[0] if len(bands) == 1 else np.moveaxis(bands, 0, -1)


lossless = {
    "none": ["u1", "u2", "f4"], "lzw": ["u1", "u2", "i2", "u4", "f4", "f8"], "deflate": ["u1", "u2", "i2", "u4", "f4", "f8"],
    "packbits": ["u1", "u2", "f4"], "zstd": ["u1", "u2", "i4", "f4", "f8"], "lzma": ["u1", "u2", "f4"],
}
for compression, types in lossless.items():
    for dtype, tiled, order in itertools.product(types, [False, True], ["LITTLE", "BIG"]):
        predictors = [1]
        if compression in ("lzw", "deflate", "zstd"):
            predictors = [1, 2, 3] if dtype[0] == "f" else [1, 2]
        for predictor in predictors:
            if dtype == "f8" and predictor == 2:
                continue
            data = sample((1, 35, 43), dtype)
            name = f"gdal-{compression}-{dtype}-{'tile' if tiled else 'strip'}-{order[0].lower()}-p{predictor}.tif"
            options = {"compress": compression, "ENDIANNESS": order}
            if predictor > 1:
                options["predictor"] = predictor
            if tiled:
                options.update(tiled=True, blockxsize=32, blockysize=16)
            else:
                options.update(blockysize=16)
            expect(name, values=in_file_order(gdal(name, data, **options)), dimensions=["y", "x"])

for compression, dtype, interleave, predictor in itertools.product(
    ["lzw", "deflate", "zstd"], ["u1", "u2", "f4"], ["PIXEL", "BAND"], [2, 3]
):
    if predictor == 3 and dtype != "f4":
        continue
    for count in (2, 3, 4):
        data = sample((count, 23, 27), dtype)
        name = f"gdal-{compression}-{dtype}-{interleave.lower()}-{count}-p{predictor}.tif"
        read = gdal(name, data, compress=compression, predictor=predictor, interleave=interleave, blockysize=10)
        expect(name, values=in_file_order(read) if interleave == "PIXEL" else read)

photo = np.stack([sample((32, 64), "u1") // 2 + 40 * i for i in range(3)]).astype("u1")
for photometric, tiled in itertools.product(["YCBCR", "RGB"], [False, True]):
    options = {"tiled": True, "blockxsize": 32, "blockysize": 32} if tiled else {"blockysize": 16}
    name = f"gdal-jpeg-{photometric.lower()}-{'tile' if tiled else 'strip'}.tif"
    read = gdal(name, photo, compress="jpeg", photometric=photometric, **options)
    expect(name, values=in_file_order(read))
for tables in range(4):
    name = f"gdal-jpeg-gray-tables{tables}.tif"
    read = gdal(name, photo[:1], compress="jpeg", JPEGTABLESMODE=tables, blockysize=16)
    expect(name, values=read[0])
name = "gdal-jpeg-band.tif"
expect(name, values=gdal(name, photo, compress="jpeg", interleave="BAND", blockysize=16))


def jpeg_tiff(stream, width, height, sampling):
    """A TIFF file whose only strip is a JPEG stream of YCbCr."""
    tags = [(256, 1, width), (257, 1, height), (258, 3, 134), (259, 1, 7), (262, 1, 6), (273, 1, 140), (277, 1, 3),
            (278, 1, height), (279, 1, len(stream)), (530, 2, sampling[0] | sampling[1] << 16)]
    # Numbers of two bytes, except for offsets and lengths.
    pages = b"".join(struct.pack("<HHII", tag, 4 if tag in (273, 279) else 3, n, value) for tag, n, value in tags)
    return struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + pages + struct.pack("<IHHH", 0, 8, 8, 8) + stream


# Every subsampling of colors: they are interpolated as in libjpeg-turbo by default.
for (across, down), (width, height), progressive in itertools.product(
    [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2), (1, 4)], [(61, 47), (16, 17)], [False, True]
):
    pixels = np.moveaxis(np.stack([sample((height, width), "u1") for _ in range(3)]), 0, -1)
    image = b"P6 %d %d 255 " % (width, height) + pixels.tobytes()
    options = ["-quality", "85", "-sample", f"{across}x{down}", *(["-progressive"] if progressive else [])]
    stream = subprocess.run(["cjpeg", *options], input=image, capture_output=True, check=True).stdout
    name = f"jpeg-{across}x{down}-{width}{'-progressive' if progressive else ''}.tif"
    with open(place(name), "wb") as target:
        target.write(jpeg_tiff(stream, width, height, (across, down)))
    with rasterio.open(place(name)) as source:
        expect(name, values=np.moveaxis(source.read(), 0, -1))

for count, lossy in itertools.product([3, 4], [False, True]):
    data = np.concatenate([photo, photo[:1] | 1])[:count]
    name = f"gdal-webp-{count}-{'lossy' if lossy else 'lossless'}.tif"
    read = gdal(name, data, compress="webp", WEBP_LOSSLESS=not lossy, tiled=True, blockxsize=32, blockysize=32)
    expect(name, values=in_file_order(read))
for dtype, inner, count in itertools.product(
    ["u1", "i2", "u4", "f4", "f8"], ["LERC", "LERC_DEFLATE", "LERC_ZSTD"], [1, 3]
):
    name = f"gdal-{inner.lower()}-{dtype}-{count}.tif"
    read = gdal(name, sample((count, 32, 40), dtype), compress=inner, tiled=True, blockxsize=32, blockysize=32)
    expect(name, values=in_file_order(read))
masked = sample((1, 24, 32), "f4")
masked[0, 5:20, 7:20] = np.nan
name = "gdal-lerc-f4-nan.tif"
expect(name, values=gdal(name, masked, compress="LERC", blockysize=16)[0])

for bits in [*range(1, 8), *range(9, 16), 17, 20, 24, 31]:
    dtype = "u1" if bits < 9 else "u2" if bits < 17 else "u4"
    data = (random.integers(0, 2**bits, (2, 19, 29))).astype(dtype)
    for count, compression in itertools.product([1, 2], ["none", "deflate"]):
        name = f"gdal-{bits}bit-{count}-{compression}.tif"
        read = gdal(name, data[:count], compress=compression, NBITS=bits, interleave="PIXEL", blockysize=6)
        expect(name, values=in_file_order(read).astype(bool) if bits == 1 else in_file_order(read))
data = random.integers(0, 2**12, (1, 19, 29)).astype("u2")
name = "gdal-12bit-be.tif"
expect(name, values=gdal(name, data, NBITS=12, ENDIANNESS="BIG", blockysize=6)[0])
name = "gdal-f2.tif"
expect(name, values=gdal(name, sample((1, 19, 29), "f4"), NBITS=16, blockysize=6)[0].astype("f2"))
for dtype, numpy in [("complex_int16", "c8"), ("complex64", "c8"), ("complex128", "c16")]:
    data = np.round(sample((1, 19, 29), numpy))
    for order in ("LITTLE", "BIG"):
        name = f"gdal-{dtype}-{order[0].lower()}.tif"
        with rasterio.open(
            place(name), "w", driver="GTiff", width=29, height=19, count=1, dtype=dtype, ENDIANNESS=order
        ) as target:
            target.write(data.astype("c8" if dtype != "complex128" else "c16"))
        with rasterio.open(place(name)) as source:
            expect(name, values=source.read(1).astype(numpy))

# ---- GeoTIFF

utm = {"crs": "EPSG:32633", "transform": Affine(10, 0, 500000, 0, -10, 4600000)}
name = "geo-utm.tif"
bands = sample((2, 40, 30), "i2")
read = gdal(name, bands, nodata=-9999, **utm)
spatial = {
    "proj:code": "EPSG:32633",
    "spatial:dimensions": ["y", "x"],
    "spatial:shape": [40, 30],
    "spatial:transform": [10.0, 0.0, 500000.0, 0.0, -10.0, 4600000.0],
}
expect(
    name, values=np.moveaxis(read, 0, 0), dimensions=["band", "y", "x"], fill_value=-9999,
    attributes={**spatial, "_FillValue": -9999, "PhotometricInterpretation": "MinIsBlack", "ExtraSamples": [0]},
)
name = "geo-sparse.tif"
sparse = np.full((1, 64, 64), 7, "u1")
with rasterio.open(
    place(name), "w", driver="GTiff", width=64, height=64, count=1, dtype="uint8", nodata=7, SPARSE_OK=True,
    tiled=True, blockxsize=16, blockysize=16, compress="lzw", **utm,
) as target:
    target.write(np.full((16, 16), 3, "u1"), 1, window=rasterio.windows.Window(16, 16, 16, 16))
with rasterio.open(place(name)) as source:
    expect(name, values=source.read(), dimensions=["band", "y", "x"][:0] or ["y", "x"], shape=[64, 64], fill_value=7)
for dtype, nodata, fill in [
    ("f4", -3.4028234663852886e38, None), ("f4", math.nan, None), ("f8", 1e20, None), ("u1", 255, 255), ("u2", 0, 0),
]:
    name = f"geo-nodata-{dtype}-{nodata}.tif"
    read = gdal(name, sample((1, 20, 30), dtype), nodata=nodata, **utm)
    expect(name, values=read[0], **({} if fill is None else {"fill_value": fill}))
name = "geo-rotated.tif"
turned = Affine(2, 0.5, 100, 0.25, -3, 200)
read = gdal(name, sample((1, 20, 30), "u1"), crs="EPSG:3857", transform=turned)
expect(name, values=read[0], attributes={
    "proj:code": "EPSG:3857", "spatial:dimensions": ["y", "x"], "spatial:shape": [20, 30],
    "spatial:transform": [2.0, 0.5, 100.0, 0.25, -3.0, 200.0], "PhotometricInterpretation": "MinIsBlack",
})
name = "geo-point.tif"
read = gdal(name, sample((1, 20, 30), "u1"), crs="EPSG:4326", transform=Affine(0.5, 0, 10, 0, -0.25, 50),
            tags={"AREA_OR_POINT": "Point"})
expect(name, values=read[0], attributes={
    "proj:code": "EPSG:4326", "spatial:dimensions": ["y", "x"], "spatial:shape": [20, 30],
    "spatial:transform": [0.5, 0.0, 10.0, 0.0, -0.25, 50.0], "AREA_OR_POINT": "Point",
    "PhotometricInterpretation": "MinIsBlack",
})
name = "geo-scale.tif"
with rasterio.open(place(name), "w", driver="GTiff", width=30, height=20, count=1, dtype="int16", **utm) as target:
    target.write(sample((1, 20, 30), "i2"))
    target.scales, target.offsets, target.units = [0.5], [10.0], ["K"]
    target.set_band_description(1, "temperature")
    target.update_tags(source="test")
with rasterio.open(place(name)) as source:
    expect(name, values=source.read(1), attributes={
        **{**spatial, "spatial:shape": [20, 30]}, "source": "test", "add_offset": 10.0, "scale_factor": 0.5,
        "units": "K", "long_name": "temperature", "PhotometricInterpretation": "MinIsBlack",
    })

for name, compression, count in [("cog-deflate.tif", "deflate", 3), ("cog-lzw.tif", "lzw", 1), ("cog-jpeg.tif", "jpeg", 3)]:
    source_name = place("source.tif")
    with rasterio.open(
        source_name, "w", driver="GTiff", width=300, height=260, count=count, dtype="uint8", **utm
    ) as target:
        target.write(np.resize(photo, (count, 260, 300)))
    gdal_copy(source_name, place(name), driver="COG", COMPRESS=compression, BLOCKSIZE=128, OVERVIEWS="IGNORE_EXISTING")
    os.remove(source_name)
    levels = []
    with rasterio.open(place(name)) as source:
        overviews = source.overviews(1)
        read = source.read()
    expect(name, kind="group", members=[str(i) for i in range(len(overviews) + 1)])
    expect(name, "0", values=read if count > 1 else read[0])
    for level in range(len(overviews)):
        with rasterio.open(place(name), overview_level=level) as source:
            read = source.read()
        expect(name, str(level + 1), values=read if count > 1 else read[0])

name = "geo-mask.tif"
with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
    with rasterio.open(place(name), "w", driver="GTiff", width=40, height=30, count=1, dtype="uint8", **utm) as target:
        target.write(sample((1, 30, 40), "u1"))
        target.write_mask(sample((30, 40), bool))
with rasterio.open(place(name)) as source:
    expect(name, kind="group", members=["0", "mask"])
    expect(name, "0", values=source.read(1))
    expect(name, "mask", values=source.dataset_mask() > 0)

# ---- stacks: tifffile's shapes, ImageJ, OME-TIFF

for shape, axes in [((5, 24, 32), None), ((2, 3, 24, 32), None), ((4, 24, 32, 3), None), ((6, 24, 32), "TYX")]:
    for order in "<>":
        data = sample(shape, "u2" if shape[-1] > 3 else "u1")
        name = f"shaped-{'x'.join(map(str, shape))}-{axes}-{'le' if order == '<' else 'be'}.tif"
        metadata = {} if axes is None else {"axes": axes}
        tifffile.imwrite(
            place(name), data, byteorder=order, metadata=metadata,
            photometric="rgb" if shape[-1] == 3 else "minisblack", compression="zlib" if order == ">" else None,
        )
        expect(name, values=tifffile.imread(place(name)))
name = "shaped-truncated.tif"
data = sample((5, 24, 32), "u2")
tifffile.imwrite(place(name), data, metadata={"axes": "ZYX"}, truncate=True, photometric="minisblack")
expect(name, values=tifffile.imread(place(name)), dimensions=["z", "y", "x"])
name = "shaped-series.tif"
with tifffile.TiffWriter(place(name)) as writer:
    writer.write(sample((3, 16, 20), "u1"), photometric="minisblack")
    writer.write(sample((18, 21), "f4"), photometric="minisblack")
expect(name, kind="group", members=["0", "1"])
for i in range(2):
    expect(name, str(i), values=tifffile.imread(place(name), series=i))

name = "pages.tif"
with tifffile.TiffWriter(place(name)) as writer:
    for i in range(3):
        writer.write(sample((16 + i, 20), "u1"), metadata=None, photometric="minisblack")
expect(name, kind="group", members=["0", "1", "2"])
for i in range(3):
    expect(name, str(i), values=tifffile.imread(place(name), key=i))

for shape, axes in [((24, 32), "YX"), ((5, 24, 32), "ZYX"), ((2, 3, 24, 32), "TZYX"), ((2, 4, 3, 24, 32), "TZCYX"),
                    ((3, 24, 32), "CYX"), ((2, 24, 32, 3), "ZYXS")]:
    for dtype in ("u1", "u2", "f4") if axes[-1] != "S" else ("u1",):
        data = sample(shape, dtype)
        name = f"imagej-{axes}-{dtype}.tif"
        # A unit of length makes an OME-Zarr image, whose samples come before rows.
        unit = {"u1": "um", "u2": "pixel", "f4": "\\u00B5m"}[dtype]
        metadata = {"axes": axes, "spacing": 0.5, "unit": unit, "finterval": 0.25}
        tifffile.imwrite(place(name), data, imagej=True, resolution=(4, 5), metadata=metadata)
        read = tifffile.imread(place(name))
        if unit == "pixel":
            expect(name, values=read, dimensions=list(axes.lower()))
            continue
        if axes[-1] == "S":
            read, axes = np.moveaxis(read, -1, -3), axes[:-3] + "SYX"
        kinds = {"T": ("time", 0.25, "second"), "Z": ("space", 0.5, "micrometer"), "Y": ("space", 0.2, "micrometer"),
                 "X": ("space", 0.25, "micrometer"), "C": ("channel", 1.0, None), "S": ("channel", 1.0, None)}
        shown = [{"name": axis.lower(), "type": kinds[axis][0], **({"unit": kinds[axis][2]} if kinds[axis][2] else {})}
                 for axis in axes]
        scale = {"type": "scale", "scale": [kinds[axis][1] for axis in axes]}
        image = {"axes": shown, "datasets": [{"path": "0", "coordinateTransformations": [scale]}]}
        expect(name, kind="group", members=["0"], attributes={"ome": {"version": "0.5", "multiscales": [image]}})
        expect(name, "0", values=read, dimensions=list(axes.lower()))

for shape, axes in [((24, 32), "YX"), ((5, 24, 32), "ZYX"), ((2, 3, 24, 32), "TCYX"), ((2, 3, 4, 24, 32), "TCZYX"),
                    ((2, 4, 3, 24, 32), "TZCYX"), ((3, 2, 24, 32), "CTYX"), ((24, 32, 3), "YXS"), ((2, 24, 32, 3), "ZYXS")]:
    for dtype, compression, order in [("u1", None, "<"), ("u2", "zlib", ">"), ("f4", None, ">")]:
        if axes[-1] == "S" and dtype != "u1":
            continue
        data = sample(shape, dtype)
        name = f"ome-{axes}-{dtype}.ome.tif"
        tifffile.imwrite(
            place(name), data, byteorder=order, compression=compression, ome=True,
            photometric="rgb" if axes[-1] == "S" else "minisblack",
            metadata={"axes": axes, "PhysicalSizeX": 0.25, "PhysicalSizeXUnit": "µm", "PhysicalSizeY": 0.5},
        )
        read = tifffile.imread(place(name))
        full = {axis: read.shape[i] for i, axis in enumerate(axes)}
        if axes[-1] == "S":
            read, order_now = np.moveaxis(read, -1, -3), axes[:-3] + "CYX"
        else:
            order_now = axes
        if "C" not in order_now:
            read, order_now = read[None], "C" + order_now
        wanted = [axis for axis in "TCZYX" if axis in order_now]
        read = read.transpose([order_now.index(axis) for axis in wanted])
        if axes == "ZYXS":
            read = np.ascontiguousarray(read)
        expect(name, kind="group", members=["0"])
        expect(name, "0", values=read, dimensions=[axis.lower() for axis in wanted])

name = "ome-pyramid.ome.tif"
data = sample((3, 64, 96), "u2")
with tifffile.TiffWriter(place(name), ome=True) as writer:
    writer.write(data, subifds=2, tile=(32, 32), photometric="minisblack",
                 metadata={"axes": "CYX", "Channel": {"Name": ["DAPI", "GFP", "RFP"]}})
    writer.write(data[:, ::2, ::2], subfiletype=1, tile=(32, 32), photometric="minisblack")
    writer.write(data[:, ::4, ::4], subfiletype=1, tile=(32, 32), photometric="minisblack")
expect(name, kind="group", members=["0", "1", "2"])
for level in range(3):
    expect(name, str(level), values=tifffile.imread(place(name), level=level), dimensions=["c", "y", "x"])

name = "ome-images.ome.tif"
with tifffile.TiffWriter(place(name), ome=True) as writer:
    writer.write(sample((2, 16, 20), "u1"), photometric="minisblack", metadata={"axes": "ZYX"})
    writer.write(sample((18, 21), "f4"), photometric="minisblack", metadata={"axes": "YX"})
expect(name, kind="group", members=["0", "1", "OME"], attributes={"ome": {"version": "0.5", "bioformats2raw.layout": 3}})
expect(name, "0/0", values=tifffile.imread(place(name), series=0)[None])
expect(name, "1/0", values=tifffile.imread(place(name), series=1)[None])

# Two files, which refer to one another, and a companion file.
xml = """<?xml version="1.0" encoding="UTF-8"?>
<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:{own}">
<Image ID="Image:0" Name="set"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="20" SizeY="16"
 SizeZ="2" SizeC="2" SizeT="1"><Channel ID="Channel:0:0" Name="one" Color="-16776961" SamplesPerPixel="1"/>
<Channel ID="Channel:0:1" SamplesPerPixel="1"/>
<TiffData FirstC="0" IFD="0" PlaneCount="2"><UUID FileName="set-{kind}-0.ome.tif">urn:uuid:0</UUID></TiffData>
<TiffData FirstC="1" IFD="0" PlaneCount="2"><UUID FileName="set-{kind}-1.ome.tif">urn:uuid:1</UUID></TiffData>
</Pixels></Image></OME>"""
binary = """<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"
 UUID="urn:uuid:{own}"><BinaryOnly MetadataFile="set.companion.ome" UUID="urn:uuid:9"/></OME>"""
planes = sample((2, 2, 16, 20), "u2")
for kind, template in (("files", xml), ("binary", binary)):
    for i in range(2):
        with tifffile.TiffWriter(place(f"set-{kind}-{i}.ome.tif")) as writer:
            for z in range(2):
                description = template.format(own=i, kind=kind).encode() if z == 0 else None
                writer.write(planes[i, z], description=description, metadata=None, photometric="minisblack")
    expect(f"set-{kind}-0.ome.tif", "0", values=planes)
    expect(f"set-{kind}-1.ome.tif", "0", values=planes)
with open(place("set.companion.ome"), "w") as target:
    target.write(xml.format(own=9, kind="binary"))

# ---- Aperio SVS

name = "slide.svs"
slide = np.moveaxis(np.resize(photo, (3, 256, 320)), 0, -1)
header = "Aperio Image Library v11\r\n320x256 [0,0 320x256] (64x64)|AppMag = 20|MPP = 0.4990"
with tifffile.TiffWriter(place(name), bigtiff=True) as writer:
    common = {"photometric": "rgb", "metadata": None}
    writer.write(slide, tile=(64, 64), description=header, **common)
    writer.write(slide[::8, ::8], rowsperstrip=16, description="Aperio Image Library v11\r\n-> thumbnail", **common)
    writer.write(slide[::4, ::4], tile=(64, 64), description=header, **common)
    writer.write(slide[:40, :30], rowsperstrip=16, description="Aperio Image Library v11\r\nlabel 30x40", subfiletype=1, **common)
    writer.write(slide[:50, :90], rowsperstrip=16, description="Aperio Image Library v11\r\nmacro 90x50", subfiletype=9, **common)
expect(name, kind="group", members=["0", "1", "thumbnail", "label", "macro"])
expect(name, "0", values=np.moveaxis(slide, -1, 0), dimensions=["c", "y", "x"])
expect(name, "1", values=np.moveaxis(slide[::4, ::4], -1, 0))
expect(name, "label", values=slide[:40, :30])
expect(name, "macro", values=slide[:50, :90])

# ---- libtiff's tools: bit orders, and layouts of other compressions

bits = sample((30, 43), bool)
tifffile.imwrite(place("lib-lsb.tif"), bits, metadata=None, rowsperstrip=8)
for compression in ("none", "lzw", "packbits", "zip"):
    for fill in ("msb2lsb", "lsb2msb"):
        name = f"lib-1bit-{compression}-{fill}.tif"
        subprocess.run(["tiffcp", "-f", fill, "-c", compression, place("lib-lsb.tif"), place(name)], check=True)
        with rasterio.open(place(name)) as source:
            expect(name, values=source.read(1) > 0)
rgb = np.moveaxis(photo, 0, -1)
tifffile.imwrite(place("lib-rgb.tif"), rgb, metadata=None, photometric="rgb", rowsperstrip=10)
for compression, planar, layout in itertools.product(
    ["none", "lzw", "lzw:2", "zip:2", "packbits", "zstd:2", "lzma:2", "jpeg"], ["contig", "separate"], [["-s", "-r", "13"], ["-t", "-w", "32", "-l", "16"]]
):
    if compression == "jpeg":
        layout = ["-s", "-r", "16"] if layout[0] == "-s" else layout
    for byteorder in ("-L", "-B"):
        name = f"lib-rgb-{compression.replace(':', 'p')}-{planar}-{layout[0][1]}{byteorder[1]}.tif"
        done = subprocess.run(
            ["tiffcp", byteorder, "-c", compression, "-p", planar, *layout, place("lib-rgb.tif"), place(name)],
            stderr=subprocess.DEVNULL, check=False,
        )
        if done.returncode != 0:
            continue
        if compression == "jpeg" and planar == "separate" and tifffile.TiffFile(place(name)).pages[0].photometric == 6:
            expect(name, error="Unsupported", message="YCbCr with subsampled colors")
            continue
        with rasterio.open(place(name)) as source:
            read = source.read()
        expect(name, values=in_file_order(read) if planar == "contig" else read)

# ---- streams that tifffile only wraps: JPEG 2000 by GDAL, LZW


def wrap(name, shape, dtype, compression, encoded, **options):
    """Writes a single strip or tile of encoded bytes: as deflated ones, whose tag is then changed."""
    placeholder = np.zeros(shape, dtype)
    tifffile.imwrite(place(name), placeholder, metadata=None, rowsperstrip=shape[0], **options)
    with tifffile.TiffFile(place(name)) as source:
        found = source.pages[0].tags
        places = {tag: found[tag].valueoffset for tag in ("Compression", "StripOffsets", "StripByteCounts")}
        widths = {tag: tifffile.TIFF.DATA_FORMATS[found[tag].dtype] for tag in places}
    sizes = {"1H": 2, "1I": 4, "1Q": 8, "H": 2, "I": 4, "Q": 8}
    with open(place(name), "r+b") as target:
        end = target.seek(0, 2)
        target.write(encoded)
        for tag, value in [("Compression", compression), ("StripOffsets", end), ("StripByteCounts", len(encoded))]:
            target.seek(places[tag])
            target.write(value.to_bytes(sizes[widths[tag]], "little"))


for count, dtype, compression in [(1, "u1", 34712), (1, "u2", 34712), (3, "u1", 33005), (3, "u1", 34712)]:
    data = sample((count, 48, 64), dtype)
    with rasterio.open(place("one.tif"), "w", driver="GTiff", width=64, height=48, count=count, dtype=data.dtype.name) as target:
        target.write(data)
    gdal_copy(place("one.tif"), place("one.j2k"), driver="JP2OpenJPEG", CODEC="J2K", REVERSIBLE="YES", QUALITY="100")
    with open(place("one.j2k"), "rb") as source:
        stream = source.read()
    name = f"jpeg2000-{compression}-{dtype}-{count}.tif"
    values = in_file_order(data)
    wrap(name, values.shape, dtype, compression, stream, photometric="rgb" if count == 3 else "minisblack")
    expect(name, values=values)
    for extra in ("one.tif", "one.j2k", "one.tif.aux.xml", "one.j2k.aux.xml"):
        if os.path.exists(place(extra)):
            os.remove(place(extra))


def lzw(data):
    """LZW of literals, with a clear code before the codes get wider."""
    codes = [code for i, byte in enumerate(data) for code in ([256] if i % 200 == 0 else []) + [byte]] + [257]
    text = "".join(f"{code:09b}" for code in codes)
    text += "0" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big")


data = sample((12, 20), "u1")
wrap("lzw-byte-more.tif", data.shape, "u1", 5, lzw(data.tobytes() + b"\x55"))
expect("lzw-byte-more.tif", error="CorruptChunk")
wrap("lzw-byte-less.tif", data.shape, "u1", 5, lzw(data.tobytes()[:-1]))
expect("lzw-byte-less.tif", error="CorruptChunk")

# ---- refused by name

for compression, message in [("g3", "CCITT Group 3"), ("g4", "CCITT Group 4")]:
    name = f"refused-{compression}.tif"
    subprocess.run(["tiffcp", "-c", compression, place("lib-lsb.tif"), place(name)], check=True)
    expect(name, error="Unsupported", message=message)
name = "refused-types.tif"
tifffile.imwrite(place(name), sample((20, 30, 3), "u1"), photometric="rgb", metadata=None)
with tifffile.TiffFile(place(name)) as source:
    tag = source.pages[0].tags["BitsPerSample"]
    position = tag.valueoffset
with open(place(name), "r+b") as target:
    target.seek(position)
    target.write((5).to_bytes(2, "little"))
expect(name, error="Unsupported", message="samples of different types")
for i, damage in enumerate([b"II*\0", b"II*\0\xff\xff\xff\x7f", b"II*\0\x08\0\0\0\xff\xff"]):
    name = f"broken-{i}.tif"
    with open(place(name), "wb") as target:
        target.write(damage)
    expect(name, error="InvalidMetadata")
name = "broken-cycle.tif"
with open(place(name), "wb") as target:
    target.write(b"II*\0\x08\0\0\0\0\0\x08\0\0\0")
expect(name, error="InvalidMetadata", message="lacks tag 256")
lines.close()
