"""Writes HDF5 files with every index of chunks, layout and filter, and the values as h5py reads them.

usage: hdf5_chunks.py OUT
"""

import base64
import ctypes
import glob
import itertools
import json
import os
import struct
import sys

plugins = glob.glob("/usr/lib/*/hdf5/serial/plugins")
os.environ.setdefault("HDF5_PLUGIN_PATH", ":".join(plugins))

import h5py
import numpy
from h5py import h5d, h5p, h5s, h5t, h5z

out = sys.argv[1]
lines = []
rng = numpy.random.default_rng(8)
hdf5 = ctypes.CDLL("libhdf5_serial.so.103")
zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_compress.restype = ctypes.c_size_t
unlimited = h5s.UNLIMITED


def place(name):
    return os.path.join(out, name)


def expect(file, path, values, **more):
    """Adds a line for an array with values that its reader has returned."""
    line = {"file": os.path.basename(file.filename), "path": path, "kind": "array", "shape": list(values.shape), **more}
    if values.dtype.kind == "O":
        line["strings"] = [value.decode() if isinstance(value, bytes) else value for value in values.ravel()]
    else:
        elements = values.astype(values.dtype.newbyteorder("<")).tobytes()
        if len(elements) <= 512:
            line["values"] = f"base64:{base64.b64encode(elements).decode()}"
        else:
            line["values"] = f"{line['file']}.{path.replace('/', '.')}.bin"
            with open(place(line["values"]), "wb") as target:
                target.write(elements)
    lines.append(line)


def refuse(file, path, error, message):
    lines.append({"file": os.path.basename(file.filename), "path": path, "error": error, "message": message})


def check(file, path):
    """Adds a line for an array as h5py reads it."""
    expect(file, path, numpy.asarray(file[path][...]))


def smooth(dtype, shape):
    """Values that compress."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape))
    values = numpy.cumsum(rng.integers(0, 3, count)) % 100
    return (values / 4 if dtype.kind == "f" else values).astype(dtype).reshape(shape)


def noise(dtype, shape):
    dtype = numpy.dtype(dtype)
    values = numpy.frombuffer(rng.bytes(int(numpy.prod(shape)) * dtype.itemsize), dtype).reshape(shape)
    return numpy.nan_to_num(values) if dtype.kind == "f" else values


def create(file, path, data, chunk, setup=None, maxshape=None, early=False, write=True, fill=None):
    """Creates a dataset through the property list, which offers more than keyword arguments."""
    plist = h5p.create(h5p.DATASET_CREATE)
    if chunk is not None:
        plist.set_chunk(chunk)
    if early:
        plist.set_alloc_time(h5d.ALLOC_TIME_EARLY)
    if fill is not None:
        plist.set_fill_value(numpy.array(fill, data.dtype))
    if setup:
        setup(plist)
    limits = tuple(unlimited if n is None else n for n in maxshape or data.shape)
    space = h5s.create_simple(data.shape, limits)
    links = h5p.create(h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    dataset = h5d.create(file.id, path.encode(), h5t.py_create(data.dtype), space, plist, links)
    if write:
        dataset.write(h5s.ALL, h5s.ALL, numpy.ascontiguousarray(data))
    return h5py.Dataset(dataset)


def filters(*steps):
    def setup(plist):
        for id, values in steps:
            plist.set_filter(id, h5z.FLAG_OPTIONAL if id in (32000, 32001) else h5z.FLAG_MANDATORY, values)

    return setup


def deflate(level=4):
    return (1, (level,))


def shuffle(item):
    return (2, (item,))


fletcher = (3, ())
lzf = (32000, (4, 261, 0))


def nbit(plist):
    assert hdf5.H5Pset_nbit(ctypes.c_int64(plist.id)) >= 0


def plain_edges(plist):
    """Leaves chunks unfiltered that the edge of the array cuts."""
    assert hdf5.H5Pset_chunk_opts(ctypes.c_int64(plist.id), ctypes.c_uint(2)) >= 0


def both(*setups):
    def setup(plist):
        for each in setups:
            each(plist)

    return setup


pipelines = {
    "none": lambda item: None,
    "deflate": lambda item: filters(deflate()),
    "shuffle-deflate": lambda item: filters(shuffle(item), deflate()),
    "fletcher32": lambda item: filters(fletcher),
    "all": lambda item: filters(shuffle(item), deflate(9), fletcher),
    "fletcher32-deflate": lambda item: filters(fletcher, deflate()),
    "twice": lambda item: filters(deflate(), deflate()),
    "shuffle-last": lambda item: filters(deflate(), shuffle(item)),
}

# Name, shape, limits of the shape, chunk, early allocation: each has another index if written by "latest".
indexes = {
    "single": ((5, 7), None, (5, 7), False),
    "implicit": ((5, 7), None, (2, 3), True),
    "fixed": ((5, 7), None, (2, 3), False),
    "fixed-reserve": ((5, 7), (9, 20), (2, 3), False),
    "extensible": ((5, 7), (None, 9), (2, 3), False),
    "extensible-second": ((5, 7), (6, None), (2, 3), False),
    "tree": ((5, 7), (None, None), (2, 3), False),
}


def every_index(name, **options):
    """Every index with every pipeline, in all sizes and byte orders."""
    types = itertools.cycle(["<i2", ">f8", "<f4", ">i4", "u1", ">u2", "<i8", "<f8", ">f4"])
    with h5py.File(place(name), "w", **options) as file:
        for index, (shape, limits, chunk, early) in indexes.items():
            for pipeline, of in pipelines.items():
                data = smooth(next(types), shape)
                create(file, f"{index}/{pipeline}", data, chunk, of(data.dtype.itemsize), limits, early)
                check(file, f"{index}/{pipeline}")
            data = smooth("<i4", shape)
            dataset = create(file, f"{index}/sparse", data, chunk, None, limits, early, write=False, fill=-7)
            dataset[3:, 5:] = data[3:, 5:]
            check(file, f"{index}/sparse")
            create(file, f"{index}/empty", data, chunk, filters(deflate()), limits, early, write=False, fill=9)
            check(file, f"{index}/empty")


def resized(name, **options):
    with h5py.File(place(name), "w", **options) as file:
        for index, limits in {"extensible": (None, 12), "second": (12, None), "tree": (None, None)}.items():
            for pipeline in ["none", "all"]:
                path = f"{index}-{pipeline}"
                data = smooth("<i4", (12, 12))
                dataset = create(file, path, data, (5, 4), pipelines[pipeline](4), limits)
                if limits[0] is None:
                    dataset.resize((7, 12))
                    dataset.resize((41, 12))
                    dataset[30:] = smooth("<i4", (11, 12))
                else:
                    dataset.resize((12, 7))
                    dataset.resize((12, 41))
                    dataset[:, 30:] = smooth("<i4", (12, 11))
                check(file, path)
        dataset = create(file, "shrunk", smooth("<i2", (20, 20)), (3, 3), None, (20, 20))
        dataset.resize((4, 20))
        check(file, "shrunk")


def many_chunks(name, **options):
    """Indexes in pages and of several levels."""
    with h5py.File(place(name), "w", **options) as file:
        for pipeline in [None, filters(shuffle(2), deflate(1))]:
            suffix = "filtered" if pipeline else "plain"
            create(file, f"fixed-{suffix}", smooth("<i2", (2500,)), (1,), pipeline)
            create(file, f"extensible-{suffix}", smooth("<i2", (4000,)), (1,), pipeline, (None,))
            create(file, f"tree-{suffix}", smooth("<i2", (70, 60)), (1, 1), pipeline, (None, None))
            dataset = create(file, f"fixed-sparse-{suffix}", smooth("<i2", (9000,)), (1,), pipeline, write=False)
            dataset[3000:3010] = 5
            dataset[8999] = 6
            sparse = create(file, f"extensible-sparse-{suffix}", smooth("<i2", (9000,)), (1,), pipeline, (None,), write=False)
            sparse[3:2000:400] = 5
            sparse[8000:8003] = 6
        for path in list(file):
            check(file, path)


def pages_of_extensible_arrays(name):
    """Only arrays of more than 2¹⁶ chunks have pages."""
    with h5py.File(place(name), "w", libver="latest") as file:
        for pipeline in [None, filters(deflate(1))]:
            path = "filtered" if pipeline else "plain"
            dataset = create(file, path, numpy.zeros(140_000, "<i2"), (1,), pipeline, (None,), write=False, fill=3)
            for start in [0, 15, 16, 66_000, 70_000, 131_070, 139_990]:
                dataset[start : start + 10] = smooth("<i2", (10,))
            check(file, path)


def every_filter(name, **options):
    """Filters beside those of every index."""
    shape, chunk = (50, 70), (20, 30)
    with h5py.File(place(name), "w", **options) as file:

        def add(path, data, setup):
            create(file, path, data, chunk, setup)
            check(file, path)

        for dtype in ["u1", "<i2", ">i4", "<f4", ">f8"]:
            item = numpy.dtype(dtype).itemsize
            add(f"lzf/{dtype}", smooth(dtype, shape), filters(lzf))
            add(f"lzf-shuffle/{dtype}", smooth(dtype, shape), filters(shuffle(item), lzf, fletcher))
            add(f"lzf-noise/{dtype}", noise(dtype, shape), filters(lzf, fletcher))
            add(f"bzip2/{dtype}", smooth(dtype, shape), filters((307, (9,))))
            add(f"lz4/{dtype}", smooth(dtype, shape), filters((32004, (0,))))
            add(f"lz4-noise/{dtype}", noise(dtype, shape), filters((32004, (1000,)), fletcher))
            for compressor, shuffled in [(0, 1), (1, 2), (2, 0), (4, 1), (5, 2)]:
                values = (2, 2, item, 0, 5, shuffled, compressor)
                add(f"blosc-{compressor}/{dtype}", smooth(dtype, shape), filters((32001, values)))
            add(f"szip-nn/{dtype}", smooth(dtype, shape), lambda plist: plist.set_szip(h5z.SZIP_NN_OPTION_MASK, 8))
            add(f"szip-ec/{dtype}", smooth(dtype, shape), lambda plist: plist.set_szip(h5z.SZIP_EC_OPTION_MASK, 32))
            add(f"szip-noise/{dtype}", noise(dtype, shape), lambda plist: plist.set_szip(h5z.SZIP_NN_OPTION_MASK, 16))
            for compressor in [0, 2]:
                setup = filters((32008, (0, compressor)))
                add(f"bitshuffle-{compressor}/{dtype}", smooth(dtype, shape), setup)
            add(f"nbit/{dtype}", smooth(dtype, shape), nbit)
            add(f"nbit-deflate/{dtype}", smooth(dtype, shape), both(nbit, filters(deflate())))
        for dtype in ["u1", "<i2", ">i4", "<u4", "<i8", ">u8"]:
            add(f"scaleoffset/{dtype}", smooth(dtype, shape), lambda plist: plist.set_scaleoffset(h5z.SO_INT, 0))
            add(f"scaleoffset-bits/{dtype}", smooth(dtype, shape), lambda plist: plist.set_scaleoffset(h5z.SO_INT, 7))
        for dtype in ["<f4", ">f4", "<f8", ">f8"]:
            for digits in [0, 2, 5]:
                setup = lambda plist: plist.set_scaleoffset(h5z.SO_FLOAT_DSCALE, digits)
                add(f"scaleoffset-{digits}/{dtype}", smooth(dtype, shape), setup)
        packed(file)
        zfp(file)
        zstandard(file)
        unknown(file)


def packed(file):
    """Integers of which nbit stores some bits only."""
    for base, precision, offset in itertools.product(
        [h5t.STD_I16LE, h5t.STD_U16BE, h5t.STD_I32BE, h5t.STD_U8LE, h5t.STD_I64LE], [5, 12, 30], [0, 2]
    ):
        if precision + offset > 8 * base.get_size() or precision == 12 and base.get_size() == 8:
            continue
        stored = base.copy()
        stored.set_precision(precision)
        stored.set_offset(offset)
        plist = h5p.create(h5p.DATASET_CREATE)
        plist.set_chunk((8, 8))
        nbit(plist)
        is_signed = stored.get_sign() == h5t.SGN_2
        plist.set_fill_value(numpy.array(-3 if is_signed else 3, "i8"))
        sign = "i" if is_signed else "u"
        path = f"packed-{sign}{8 * base.get_size()}-{stored.get_order()}-{precision}-{offset}"
        dataset = h5py.Dataset(h5d.create(file.id, path.encode(), stored, h5s.create_simple((20, 20)), plist))
        low = -(2 ** (precision - 1)) if is_signed else 0
        dataset[:10] = rng.integers(low, low + 2**precision, (10, 20))
        check(file, path)


def zfp(file):
    """Modes of H5Z-ZFP; its header omits lengths of 1."""
    double = lambda value: struct.unpack("<II", struct.pack("<d", value))
    modes = {
        "rate": (1, 0, *double(9)),
        "precision": (2, 0, 20),
        "accuracy": (3, 0, *double(0.01)),
        "expert": (4, 0, 1, 4000, 40, 2**32 - 20),
        "reversible": (5, 0),
    }
    for mode, values in modes.items():
        for dtype in ["<f4", "<f8", "<i4", "<i8"]:
            for path, shape, chunk in [("plane", (50, 70), (20, 30)), ("slices", (3, 30, 20), (1, 15, 20))]:
                path = f"zfp-{mode}/{dtype}/{path}"
                create(file, path, smooth(dtype, shape), chunk, filters((32013, values)))
                check(file, path)


def zstandard(file):
    """Debian has no plugin: the chunks are written as bytes."""
    for dtype in ["<i2", ">f8"]:
        data = smooth(dtype, (50, 64))
        path = f"zstd/{dtype}"
        setup = lambda plist: plist.set_filter(32015, h5z.FLAG_OPTIONAL, (3,))
        dataset = create(file, path, data, (25, 32), setup, write=False)
        for y, x in itertools.product([0, 25], [0, 32]):
            chunk = data[y : y + 25, x : x + 32].tobytes()
            room = ctypes.create_string_buffer(2 * len(chunk) + 100)
            size = zstd.ZSTD_compress(room, len(room), chunk, len(chunk), 3)
            dataset.id.write_direct_chunk((y, x), room.raw[:size])
        expect(file, path, data)


def unknown(file):
    for id, message in [(32026, "32026 (Blosc2)"), (32017, "32017 (SZ)"), (400, "400")]:
        setup = lambda plist: plist.set_filter(id, h5z.FLAG_OPTIONAL, ())
        create(file, f"unknown/{id}", smooth("<i4", (4,)), (2,), setup)
        refuse(file, f"unknown/{id}", "Unsupported", message)


def masks(name, **options):
    """Chunks to which some filters have not been applied."""
    with h5py.File(place(name), "w", **options) as file:
        for path, setup in {
            "deflate": filters(deflate()),
            "shuffle-deflate": filters(shuffle(4), deflate()),
            "fletcher32": filters(shuffle(4), deflate(), fletcher),
            "lzf": filters(shuffle(4), lzf),
            "szip": lambda plist: plist.set_szip(h5z.SZIP_NN_OPTION_MASK, 8),
            "bzip2": filters((307, (5,))),
        }.items():
            data = smooth("<i4", (20, 20))
            dataset = create(file, path, data, (10, 10), setup)
            raw = noise("<i4", (10, 10))
            dataset.id.write_direct_chunk((0, 10), raw.tobytes(), filter_mask=0xFFFFFFFF)
            if path == "shuffle-deflate":
                shuffled = raw.view("u1").reshape(-1, 4).T.tobytes()
                dataset.id.write_direct_chunk((10, 0), shuffled, filter_mask=2)
    # A file that has been open while it was written may be read with the masks of other chunks.
    with h5py.File(place(name)) as file:
        for path in list(file):
            check(file, path)


def edges(name):
    with h5py.File(place(name), "w", libver="latest") as file:
        for index, (shape, limits, chunk, early) in indexes.items():
            for pipeline in ["deflate", "all"]:
                path = f"{index}/{pipeline}"
                setup = both(pipelines[pipeline](4), plain_edges)
                create(file, path, smooth("<f4", shape), chunk, setup, limits)
                check(file, path)
        szip = both(lambda plist: plist.set_szip(h5z.SZIP_NN_OPTION_MASK, 8), plain_edges)
        create(file, "szip", smooth("<i2", (50, 50)), (20, 20), szip)
        check(file, "szip")


def filtered_heap(name):
    """A group whose links are in a compressed fractal heap."""
    with h5py.File(place(name), "w", libver="latest") as file:
        plist = h5p.create(h5p.GROUP_CREATE)
        assert hdf5.H5Pset_deflate(ctypes.c_int64(plist.id), 4) >= 0
        group = h5py.Group(h5py.h5g.create(file.id, b"group", gcpl=plist))
        for i in range(50):
            group[f"a{i}"] = i
        refuse(file, "group/a1", "Unsupported", "has filters")


def layouts(name, **options):
    with h5py.File(place(name), "w", **options) as file:
        for dtype in ["u1", "<i2", ">i4", "<f4", ">f8"]:
            for path, shape in {"scalar": (), "line": (13,), "box": (3, 4, 5)}.items():
                compact = lambda plist: plist.set_layout(h5d.COMPACT)
                if shape != ():
                    create(file, f"compact/{dtype}/{path}", smooth(dtype, shape), None, compact)
                    check(file, f"compact/{dtype}/{path}")
                file[f"contiguous/{dtype}/{path}"] = smooth(dtype, shape)
                check(file, f"contiguous/{dtype}/{path}")
        create(file, "late", smooth("<i4", (4, 5)), None, write=False, fill=42)
        check(file, "late")
        file["large"] = smooth("<i2", (9, 1000, 500))
        check(file, "large")
        file.create_dataset("none", shape=(0, 5), maxshape=(None, 5), chunks=(2, 2), dtype="i4")
        check(file, "none")
        file.create_dataset("wide", data=smooth("<i2", (3, 3)), chunks=(3, 1), maxshape=(None, None))
        check(file, "wide")
        file.create_dataset("larger", data=smooth("<i2", (3,)), chunks=(100,), maxshape=(None,), compression=1)
        check(file, "larger")


def variable(name, **options):
    text = h5py.string_dtype()
    words = ["", "a", "grüße", "温度 🌡", "x" * 5000, "tab\tnew\nline"]
    data = numpy.array([words[i % len(words)] + str(i) * (i % 3) for i in range(60)], object).reshape(6, 10)
    with h5py.File(place(name), "w", **options) as file:
        for path, keywords in {
            "contiguous": {},
            "chunked": {"chunks": (4, 4)},
            "deflate": {"chunks": (4, 4), "compression": 4, "shuffle": True},
            "unlimited": {"chunks": (4, 4), "maxshape": (None, None)},
            "ascii": {"dtype": h5py.string_dtype("ascii"), "data": numpy.array([b"a", b"", b"bcd"], object)},
        }.items():
            file.create_dataset(path, **{"data": data, "dtype": text, **keywords})
            check(file, path)
        file.create_dataset("scalar", data="only one", dtype=text)
        check_scalar(file, "scalar")
        file.create_dataset("null", shape=(5,), dtype=text)
        check(file, "null")
        sparse = file.create_dataset("sparse", shape=(9,), chunks=(2,), dtype=text)
        sparse[3] = "three"
        check(file, "sparse")
        filled = file.create_dataset("filled", shape=(9,), chunks=(2,), dtype=text, fillvalue="none")
        filled[5] = "five"
        check(file, "filled")
        many = file.create_dataset("many", data=[f"value {i}" for i in range(20_000)], chunks=(3000,), dtype=text)
        check(file, many.name[1:])
        numbers = file.create_dataset("numbers", shape=(3,), dtype=h5py.vlen_dtype("f4"))
        numbers[1] = [1, 2]
        refuse(file, "numbers", "Unsupported", "variable length")


def check_scalar(file, path):
    expect(file, path, numpy.array(file[path][()], object))


def small(name, **options):
    """Something of everything: tests/golden/files/hdf5_chunks."""
    with h5py.File(place(name), "w", **options) as file:

        def add(path, data, chunk, *rest):
            create(file, path, data, chunk, *rest)
            check(file, path)

        is_latest = options["libver"] == "latest"
        for index, (shape, limits, chunk, early) in indexes.items():
            if not is_latest and index not in ["fixed-reserve", "tree"]:
                continue
            add(f"{index}/plain", smooth(">i2", shape), chunk, None, limits, early)
            add(f"{index}/filtered", smooth("<f4", shape), chunk, pipelines["all"](4), limits)
        for pipeline in ["fletcher32-deflate", "shuffle-last"]:
            add(pipeline, smooth("<i4", (5, 7)), (2, 3), pipelines[pipeline](4))
        for id, values in {
            **{307: (9,), 32000: (4, 261, 0), 32001: (2, 2, 2, 0, 5, 1, 5), 32004: (0,), 32008: (0, 2)},
            32013: (5, 0),
        }.items():
            add(f"filter-{id}", smooth("<i4", (12, 10)), (8, 8), filters((id, values)))
        add("szip", smooth("<i2", (12, 10)), (8, 8), lambda plist: plist.set_szip(h5z.SZIP_NN_OPTION_MASK, 8))
        add("szip-noise", noise("<i2", (12, 10)), (8, 8), lambda plist: plist.set_szip(h5z.SZIP_NN_OPTION_MASK, 8))
        add("lzf-noise", noise("<i2", (12, 10)), (8, 8), filters(lzf))
        add("nbit", smooth("<i4", (12, 10)), (8, 8), nbit)
        add("scaleoffset", smooth("<i4", (12, 10)), (8, 8), lambda plist: plist.set_scaleoffset(h5z.SO_INT, 0))
        count = 1200 if is_latest else 130
        pages = create(file, "pages", smooth("u1", (count,)), (1,), None, write=False, fill=7)
        pages[count - 100 : count - 50] = 5
        check(file, "pages")
        texts = ["", "a", "grüße", "tab\tnew\nline"]
        file.create_dataset("texts", data=texts, dtype=h5py.string_dtype(), chunks=(3,), compression=4)
        check(file, "texts")


for form, options in {"earliest": {"libver": "earliest"}, "latest": {"libver": "latest"}}.items():
    every_index(f"indexes-{form}.h5", **options)
    resized(f"resized-{form}.h5", **options)
    many_chunks(f"many-{form}.h5", **options)
    masks(f"masks-{form}.h5", **options)
    layouts(f"layouts-{form}.h5", **options)
    variable(f"variable-{form}.h5", **options)
    small(f"small-{form}.h5", **options)
every_index("user-block.h5", libver="latest", userblock_size=1024)
every_filter("filters.h5")
pages_of_extensible_arrays("pages.h5")
edges("edges.h5")
filtered_heap("heap.h5")

with open(place("expected.jsonl"), "w") as file:
    for line in lines:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
print(f"{len(lines)} cases")
