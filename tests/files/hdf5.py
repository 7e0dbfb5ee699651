"""Writes HDF5 files of every structure, and lists what h5py reads in them.

    hdf5.py OUT             writes the files
    hdf5.py OUT FILE...     describes other files: they are copied to OUT
"""
import json
import os
import shutil
import sys

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "shared"))
from hdf5_reading import Writer, describe, run  # noqa: E402

# ---- Files

WRITERS = []


def file(function):
    WRITERS.append(function)
    return function


VERSIONS = [("earliest", ("earliest", "v108")), ("latest", ("latest", "latest"))]
INTEGERS = [f"{order}{kind}{size}" for order in "<>" for kind in "iu" for size in (1, 2, 4, 8)]
FLOATS = [f"{order}{kind}" for order in "<>" for kind in ("f2", "f4", "f8", "c8", "c16")]


def example(dtype, shape):
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    rng = np.random.default_rng(count + dtype.itemsize)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, count, dtype=dtype.newbyteorder("="), endpoint=True)
    elif dtype.kind == "c":
        values = rng.normal(size=count) + 1j * rng.normal(size=count)
    else:
        values = rng.normal(size=count)
        values[:3] = [np.nan, np.inf, -0.0]
    return values.reshape(shape).astype(dtype)


@file
def numbers(new):
    for name, libver in VERSIONS:
        with new(f"numbers-{name}.h5", libver=libver) as f:
            for dtype in INTEGERS + FLOATS:
                label = dtype.replace("<", "little-").replace(">", "big-")
                f.create_dataset(f"contiguous/{label}", data=example(dtype, (3, 4)))
                f.create_dataset(f"chunked/{label}", data=example(dtype, (5, 4)), chunks=(2, 3))
                compact(f, f"compact/{label}", example(dtype, (2, 2)))
            f["bool"] = np.array([True, False, True])
            f.create_dataset("long double", data=np.zeros(3, np.longdouble))
            odd_float(f)


def compact(f, path, data):
    group = f.require_group(os.path.dirname(path))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    h5type = h5py.h5t.py_create(data.dtype, logical=True)
    space = h5py.h5s.create_simple(data.shape)
    name = os.path.basename(path).encode()
    h5py.h5d.create(group.id, name, h5type, space, plist).write(h5py.h5s.ALL, h5py.h5s.ALL, data)


def odd_float(f):
    """bfloat16, and integers with bits to spare."""
    bfloat = h5py.h5t.IEEE_F32LE.copy()
    bfloat.set_fields(15, 7, 8, 0, 7)
    bfloat.set_size(2)
    bfloat.set_ebias(127)
    space = h5py.h5s.create_simple((4,))
    dataset = h5py.h5d.create(f.id, b"bfloat16", bfloat, space)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, -2.5, 0, 3.140625], "<f4"))
    narrow = h5py.h5t.STD_U16LE.copy()
    narrow.set_precision(12)
    h5py.h5d.create(f.id, b"uint12", narrow, space).write(
        h5py.h5s.ALL, h5py.h5s.ALL, np.array([0, 1, 4095, 77], "<u2")
    )
    signed = h5py.h5t.STD_I16LE.copy()
    signed.set_precision(12)
    h5py.h5d.create(f.id, b"int12", signed, space)
    three = h5py.h5t.STD_I32LE.copy()
    three.set_precision(24)
    three.set_size(3)
    h5py.h5d.create(f.id, b"int24", three, space)
    h5py.h5d.create(f.id, b"bits", h5py.h5t.STD_B16BE, space).write(
        h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, 2, 3, 65535], ">u2"), h5py.h5t.STD_B16BE
    )


def odd_cases(writer, name):
    """Types that h5py reads in another form."""
    raw = np.array([0x3F80, 0xC020, 0, 0x4049], "<u2").tobytes()
    writer.add(name, "bfloat16", kind="array", data_type="bfloat16", shape=[4], values=writer.bytes(raw))
    for odd in ("int12", "int24"):
        writer.add(name, odd, error="Unsupported", message="integers of")


ODD = {"bfloat16", "int12", "int24"}


@file
def other_types(new):
    for name, libver in VERSIONS:
        with new(f"types-{name}.h5", libver=libver) as f:
            f["opaque"] = np.array([b"abc", b"de\0"], "V3").astype("V3")
            f["enum"] = np.array([0, 2, 1], h5py.enum_dtype({"RED": 0, "GREEN": 1, "deep blue": 2}, "<i2"))
            f["enum big"] = np.array([5, 6], h5py.enum_dtype({"A": 5, "B": 6}, ">u4"))
            f["strings"] = np.array(["a", "", "ünïcödé", "x" * 300], object)
            f.create_dataset("ascii", data=[b"one", b"two"], dtype=h5py.string_dtype("ascii"))
            f["fixed"] = np.array([b"abc", b"d", b""], "S5")
            f.create_dataset("utf8", data=["é".encode(), b"ab"], dtype=h5py.string_dtype("utf-8", 4))
            padded(f, b"space padded", h5py.h5t.STR_SPACEPAD)
            padded(f, b"terminated", h5py.h5t.STR_NULLTERM)
            f["point"] = np.array([(1, 2.5), (-1, np.inf)], [("x", "<i4"), ("y", "<f8")])
            f["point big"] = np.array([(1, 2.5), (-1, np.inf)], [("x", ">i4"), ("y", ">f8")])
            f["mixed"] = np.zeros(2, [("x", ">i4"), ("y", "<f8")])
            aligned = np.zeros(3, np.dtype([("a", "i1"), ("b", "<f8"), ("c", "<i2")], align=True))
            aligned["b"] = [1, 2, 3]
            f["aligned"] = aligned
            f["nested"] = np.zeros(2, [("p", [("x", "<f4"), ("y", "<f4")]), ("name", "S4"), ("ok", "?")])
            f["with array"] = np.ones(2, [("v", "<f4", (3,)), ("m", "<i2", (2, 2))])
            f["with string"] = np.array([("a", 1)], [("s", h5py.string_dtype()), ("n", "<i4")])
            f.create_dataset("array type", (2,), np.dtype(("<i4", (3, 2))))[...] = np.arange(12).reshape(2, 3, 2)
            f.create_dataset("ragged", (2,), h5py.vlen_dtype("<i4"))
            f.create_dataset("blobs", (2,), h5py.vlen_dtype("u1"))
            f.create_dataset("reference", data=f["point"].ref, dtype=h5py.ref_dtype)
            f.create_dataset("region", data=f["point"].regionref[:1], dtype=h5py.regionref_dtype)
            f["time"] = np.array(["2020-01-01", "NaT"], "M8[ns]").astype(h5py.opaque_dtype("M8[ns]"))
            f["days"] = np.array([1, -5], "m8[D]").astype(h5py.opaque_dtype("m8[D]"))
            f["committed"] = np.dtype("<i2")
            f.create_dataset("of committed", data=[1, 2], dtype=f["committed"])
            space = h5py.h5s.create_simple((2,))
            h5py.h5d.create(f.id, b"unix time", h5py.h5t.UNIX_D32LE, space)


def padded(f, name, padding):
    h5type = h5py.h5t.C_S1.copy()
    h5type.set_size(6)
    h5type.set_strpad(padding)
    space = h5py.h5s.create_simple((3,))
    data = np.array([b"ab", b"cd ef", b""], "S6")
    h5py.h5d.create(f.id, name, h5type, space).write(h5py.h5s.ALL, h5py.h5s.ALL, data)


@file
def spaces(new):
    for name, libver in VERSIONS:
        with new(f"spaces-{name}.h5", libver=libver) as f:
            f["scalar"] = 5.5
            f["scalar string"] = "one"
            f["null"] = h5py.Empty("<f4")
            f.create_dataset("none", (0, 3), "<i2")
            f.create_dataset("none chunked", (0, 3), "<i2", chunks=(2, 2), maxshape=(None, 3))
            f.create_dataset("growing", data=np.arange(10, dtype="<i4"), chunks=(4,), maxshape=(None,))
            for rank in (1, 2, 3, 5, 8, 12):
                f.create_dataset(f"rank {rank}", data=np.arange(2**rank, dtype="<i2").reshape((2,) * rank))
            f.create_dataset("large", data=np.arange(3 * 10**6, dtype="<i4").reshape(300, 10000))


@file
def fills(new):
    for name, libver in VERSIONS:
        with new(f"fills-{name}.h5", libver=libver) as f:
            for dtype in ("<i2", ">i2", "<f4", ">f8", "<u8", "?"):
                label = dtype.replace("<", "little-").replace(">", "big-")
                f.create_dataset(f"user {label}", (4, 4), dtype, chunks=(2, 2), fillvalue=1)
                f.create_dataset(f"default {label}", (4, 4), dtype, chunks=(2, 2))
                f.create_dataset(f"contiguous {label}", (4, 4), dtype, fillvalue=1)
            partly = f.create_dataset("partly", (5, 5), "<f8", chunks=(2, 2), fillvalue=np.nan)
            partly[:2, :2] = 1
            f.create_dataset("string", (3,), h5py.string_dtype(), chunks=(2,))
            f.create_dataset("fixed", (3,), "S3", chunks=(2,), fillvalue=b"ab")
            pair = np.array((3, 0.5), [("a", "<i4"), ("b", "<f8")])
            f.create_dataset("pair", (3,), pair.dtype, chunks=(2,), fillvalue=pair)
            for when, alloc in (("early", h5py.h5d.ALLOC_TIME_EARLY), ("late", h5py.h5d.ALLOC_TIME_LATE)):
                plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                plist.set_alloc_time(alloc)
                plist.set_fill_time(h5py.h5d.FILL_TIME_IFSET)
                plist.set_fill_value(np.array(7, "<i4"))
                space = h5py.h5s.create_simple((4,))
                h5py.h5d.create(f.id, f"alloc {when}".encode(), h5py.h5t.STD_I32LE, space, plist)


@file
def groups(new):
    for name, libver in VERSIONS:
        with new(f"groups-{name}.h5", libver=libver) as f:
            for count in (0, 1, 8, 9, 100, 600):
                group = f.create_group(f"of {count}")
                for i in range(count):
                    group[f"{i:04}" if i % 2 else f"member {i}"] = np.int8(i % 100)
            for count in (3, 40):
                group = f.create_group(f"tracked {count}", track_order=True)
                for i in range(count):
                    group[f"{(i * 7) % count}"] = i
            deep = f.create_group("a/b/c/d/e/f/g/h")
            deep["ünïcödé 名前"] = 1
            deep["n" * 300] = 2
    for name, libver in VERSIONS:
        with new(f"links-{name}.h5", libver=libver) as f:
            f["data/x"] = [1, 2, 3]
            f["hard"] = f["data/x"]
            f["soft"] = h5py.SoftLink("/data/x")
            f["data/relative"] = h5py.SoftLink("x")
            f["data/group"] = h5py.SoftLink("/data")
            f["to soft"] = h5py.SoftLink("soft")
            f["through"] = h5py.SoftLink("alias/x")
            f["alias"] = h5py.SoftLink("data")
            f["dangling"] = h5py.SoftLink("/nowhere")
            f["loop a"] = h5py.SoftLink("loop b")
            f["loop b"] = h5py.SoftLink("loop a")
            f["data/up"] = f["/"]
            f["data/self"] = f["data"]
            f["external"] = h5py.ExternalLink("other.h5", "/x")


@file
def attribute_kinds(new):
    for name, libver in VERSIONS:
        with new(f"attributes-{name}.h5", libver=libver) as f:
            node = f.create_dataset("kinds", data=[1])
            for dtype in INTEGERS + ["<f2", "<f4", ">f4", "<f8", ">f8"]:
                node.attrs[f"scalar {dtype}"] = example(dtype, (5,))[3]
                node.attrs[f"list {dtype}"] = example(dtype, (2, 3))
            node.attrs["text"] = "ünïcödé"
            node.attrs["fixed"] = np.bytes_(b"fixed")
            node.attrs["list of text"] = np.array(["a", "bc", ""], object)
            node.attrs["list of fixed"] = np.array([b"a", b"bc"])
            node.attrs["one"] = [1.5]
            node.attrs["one text"] = np.array(["x"], object)
            node.attrs["bool"] = True
            node.attrs["bools"] = [True, False]
            node.attrs["complex"] = 1 + 2j
            node.attrs["empty"] = h5py.Empty("<f4")
            node.attrs["empty text"] = h5py.Empty("S1")
            node.attrs["none"] = np.zeros((0,), "<i4")
            node.attrs["nan"] = np.nan
            node.attrs["infinite"] = [np.inf, -np.inf]
            node.attrs["pair"] = np.array((1, 2.5, b"xy"), [("a", "<i4"), ("b", ">f8"), ("c", "S3")])
            node.attrs["pairs"] = np.array([(1, "a"), (2, "b")], [("n", "<i2"), ("s", h5py.string_dtype())])
            node.attrs.create("enum", 1, dtype=h5py.enum_dtype({"A": 0, "B": 1}, "i1"))
            node.attrs.create("array", np.arange(6).reshape(1, 2, 3), None, np.dtype(("<i4", (2, 3))))
            node.attrs["reference"] = f.ref
            node.attrs["long double"] = np.longdouble(1)
            node.attrs.create("opaque", np.void(b"abc"))
            ragged = np.empty(2, object)
            ragged[:] = [np.array([1, 2], "<i4"), np.array([3], "<i4")]
            node.attrs.create("ragged", ragged, dtype=h5py.vlen_dtype("<i4"))
            node.attrs["_FillValue"] = np.array([-999.0], "<f4")
            floats = f.create_dataset("floats", data=np.zeros(2, "<f4"))
            floats.attrs["_FillValue"] = np.array([-999.0], "<f4")
            f["committed"] = np.dtype("<f8")
            node.attrs.create("committed", 2.5, dtype=f["committed"])
            for count in (7, 9, 60, 400):
                group = f.create_group(f"of {count}")
                for i in range(count):
                    group.attrs[f"name {i}"] = i
            for count in (5, 40):
                group = f.create_group(f"tracked {count}", track_order=True)
                for i in range(count):
                    group.attrs[f"{(i * 7) % count}"] = i
            f.create_group("long").attrs["text"] = "long " * 10000
            if name == "latest":
                f.create_group("large").attrs["list"] = np.arange(40000, dtype="<i4")


@file
def dense(new):
    """Links and attributes in fractal heaps, in a small file."""
    for track in (False, True):
        with new(f"dense-{track}.h5", libver="latest") as f:
            group = f.create_group("group", track_order=track)
            for i in range(20):
                group[f"{(i * 7) % 20}"] = h5py.SoftLink("/x")
                group.attrs[f"{(i * 7) % 20}"] = f"value {i}"
            f["x"] = np.arange(3, dtype="<i4")


@file
def superblocks(new):
    def fill(f):
        f["x"] = np.arange(5, dtype="<i4")
        f["g/strings"] = np.array(["a", "b"], object)
        f["g"].attrs["text"] = "hello"

    for size in (512, 1024, 2048):
        for name, libver in VERSIONS:
            with new(f"userblock-{size}-{name}.h5", userblock_size=size, libver=libver) as f:
                fill(f)
    for offsets, lengths in ((4, 4), (4, 8), (8, 4), (2, 2)):
        plist = h5py.h5p.create(h5py.h5p.FILE_CREATE)
        plist.set_sizes(offsets, lengths)
        with new(f"sizes-{offsets}-{lengths}.h5", fcpl=plist) as f:
            f["x"] = np.arange(5, dtype="<i4")
            f["g/y"] = np.arange(5, dtype="<i4")
            f["g"].attrs["text"] = np.bytes_(b"hello")
            f.create_dataset("chunked", data=np.arange(9), chunks=(2,))
    for strategy in ("page", "fsm", "aggregate", "none"):
        for persist in (False, True):
            if persist and strategy in ("aggregate", "none"):
                continue
            options = {"fs_strategy": strategy, "fs_persist": persist}
            if strategy == "page":
                options["fs_page_size"] = 8192
            with new(f"space-{strategy}-{persist}.h5", **options, libver="latest") as f:
                fill(f)
    for name in ("v108", "v110"):
        with new(f"version-{name}.h5", libver=(name, name)) as f:
            fill(f)
            f.create_dataset("chunked", data=np.arange(9), chunks=(2,), maxshape=(None,))
    with new("matlab.mat", userblock_size=512) as f:
        f["x"] = np.arange(6.0).reshape(2, 3)
        f["x"].attrs["MATLAB_class"] = np.bytes_(b"double")
        f["#refs#/a"] = np.array([[1]], "<u2")
        f["cell"] = np.array([[f["#refs#/a"].ref]], h5py.ref_dtype)
    with open(os.path.join(new.out, "matlab.mat"), "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64")


@file
def keras(new):
    with new("keras.h5") as f:
        f.attrs["backend"] = "tensorflow"
        f.attrs["model_config"] = json.dumps({"class_name": "Sequential", "config": list(range(50))})
        weights = f.create_group("model_weights")
        weights.attrs["layer_names"] = np.array([b"dense_1", b"dense_2"])
        for layer in ("dense_1", "dense_2"):
            group = weights.create_group(layer)
            group.attrs["weight_names"] = np.array([f"{layer}/kernel:0".encode()])
            group[f"{layer}/kernel:0"] = example("<f4", (4, 3))


@file
def refused(new):
    with new("refused.h5", libver="latest") as f:
        layout = h5py.VirtualLayout((2, 5), "<i4")
        layout[0] = h5py.VirtualSource("other.h5", "x", (5,))
        f.create_virtual_dataset("virtual", layout)
        f.create_dataset("external", (4,), "<i4", external=[("raw.bin", 0, 16)])
        f["fine"] = [1, 2]


@file
def scales(new):
    for name, libver in VERSIONS:
        with new(f"scales-{name}.h5", libver=libver) as f:
            f["lat"] = np.arange(3.0)
            f["lon"] = np.arange(4.0)
            f["t"] = example("<f4", (3, 4))
            f["lat"].make_scale("latitude")
            f["lon"].make_scale()
            f["t"].dims[0].attach_scale(f["lat"])
            f["t"].dims[1].attach_scale(f["lon"])
            f["labelled"] = example("<f4", (3, 4))
            f["labelled"].dims[0].label = "y"
            f["half"] = example("<f4", (3, 4))
            f["half"].dims[1].attach_scale(f["lon"])
            f["axes/z"] = np.arange(2.0)
            f["axes/z"].make_scale("height")
            f["far"] = np.zeros(2)
            f["far"].dims[0].attach_scale(f["axes/z"])
    return {
        "t": ["lat", "lon"],
        "lat": ["lat"],
        "lon": ["lon"],
        "labelled": ["y", None],
        "half": [None, "lon"],
        "axes/z": ["z"],
        "far": ["height"],
    }


@file
def anndata(new):
    """As anndata writes it."""

    def encode(node, kind, version):
        node.attrs["encoding-type"] = kind
        node.attrs["encoding-version"] = version

    with new("cells.h5ad") as f:
        encode(f, "anndata", "0.1.0")
        encode(f.create_dataset("X", data=example("<f4", (4, 3)), chunks=(2, 3), compression="gzip"), "array", "0.2.0")
        for axis, count in (("obs", 4), ("var", 3)):
            frame = f.create_group(axis)
            encode(frame, "dataframe", "0.2.0")
            frame.attrs["_index"] = "_index"
            frame.attrs["column-order"] = np.array(["kind"], object)
            names = np.array([f"{axis}{i}" for i in range(count)], object)
            encode(frame.create_dataset("_index", data=names), "string-array", "0.2.0")
            column = frame.create_group("kind")
            encode(column, "categorical", "0.2.0")
            column.attrs["ordered"] = False
            encode(column.create_dataset("codes", data=np.arange(count, dtype="i1") % 2), "array", "0.2.0")
            encode(column.create_dataset("categories", data=np.array(["a", "b"], object)), "string-array", "0.2.0")
        sparse = f.create_group("layers/counts")
        encode(f["layers"], "dict", "0.1.0")
        encode(sparse, "csr_matrix", "0.1.0")
        sparse.attrs["shape"] = np.array([4, 3])
        sparse["data"] = np.array([1, 2, 3], "<f4")
        sparse["indices"] = np.array([0, 2, 1], "<i4")
        sparse["indptr"] = np.array([0, 1, 2, 3, 3], "<i4")
        encode(f.create_dataset("uns/title", data="cells"), "string", "0.2.0")
        encode(f["uns"], "dict", "0.1.0")


# ---- HDF5 tools


def tools(writer):
    out = writer.out
    source = os.path.join(out, "attributes-latest.h5")
    for name, options in {
        "shared.h5": ["-s", "8"],
        "shared attributes.h5": ["-s", "8:attr"],
        "shared types.h5": ["-s", "8:dtype"],
        "repacked latest.h5": ["--latest"],
        "repacked compact.h5": ["-l", "COMPA"],
        "repacked contiguous.h5": ["-l", "CONTI"],
        "repacked user block.h5": ["-t", "4096"],
    }.items():
        if run("h5repack", *options, source, os.path.join(out, name)):
            describe(writer, name)


# ---- Damaged files


def damaged(writer):
    """Files of the first version, which has no checksums, with a few changed bytes."""
    plain = os.path.join(writer.out, "plain.h5")
    with h5py.File(plain, "w", libver=("earliest", "v108")) as f:
        f["type"] = np.dtype("<i4")
        f.create_dataset("shared", data=[1, 2], dtype=f["type"])
        f.create_dataset("pairs", data=np.zeros(2, [("first", "<i4"), ("second", "<i4")]))
        committed, root = (h5py.h5o.get_info(f[name].id).addr for name in ("type", "/"))
    with open(plain, "rb") as source:
        content = source.read()
    os.remove(plain)
    second = content.index(b"second\0\0") + 8
    # A shared message: version 2, of an object, its address.
    shared = content.index(b"\2\2" + committed.to_bytes(8, "little")) + 2
    message = content.index(b"\3\0", committed + 16)  # of the committed type: its type, length, flags and content
    cycle = b"\2\0\0\0" + b"\2\0" + committed.to_bytes(8, "little")
    for name, path, at, changed, error, text in [
        ("overlapping", "pairs", second, b"\2", "Unsupported", "compounds with overlapping members"),
        ("beyond", "pairs", second, b"\5", "InvalidMetadata", 'member "second" exceeds its compound type'),
        ("shared-nothing", "shared", shared, root.to_bytes(8, "little"), "InvalidMetadata", "no message to share"),
        ("shared-cycle", "shared", message + 4, cycle, "InvalidMetadata", "shared messages in a cycle"),
    ]:
        with open(os.path.join(writer.out, f"{name}.h5"), "wb") as target:
            target.write(content[:at] + changed + content[at + len(changed) :])
        writer.add(f"{name}.h5", path, error=error, message=text)


# ---- Main


class New:
    """Opens new files, and remembers them."""

    def __init__(self, out):
        self.out = out
        self.names = []

    def __call__(self, name, fcpl=None, **options):
        self.names.append(name)
        path = os.path.join(self.out, name)
        if fcpl is None:
            return h5py.File(path, "w", **options)
        return h5py.File(h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, fcpl))


def write_all(writer):
    for write in WRITERS:
        new = New(writer.out)
        dimensions = write(new) or {}
        for name in new.names:
            start = len(writer.lines)
            describe(writer, name)
            for line in writer.lines[start:]:
                if line["path"] in dimensions:
                    line["dimensions"] = dimensions[line["path"]]
            if write is numbers:
                writer.lines = [line for line in writer.lines if line["file"] != name or line["path"] not in ODD]
                odd_cases(writer, name)
    tools(writer)
    damaged(writer)


def main(out, *others):
    os.makedirs(out, exist_ok=True)
    writer = Writer(out)
    if others:
        for other in others:
            name = os.path.basename(other)
            try:
                shutil.copyfile(other, os.path.join(out, name))
                before = len(writer.lines)
                describe(writer, name)
            except Exception as error:
                del writer.lines[before:]
                print(f"{name}: h5py: {error}", file=sys.stderr)
    else:
        write_all(writer)
    writer.save()
    print(f"{len(writer.lines)} cases", file=sys.stderr)


main(*sys.argv[1:])
