"""Writes N5 hierarchies with zarr-python's N5FSStore, and blocks of other compressions with a writer of its own.

usage: n5.py OUT
"""

import bz2
import gzip
import json
import lzma
import os
import struct
import sys
import warnings
import zlib

import numcodecs
import numpy
import zarr
from zarr.n5 import N5FSStore
from shared.cases import lines, out, write_cases

random = numpy.random.default_rng(7)
warnings.simplefilter("ignore")


def write(*parts, data):
    path = os.path.join(out, *parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def expect(file, path, array, **more):
    name = f"{file}.{path.replace('/', '.')}.bin"
    write(name, data=numpy.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes())
    lines.append({"file": file, "path": path, "kind": "array", "shape": list(array.shape),
                  "data_type": array.dtype.name, "values": name, **more})


def by_zarr():
    root = zarr.group(store=N5FSStore(os.path.join(out, "zarr.n5")), overwrite=True)
    root.attrs["title"] = "by zarr-python"
    types = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]
    for code in types:
        shape = (7, 10, 5)[: 1 + len(code) % 2 + int(code[1]) % 3]
        data = (random.random(shape) * 250 - (100 if code[0] == "i" else 0)).astype(code)
        array = root.create_dataset(f"types/{code}", data=data, chunks=(3, 4, 2)[: len(shape)])
        array.attrs["code"] = code
    compressors = {
        "raw": None, "gzip": numcodecs.GZip(3), "bz2": numcodecs.BZ2(2), "xz": numcodecs.LZMA(preset=1),
        "blosc-lz4": numcodecs.Blosc("lz4", 5, numcodecs.Blosc.SHUFFLE),
        "blosc-zstd": numcodecs.Blosc("zstd", 3, numcodecs.Blosc.BITSHUFFLE),
        "blosc-blosclz": numcodecs.Blosc("blosclz", 9, numcodecs.Blosc.NOSHUFFLE),
        "zlib": numcodecs.Zlib(4),
    }
    for name, compressor in compressors.items():
        data = numpy.add.outer(numpy.arange(20), numpy.arange(30)).astype("i4")
        try:
            root.create_dataset(f"codecs/{name}", data=data, chunks=(8, 9), compressor=compressor)
        except Exception as error:
            print(f"left out: {name}: {error}", file=sys.stderr)
    sparse = root.create_dataset("sparse", shape=(10, 10), chunks=(4, 4), dtype="u2", compressor=None)
    sparse[5:, 2:3] = 7
    root.create_group("empty")
    for group in ("types", "codecs"):
        for name, array in root[group].arrays():
            attributes = {"code": name} if group == "types" else {}
            expect("zarr.n5", f"{group}/{name}", array[...], attributes=attributes)
    expect("zarr.n5", "sparse", sparse[...], attributes={})
    members = ["codecs", "empty", "sparse", "types"]
    lines.append({"file": "zarr.n5", "path": "", "kind": "group", "members": members,
                  "attributes": {"title": "by zarr-python"}})
    lines.append({"file": "zarr.n5", "path": "empty", "kind": "group", "members": []})
    lines.append({"file": "zarr.n5", "path": "types", "kind": "group", "members": sorted(types)})


def lz4_java(data, size=1 << 8):
    """Frames of LZ4BlockOutputStream of lz4-java; checksums are zero, which readers here ignore."""
    frames = b""
    for at in range(0, len(data), size):
        block = data[at : at + size]
        packed = numcodecs.LZ4().encode(block)[4:]
        method = 0x20
        if len(packed) >= len(block):
            packed, method = block, 0x10
        frames += b"LZ4Block" + struct.pack("<BIII", method, len(packed), len(block), 0) + packed
    return frames + b"LZ4Block" + struct.pack("<BIII", 0x10, 0, 0, 0)


packers = {
    "raw": bytes, "gzip": lambda data: gzip.compress(data, mtime=0), "bzip2": bz2.compress, "xz": lzma.compress,
    "lz4": lz4_java, "zstd": numcodecs.Zstd(3).encode,
    "blosc": lambda data: numcodecs.Blosc("zstd", 5, 1).encode(numpy.frombuffer(data, "u1")),
}
options = {
    "gzip": {"level": -1, "useZlib": False}, "bzip2": {"blockSize": 9}, "xz": {"preset": 6}, "lz4": {"blockSize": 65536},
    "zstd": {"level": 3, "nbWorkers": 0}, "blosc": {"cname": "zstd", "clevel": 5, "shuffle": 1, "blocksize": 0, "nthreads": 1},
}


def block_array(file, path, array, chunk, kind, pack, extra=(), compression=None, cropped=True, mode=0):
    """Writes an array; axes are reversed."""
    compression = {"type": kind, **options.get(kind, {})} if compression is None else compression
    shape = array.shape
    document = {"dimensions": shape[::-1], "blockSize": chunk[::-1], "dataType": array.dtype.name, **dict(extra),
                **(compression if "compressionType" in compression else {"compression": compression})}
    write(file, path, "attributes.json", data=json.dumps(document).encode())
    for cell in numpy.ndindex(*(-(-length // own) for length, own in zip(shape, chunk))):
        start = [i * own for i, own in zip(cell, chunk)]
        block = array[tuple(slice(a, a + own) for a, own in zip(start, chunk))]
        if not cropped:
            block = numpy.pad(block, [(0, own - length) for own, length in zip(chunk, block.shape)])
        head = struct.pack(f">HH{block.ndim}I", mode, block.ndim, *block.shape[::-1])
        data = block.astype(block.dtype.newbyteorder(">")).tobytes()
        write(file, path, *map(str, cell[::-1]), data=head + pack(data))


def by_hand():
    write("java.n5", "attributes.json", data=b'{"n5": "4.0.0", "lab": {"name": "x", "value": 1.0}}')
    for kind, pack in packers.items():
        for dtype in ("uint16", "float32"):
            data = (numpy.arange(7 * 5 * 6) // 2).reshape(7, 5, 6).astype(dtype)
            path = f"{kind}/{dtype}"
            block_array("java.n5", path, data, (4, 5, 4), kind, pack)
            expect("java.n5", path, data, attributes={})
    data = numpy.arange(120, dtype="int16").reshape(10, 12)
    block_array("java.n5", "zlib", data, (4, 5), "", zlib.compress, compression={"type": "gzip", "level": 6, "useZlib": True})
    expect("java.n5", "zlib", data)
    block_array("java.n5", "old", data, (4, 5), "", packers["gzip"], compression={"compressionType": "gzip"})
    expect("java.n5", "old", data)
    block_array("java.n5", "padded", data, (4, 5), "raw", bytes, cropped=False, extra=[("axes", ["x", "y"]), ("note", "é")])
    expect("java.n5", "padded", data, dimensions=["y", "x"], attributes={"axes": ["x", "y"], "note": "é"})
    lines.append({"file": "java.n5", "path": "", "kind": "group", "attributes": {"lab": {"name": "x", "value": 1.0}},
                  "members": ["bad", "old", "padded", "zlib", *packers]})
    block_array("java.n5", "bad/varlength", data, (4, 5), "raw", bytes, mode=1)
    block_array("java.n5", "bad/object", data, (4, 5), "raw", bytes, mode=2)
    block_array("java.n5", "bad/jpeg", data, (4, 5), "jpeg", bytes)
    document = {"dimensions": [3], "blockSize": [3], "dataType": "string", "compression": {"type": "raw"}}
    write("java.n5", "bad/string", "attributes.json", data=json.dumps(document).encode())
    document = {"dimensions": [3], "blockSize": [0], "dataType": "uint8", "compression": {"type": "raw"}}
    write("java.n5", "bad/block", "attributes.json", data=json.dumps(document).encode())
    write("java.n5", "bad/json", "attributes.json", data=b'{"dimensions": [3')
    for name, error, message in (
        ("varlength", "Unsupported", "mode 1"), ("object", "Unsupported", "mode 2"),
        ("jpeg", "Unsupported", 'compression "jpeg"'), ("string", "Unsupported", 'type "string"'),
        ("block", "InvalidMetadata", "blockSize"), ("json", "InvalidMetadata", "attributes.json"),
    ):
        lines.append({"file": "java.n5", "path": f"bad/{name}", "error": error, "message": message})


def space(names, unit):
    return [{"name": name, "type": "space", **({"unit": unit} if unit else {})} for name in names]


def dataset(path, scale, translation):
    steps = [{"type": "scale", "scale": [float(v) for v in scale]}]
    if any(translation):
        steps.append({"type": "translation", "translation": [float(v) for v in translation]})
    return {"path": path, "coordinateTransformations": steps}


def image(axes, datasets):
    return {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets}]}


def multiscales():
    data = numpy.arange(8 * 8 * 8, dtype="uint8").reshape(8, 8, 8)
    pixels = {"unit": "um", "dimensions": [0.5, 0.25, 2.0]}
    cases = {
        "viewer": ({"pixelResolution": pixels}, True),
        "scales": ({"pixelResolution": pixels, "scales": [[1, 1, 1], [2, 2, 1]]}, False),
        "plain": ({"multiScale": True, "resolution": [0.5, 0.25, 2.0], "units": ["nm", "nm", "nm"]}, True),
    }
    for name, (group, has_factors) in cases.items():
        file = "images.n5"
        write(file, name, "attributes.json", data=json.dumps(group).encode())
        for i, factors in enumerate(([1, 1, 1], [2, 2, 1])):
            level = data[:, :: factors[1], :: factors[0]]
            extra = [("downsamplingFactors", factors)] if has_factors else []
            block_array(file, f"{name}/s{i}", level, (4, 8, 8), "gzip", packers["gzip"], extra)
            expect(file, f"{name}/s{i}", level, attributes=dict(extra))
        unit = "nanometer" if name == "plain" else "micrometer"
        sets = [dataset("s0", [2, 0.25, 0.5], [0]), dataset("s1", [2, 0.5, 1], [0, 0.125, 0.25])]
        lines.append({"file": file, "path": name, "kind": "group", "members": ["s0", "s1"],
                      "attributes": {**group, "ome": image(space("zyx", unit), sets)}})
    transform = {"axes": ["z", "y", "x"], "scale": [5.24, 4.0, 4.0], "translate": [2.62, 2.0, 0.0], "units": ["nm"] * 3}
    group = {"multiscales": [{"name": "em", "datasets": [{"path": "s0", "transform": transform}]}]}
    write("images.n5", "cosem", "attributes.json", data=json.dumps(group).encode())
    block_array("images.n5", "cosem/s0", data, (4, 8, 8), "raw", bytes, [("transform", transform)])
    sets = [dataset("s0", transform["scale"], transform["translate"])]
    lines.append({"file": "images.n5", "path": "cosem", "kind": "group", "members": ["s0"],
                  "attributes": {**group, "ome": image(space("zyx", "nanometer"), sets)}})
    write("images.n5", "unclear", "attributes.json", data=json.dumps({"pixelResolution": [1, 2]}).encode())
    block_array("images.n5", "unclear/s0", data, (4, 8, 8), "raw", bytes)
    lines.append({"file": "images.n5", "path": "unclear", "kind": "group", "attributes": {"pixelResolution": [1, 2]}})


by_zarr()
by_hand()
multiscales()
write_cases()
