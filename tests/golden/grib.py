"""Writes grib.jsonl: GRIB 2 messages as chunks of Zarr v3 stores, and the SHA-256 of the values that ecCodes reads.

/usr/bin/python3 tests/golden/grib.py > tests/golden/grib.jsonl
/usr/bin/python3 tests/golden/grib.py --many   # more and larger messages, for comparisons that are not kept
Needs ecCodes with its Python bindings, and GDAL, which writes spatial differences.
"""

import base64
import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile

import rasterio  # before ecCodes, after which its PROJ finds no database
import eccodes
import numpy as np
from rasterio.transform import from_origin

MANY = "--many" in sys.argv
MISSING = 1e20
SHAPES = [(13, 17), (61, 90)] if MANY else [(9, 13)]
random = np.random.default_rng(3)


def field(rows, columns):
    y, x = np.mgrid[0:rows, 0:columns]
    return 273 + 20 * np.sin(y / 9) + 8 * np.cos(x / 7) + random.normal(0, 0.5, (rows, columns))


def some(rows, columns):
    mask = random.random((rows, columns)) < 0.3
    mask[3:5] = True
    mask[6] = False
    return mask


def values(message):
    handle = eccodes.codes_new_from_message(message)
    eccodes.codes_set(handle, "missingValue", MISSING)
    found = eccodes.codes_get_values(handle)
    eccodes.codes_release(handle)
    return np.where(found == MISSING, np.nan, found)


def emit(name, message, shape, dtype="float64", codec=None, expected=None):
    expected = (values(message) if expected is None else expected).astype(dtype)
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(shape)}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": "NaN",
        "codecs": [codec or {"name": "grib2"}],
    }
    # The NaN of this library.
    bits = np.uint64(0x7FF8000000000000) if dtype == "float64" else np.uint32(0x7FC00000)
    expected[np.isnan(expected)] = bits.view(dtype)
    key = "/".join(["c", *["0"] * len(shape)])
    line = {
        "name": f"grib/{name}",
        "writer": f"ecCodes {eccodes.codes_get_api_version()}" if "gdal" not in name else f"GDAL {rasterio.__gdal_version__}",
        "shape": list(shape),
        "dtype": "<f8" if dtype == "float64" else "<f4",
        "store": {"zarr.json": json.dumps(metadata), key: {"b64": base64.b64encode(message).decode()}},
        "path": "",
        "sha256": hashlib.sha256(expected.tobytes()).hexdigest(),
    }
    print(json.dumps(line))


def encode(array, packing, bits, mask=None, **keys):
    handle = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    rows, columns = array.shape
    for key, value in {
        "Ni": columns,
        "Nj": rows,
        "latitudeOfFirstGridPointInDegrees": 60,
        "latitudeOfLastGridPointInDegrees": 61 - rows,
        "longitudeOfLastGridPointInDegrees": columns - 1,
        "iDirectionIncrementInDegrees": 1,
        "jDirectionIncrementInDegrees": 1,
    }.items():
        eccodes.codes_set(handle, key, value)
    array = array.ravel().copy()
    if mask is not None:
        eccodes.codes_set(handle, "bitmapPresent", 1)
        eccodes.codes_set(handle, "missingValue", MISSING)
        array[mask.ravel()] = MISSING
    if bits:
        eccodes.codes_set(handle, "bitsPerValue", bits)
    eccodes.codes_set_values(handle, array)
    if packing != "grid_simple":
        eccodes.codes_set(handle, "packingType", packing)
        eccodes.codes_set_values(handle, array)
    for key, value in keys.items():
        eccodes.codes_set(handle, key, value)
    message = eccodes.codes_get_message(handle)
    eccodes.codes_release(handle)
    return message


def encoded(*parameters, **keys):
    """In a process of its own, since ecCodes aborts at some numbers of bits; None then."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, 2)
        with os.fdopen(writing, "wb") as file:
            file.write(pickle.dumps(encode(*parameters, **keys)))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        data = file.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else None


def packings():
    for rows, columns in SHAPES:
        array, mask = field(rows, columns), some(rows, columns)
        for packing in ["grid_simple", "grid_complex", "grid_jpeg", "grid_png", "grid_ccsds"]:
            for bits in [1, 4, 7, 8, 12, 16, 20, 24, 25, 30, 32] if MANY else [4, 8, 12, 24]:
                for missing in [None, mask] if MANY or bits == 12 else [None]:
                    if packing == "grid_jpeg" and bits > 25:
                        continue
                    message = encoded(array, packing, bits, missing)
                    if message is None:
                        continue
                    case = f"{packing}-{rows}-{bits}" + ("" if missing is None else "-bitmap")
                    emit(case, message, array.shape, "float32" if bits == 8 else "float64")
        emit(f"grid_ieee-{rows}", encoded(array, "grid_ieee", None), array.shape)
        emit(f"constant-{rows}", encoded(array * 0 + 3.7, "grid_simple", 12), array.shape)
        emit(f"constant-{rows}-decimals", encoded(array * 0 + 3.7, "grid_simple", 12, decimalScaleFactor=2), array.shape)
        emit(f"constant-{rows}-bitmap", encoded(array * 0 + 3.7, "grid_simple", 12, mask), array.shape)


def gdal():
    rows, columns = SHAPES[-1]
    array = field(rows, columns).astype("f4")
    holes = np.where(some(rows, columns), -9999, array).astype("f4")
    with tempfile.TemporaryDirectory() as folder:
        for order in (0, 1, 2):
            for nodata, content in ((None, array), (-9999, holes)):
                for bits in (6, 12, 16, 24) if MANY else (12,):
                    path = f"{folder}/a.tif"
                    profile = {"count": 1, "dtype": "float32", "crs": "EPSG:4326", "nodata": nodata}
                    place = from_origin(0, 60, 1, 1)
                    with rasterio.open(path, "w", "GTiff", columns, rows, transform=place, **profile) as file:
                        file.write(content, 1)
                    options = ["DATA_ENCODING=COMPLEX_PACKING", f"SPATIAL_DIFFERENCING_ORDER={order}", f"NBITS={bits}"]
                    options = [word for option in options for word in ("-co", option)]
                    subprocess.run(["gdal_translate", "-q", "-of", "GRIB", *options, path, f"{folder}/a.grb2"], check=True)
                    with open(f"{folder}/a.grb2", "rb") as file:
                        emit(f"gdal-{order}-{bits}-{nodata}", file.read(), array.shape)


def scanning():
    """Directions and orders of points, and gribberish's options."""
    array = field(4, 6)
    for name, flags, stored in [
        ("columns", 0x20, array.T),
        ("alternating", 0x10, np.array([row[::-1] if i % 2 else row for i, row in enumerate(array)])),
        ("alternating-columns", 0x30, np.array([row[::-1] if i % 2 else row for i, row in enumerate(array.T)])),
        ("north", 0x40, array),
        ("west", 0x80, array),
    ]:
        message = bytearray(encode(stored.reshape(array.shape), "grid_simple", 16))
        plain = values(bytes(message)).reshape(stored.shape)
        section = 16 + int.from_bytes(message[16:20], "big")
        while message[section + 4] != 3:
            section += int.from_bytes(message[section : section + 4], "big")
        message[section + 71] = flags
        straight = plain
        if flags & 0x10:
            straight = np.array([row[::-1] if i % 2 else row for i, row in enumerate(plain)])
        straight = straight.T if flags & 0x20 else straight
        emit(f"scan-{name}", bytes(message), array.shape, expected=straight.ravel())
        if name == "north":
            codec = {"name": "gribberish", "configuration": {"var": "t", "north_up": True}}
            emit("gribberish-north", bytes(message), array.shape, codec=codec, expected=straight[::-1].ravel())
    around = field(3, 12)
    keys = {"longitudeOfLastGridPointInDegrees": 330, "iDirectionIncrementInDegrees": 30}
    message = encode(around, "grid_simple", 16, None, **keys)
    codec = {"name": "gribberish", "configuration": {"var": "t", "adjust_longitude_range": True}}
    turned = np.roll(values(message).reshape(3, 12), -6, axis=1)
    emit("gribberish-turned", message, (3, 12), codec=codec, expected=turned.ravel())
    codec = {"name": "gribberish", "configuration": {"var": "longitude", "adjust_longitude_range": True}}
    emit("gribberish-longitude", message, (12,), codec=codec, expected=np.arange(-180, 180, 30.0))
    codec = {"name": "gribberish", "configuration": {"var": "latitude"}}
    emit("gribberish-latitude", message, (3,), codec=codec, expected=np.array([60.0, 59, 58]))


def lambert():
    """The coordinates of HRRR's grid, with larger steps; ecCodes computes the expected ones."""
    rows, columns = 6, 8
    handle = eccodes.codes_grib_new_from_samples("GRIB2")
    eccodes.codes_set(handle, "gridDefinitionTemplateNumber", 30)
    for key, value in {
        "shapeOfTheEarth": 6,
        "Nx": columns,
        "Ny": rows,
        "latitudeOfFirstGridPoint": 21138123,
        "longitudeOfFirstGridPoint": 237280472,
        "LaD": 38500000,
        "LoV": 262500000,
        "Dx": 300000000,
        "Dy": 300000000,
        "Latin1": 38500000,
        "Latin2": 38500000,
        "jScansPositively": 1,
    }.items():
        eccodes.codes_set(handle, key, value)
    eccodes.codes_set_values(handle, field(rows, columns).ravel())
    message = eccodes.codes_get_message(handle)
    longitudes = eccodes.codes_get_array(handle, "longitudes")
    for name, expected in {
        "latitude": eccodes.codes_get_array(handle, "latitudes"),
        "longitude": np.where(longitudes > 180, longitudes - 360, longitudes),
    }.items():
        codec = {"name": "gribberish", "configuration": {"var": name}}
        emit(f"gribberish-lambert-{name}", message, (rows, columns), "float32", codec, expected)


packings()
gdal()
scanning()
lambert()
