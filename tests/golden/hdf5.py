"""Writes hdf5.jsonl: chunks that HDF5's filters encoded, as Zarr v3 stores, and the SHA-256 of what libhdf5 reads.

/usr/bin/python3 tests/golden/hdf5.py > tests/golden/hdf5.jsonl
/usr/bin/python3 tests/golden/hdf5.py --many   # more and larger arrays, for comparisons that are not kept
Needs h5py, hdf5-plugin-lzf, hdf5-filter-plugin and bitshuffle; no lines are written for filters that are not installed.
"""

import base64
import ctypes
import hashlib
import json
import sys
import tempfile

import h5py
import numpy as np

MANY = "--many" in sys.argv
LZF, LZ4, BITSHUFFLE = 32000, 32004, 32008
SZIP, NBIT, SCALEOFFSET = 4, 5, 6
NAMES = {"i": "int", "u": "uint", "f": "float"}


def random_for(name):
    return np.random.default_rng(int(hashlib.sha256(name.encode()).hexdigest()[:8], 16))


def values(name, dtype, shape):
    """A noisy slope, with a run of equal values."""
    random = random_for(name)
    count = int(np.prod(shape))
    slope = np.arange(count) // 3 + random.integers(0, 9, count)
    slope[count // 2 : count // 2 + count // 8] = 7
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (slope / 8 + random.normal(0, 1, count)).astype(dtype).reshape(shape)
    if dtype.kind == "i":
        slope = slope - 50
    return slope.astype(np.int64).astype(dtype).reshape(shape)


libhdf5 = ctypes.CDLL("libhdf5_serial.so.103")
libhdf5.H5Pget_filter2.argtypes = [ctypes.c_int64, ctypes.c_uint, *[ctypes.c_void_p] * 3, ctypes.c_size_t, *[ctypes.c_void_p] * 2]


def parameters(dcpl):
    """Identifiers and parameters of the filters. (h5py returns at most 16 parameters.)"""
    found = []
    for i in range(dcpl.get_nfilters()):
        words, count = (ctypes.c_uint * 256)(), ctypes.c_size_t(256)
        flags, config = ctypes.c_uint(), ctypes.c_uint()
        name = ctypes.create_string_buffer(80)
        filter_id = libhdf5.H5Pget_filter2(
            dcpl.id, i, ctypes.byref(flags), ctypes.byref(count), words, 80, name, ctypes.byref(config)
        )
        found.append((filter_id, list(words[: count.value])))
    return found


def codec(filter_id, words):
    if filter_id == LZF:
        return {"name": "hdf5_lzf"}
    if filter_id == LZ4:
        return {"name": "hdf5_lz4"}
    if filter_id == BITSHUFFLE:
        # Two versions, the element size, then the user's block size and compressor.
        compressor = {0: "none", 2: "lz4", 3: "zstd"}[words[4] if len(words) > 4 else 0]
        block = words[3] if len(words) > 3 else 0
        return {
            "name": "hdf5_bitshuffle",
            "configuration": {"element_size": words[2], "block_size": block, "compressor": compressor},
        }
    if filter_id == SZIP:
        names = ["options_mask", "pixels_per_block", "bits_per_pixel", "pixels_per_scanline"]
        return {"name": "hdf5_szip", "configuration": dict(zip(names, words))}
    name = {NBIT: "hdf5_nbit", SCALEOFFSET: "hdf5_scaleoffset"}[filter_id]
    return {"name": name, "configuration": {"parms": list(words)}}


def v3_type(dtype):
    if dtype.kind == "V" and not dtype.names:
        return f"r{8 * dtype.itemsize}"
    return f"{NAMES[dtype.kind]}{8 * dtype.itemsize}"


def emit(name, dataset, result=None, raw=None):
    """Writes a line for a dataset of one chunk. `result` is nbit's option; raw: bytes of the file's type."""
    dcpl = dataset.id.get_create_plist()
    mask, data = dataset.id.read_direct_chunk((0,) * dataset.ndim)
    filters = parameters(dcpl)
    if mask == (1 << len(filters)) - 1 and len(filters) == 1:
        return  # stored without the filter
    assert mask == 0, name
    codecs = [codec(filter_id, words) for filter_id, words in filters]
    if result:
        codecs[0]["configuration"]["result"] = result
    if raw is not None:
        array = raw
        expected = raw.tobytes()
        dtype = raw.dtype
        endian = "little"
    else:
        array = dataset[...]
        expected = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        dtype = array.dtype
        endian = "big" if dtype.str[0] == ">" else "little"
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(array.shape),
        "data_type": v3_type(dtype),
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(array.shape)}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": [0] * dtype.itemsize if dtype.kind == "V" else 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": endian}}, *codecs],
    }
    key = "/".join(["c", *["0"] * array.ndim])
    line = {
        "name": f"hdf5/{name}",
        "writer": f"libhdf5 {h5py.version.hdf5_version}",
        "shape": list(array.shape),
        "dtype": dtype.newbyteorder("<").str,
        "store": {"zarr.json": json.dumps(metadata), key: {"b64": base64.b64encode(data).decode()}},
        "path": "",
        "sha256": hashlib.sha256(expected).hexdigest(),
    }
    print(json.dumps(line))


def dataset(file, name, array, set_filter, fill=None, type_id=None):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_chunk(array.shape)
    set_filter(dcpl)
    if fill is not None:
        dcpl.set_fill_value(np.array(fill, array.dtype))
    space = h5py.h5s.create_simple(array.shape)
    type_id = type_id or h5py.h5t.py_create(array.dtype)
    created = h5py.Dataset(h5py.h5d.create(file.id, name.encode(), type_id, space, dcpl))
    created[...] = array
    file.flush()
    return created


def by_id(filter_id, *options):
    return lambda dcpl: dcpl.set_filter(filter_id, h5py.h5z.FLAG_OPTIONAL, options)


def compressors(file):
    shape = (300, 70) if MANY else (23, 31)
    types = ["u1", "<i2", ">i2", "<i4", "<f4", "<f8", ">f8", "<u8"]
    for dtype in types:
        for name, filter_id, options in [
            ("lzf", LZF, ()),
            ("lz4", LZ4, ()),
            ("lz4-blocks", LZ4, (1000,)),
            ("bitshuffle", BITSHUFFLE, ()),
            ("bitshuffle-lz4", BITSHUFFLE, (0, 2)),
            ("bitshuffle-lz4-blocks", BITSHUFFLE, (64, 2)),
        ]:
            if not h5py.h5z.filter_avail(filter_id) or (not MANY and dtype not in ("<i2", ">i4")):
                continue
            case = f"{name}-{dtype}"
            emit(case, dataset(file, case, values(case, dtype, shape), by_id(filter_id, *options)))


def scaleoffset(file):
    shape = (300, 71) if MANY else (11, 17)
    whole = ["i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8"]
    for dtype in whole:
        for bits in (0, 7, 8 * np.dtype(dtype).itemsize):
            for fill in (None, 7):
                case = f"scaleoffset-{dtype}-{bits}-{fill}"
                if not MANY and (bits, fill) not in ((0, 7), (7, None)):
                    continue
                array = values(case, dtype, shape)
                emit(case, dataset(file, case, array, lambda p: p.set_scaleoffset(h5py.h5z.SO_INT, bits), fill))
    wide = np.array([[-(2**62), 5, 2**62 - 9, 0, 2**40]], "<i8")
    emit("scaleoffset-wide", dataset(file, "sw", wide, lambda p: p.set_scaleoffset(h5py.h5z.SO_INT, 0), 5))
    middle = (np.arange(40, dtype="<i8") ** 2 << 30).reshape(4, 10)
    emit("scaleoffset-40-bits", dataset(file, "sm", middle, lambda p: p.set_scaleoffset(h5py.h5z.SO_INT, 0), 5))
    full = np.array([[-(2**63), 2**63 - 1, 1]], ">i8")
    emit("scaleoffset-full", dataset(file, "sf", full, lambda p: p.set_scaleoffset(h5py.h5z.SO_INT, 0), 5))
    for dtype in ["<f4", ">f4", "<f8", ">f8"]:
        for digits in (0, 2, 3, 6):
            for fill in (None, -999.5):
                case = f"scaleoffset-{dtype}-{digits}-{fill}"
                if not MANY and (digits, fill) not in ((2, -999.5), (3, None)):
                    continue
                array = values(case, dtype, shape)
                array[1] = -999.5 if fill else array[0]
                scale = lambda p: p.set_scaleoffset(h5py.h5z.SO_FLOAT_DSCALE, digits)
                emit(case, dataset(file, case, array, scale, fill))
    same = np.full((5, 9), 3.25, "<f8")
    emit("scaleoffset-same", dataset(file, "ss", same, lambda p: p.set_scaleoffset(h5py.h5z.SO_FLOAT_DSCALE, 2)))


def integer(dtype, bits, first):
    made = h5py.h5t.py_create(np.dtype(dtype)).copy()
    made.set_precision(bits)
    made.set_offset(first)
    return made


def set_nbit(dcpl):
    dcpl.set_filter(NBIT, h5py.h5z.FLAG_MANDATORY, ())


def nbit(file):
    shape = (300, 71) if MANY else (11, 17)
    for dtype, bits, first in [
        ("u1", 5, 1), ("i1", 7, 0), ("<i2", 12, 4), (">i2", 11, 0), ("<u2", 9, 3), ("<i4", 17, 5), (">u4", 23, 9),
        (">i4", 31, 1), ("<i8", 33, 7), (">i8", 62, 2), ("<u8", 20, 30),
    ]:
        case = f"nbit-{dtype}-{bits}-{first}"
        dtype = np.dtype(dtype)
        limit = 2 ** (bits - 1) - 1
        array = np.clip(values(case, dtype, shape), -limit if dtype.kind == "i" else 0, limit).astype(dtype)
        created = dataset(file, case, array, set_nbit, type_id=integer(dtype, bits, first))
        assert np.array_equal(created[...], array), case
        emit(case, created, "signed" if dtype.kind == "i" else "unsigned")
    emit("nbit-plain", dataset(file, "nbit-plain", values("nbit-plain", "<i4", shape), set_nbit))


def nbit_compound(file):
    """The bytes of the file's type, of which only the significant bits are stored."""
    count = 40
    member = np.dtype([("a", "<i2"), ("b", ">u4"), ("s", "S3"), ("c", "<i4", (2, 3))])
    made = h5py.h5t.create(h5py.h5t.COMPOUND, 40)
    made.insert(b"a", 0, integer("<i2", 10, 3))
    made.insert(b"b", 4, integer(">u4", 21, 0))
    made.insert(b"s", 9, h5py.h5t.py_create(np.dtype("S3")))
    made.insert(b"c", 12, h5py.h5t.array_create(integer("<i4", 13, 2), (2, 3)))
    array = np.zeros(count, member)
    random = random_for("compound")
    array["a"], array["b"] = random.integers(-400, 400, count), random.integers(0, 2**21, count)
    array["s"], array["c"] = b"xyz", random.integers(-4000, 4000, (count, 2, 3))
    created = dataset(file, "nbit-compound", array, set_nbit, type_id=made)
    raw = np.zeros((count, 40), "u1")
    for i, row in enumerate(array):
        raw[i, 0:2] = np.frombuffer(np.array((int(row["a"]) & 1023) << 3, "<u2").tobytes(), "u1")
        raw[i, 4:8] = np.frombuffer(np.array(row["b"], ">u4").tobytes(), "u1")
        raw[i, 9:12] = np.frombuffer(b"xyz", "u1")
        bits = (row["c"].astype("<i8").ravel() & 8191) << 2
        raw[i, 12:36] = np.frombuffer(bits.astype("<u4").tobytes(), "u1")
    emit("nbit-compound", created, raw=raw.view("V40").reshape(count))


def szip(file):
    entropy, nearest = h5py.h5z.SZIP_EC_OPTION_MASK, h5py.h5z.SZIP_NN_OPTION_MASK
    shapes = [(300, 71), (13, 100), (40, 3), (1, 5000), (64, 64)] if MANY else [(11, 37)]
    for dtype in ["u1", "i1", "<i2", ">i2", "<i4", ">i4", "<f4", ">f4", "<f8", ">f8", "<u8"]:
        for option, mask in (("ec", entropy), ("nn", nearest)):
            for pixels in (8, 32) if MANY else (16,):
                for shape in shapes:
                    case = f"szip-{dtype}-{option}-{pixels}-{shape[0]}x{shape[1]}"
                    array = values(case, dtype, shape)
                    emit(case, dataset(file, case, array, lambda p: p.set_szip(mask, pixels)))
    for dtype, bits in (("<i2", 12), ("<i4", 20), (">i4", 24), (">u4", 18), ("<u2", 10)):
        case = f"szip-{dtype}-of-{bits}"
        array = np.abs(values(case, dtype, shapes[0])) % 2 ** (bits - 1)
        created = dataset(file, case, array, lambda p: p.set_szip(nearest, 16), type_id=integer(dtype, bits, 0))
        if np.array_equal(created[...], array):
            emit(case, created)


with tempfile.TemporaryDirectory() as folder:
    with h5py.File(f"{folder}/filters.h5", "w") as file:
        for write in (compressors, scaleoffset, nbit, nbit_compound, szip):
            write(file)
