"""Writes precomputed volumes of Neuroglancer with a writer of its own, after the specification.

usage: precomputed.py OUT
"""

import gzip
import io
import itertools
import json
import os
import struct

import numpy
from PIL import Image
from shared.cases import lines, out, write_cases

random = numpy.random.default_rng(5)


def write(folder, name, data):
    path = os.path.join(out, folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def image_bytes(chunk, format):
    """chunk: c, z, y, x. Width x, height y * z."""
    c, z, y, x = chunk.shape
    pixels = numpy.moveaxis(chunk, 0, -1).reshape(z * y, x, c)
    image = Image.fromarray(pixels[:, :, 0] if c == 1 else pixels)
    stream = io.BytesIO()
    image.save(stream, format, **({"quality": 95} if format == "JPEG" else {}))
    return stream.getvalue()


def image_values(data, shape):
    """Returns the pixels as the decoder of libjpeg gives them."""
    c, z, y, x = shape
    pixels = numpy.asarray(Image.open(io.BytesIO(data))).reshape(z, y, x, c)
    return numpy.moveaxis(pixels, -1, 0)


def labels_bytes(chunk, block):
    channels = []
    for volume in chunk:
        padding = [(0, -length % own) for length, own in zip(volume.shape, block[::-1])]
        padded = numpy.pad(volume, padding, mode="edge")
        bz, by, bx = block[::-1]
        grid = [length // own for length, own in zip(padded.shape, (bz, by, bx))]
        head, body, tables = [], [], {}
        start = 2 * grid[0] * grid[1] * grid[2]
        for z, y, x in itertools.product(*map(range, grid)):
            cut = padded[z * bz : (z + 1) * bz, y * by : (y + 1) * by, x * bx : (x + 1) * bx]
            table, index = numpy.unique(cut, return_inverse=True)
            bits = next(b for b in (0, 1, 2, 4, 8, 16, 32) if 2**b >= len(table))
            values_at = start + len(body)
            if bits:
                packed = [0] * -(-index.size * bits // 32)
                for i, value in enumerate(index.ravel().tolist()):
                    packed[i * bits // 32] |= value << (i * bits % 32)
                body += packed
            key = table.tobytes()
            if key not in tables:
                tables[key] = start + len(body)
                body += numpy.frombuffer(key, "<u4").tolist()
            head += [tables[key] | bits << 24, values_at]
        channels.append(head + body)
    words, at = [], len(channels)
    for channel in channels:
        words.append(at)
        at += len(channel)
    return numpy.array(words + sum(channels, []), "<u4").tobytes()


def encode(chunk, scale):
    encoding = scale["encoding"]
    if encoding == "raw":
        return chunk.tobytes()
    if encoding == "compressed_segmentation":
        return labels_bytes(chunk, scale["compressed_segmentation_block_size"])
    return image_bytes(chunk, encoding.upper())


def morton(cell, grid):
    code = at = 0
    for bit in range(64):
        for axis in range(3):
            if 2**bit < grid[axis]:
                code |= (cell[axis] >> bit & 1) << at
                at += 1
    return code


def murmur(key):
    """MurmurHash3_x86_128 of 8 bytes, the low 64 bits."""
    mask = 0xFFFFFFFF
    rotl = lambda v, r: ((v << r) | (v >> (32 - r))) & mask
    c1, c2, c3 = 0x239B961B, 0xAB0E9789, 0x38B34AE5
    low, high = key & mask, key >> 32 & mask
    h = [0, 0, 0, 0]
    h[1] ^= rotl(high * c2 & mask, 16) * c3 & mask
    h[0] ^= rotl(low * c1 & mask, 15) * c2 & mask
    h = [own ^ 8 for own in h]

    def mix(h):
        first = sum(h) & mask
        return [first] + [(own + first) & mask for own in h[1:]]

    def last(v):
        v ^= v >> 16
        v = v * 0x85EBCA6B & mask
        v ^= v >> 13
        v = v * 0xC2B2AE35 & mask
        return v ^ v >> 16

    h = mix([last(own) for own in mix(h)])
    return h[0] | h[1] << 32


def write_shards(folder, chunks, spec):
    shards = {}
    for code, data in chunks.items():
        hashed = code >> spec["preshift_bits"]
        if spec["hash"] != "identity":
            hashed = murmur(hashed)
        mini = hashed & (1 << spec["minishard_bits"]) - 1
        shard = hashed >> spec["minishard_bits"] & (1 << spec["shard_bits"]) - 1
        data = gzip.compress(data, mtime=0) if spec.get("data_encoding") == "gzip" else data
        shards.setdefault(shard, {}).setdefault(mini, []).append((code, data))
    for shard, minis in shards.items():
        index, body = [], b""
        for mini in range(1 << spec["minishard_bits"]):
            entries = sorted(minis.get(mini, []))
            if not entries:
                index += [0, 0]
                continue
            rows, last, end = [[], [], []], 0, 0
            for code, data in entries:
                rows[0].append(code - last)
                rows[1].append(len(body) - end)
                rows[2].append(len(data))
                body += data
                last, end = code, len(body)
            raw = struct.pack(f"<{3 * len(entries)}Q", *sum(rows, []))
            if spec.get("minishard_index_encoding") == "gzip":
                raw = gzip.compress(raw, mtime=0)
            index += [len(body), len(body) + len(raw)]
            body += raw
        digits = -(-spec["shard_bits"] // 4)
        name = f"{shard:0{digits}x}.shard" if digits else "0.shard"
        write(folder, name, struct.pack(f"<{len(index)}Q", *index) + body)


def level(name, array, scale, missing=()):
    """Writes an array c, z, y, x; returns its values as readers see them."""
    size, cs = scale["size"], scale["chunk_sizes"][0]
    offset = scale.get("voxel_offset", [0, 0, 0])
    grid = [-(-length // own) for length, own in zip(size, cs)]
    seen = numpy.zeros_like(array)
    chunks = {}
    for cell in itertools.product(*map(range, grid)):
        if cell in missing:
            continue
        start = [i * own for i, own in zip(cell, cs)]
        end = [min(a + own, length) for a, own, length in zip(start, cs, size)]
        where = (slice(None),) + tuple(slice(a, b) for a, b in zip(start[::-1], end[::-1]))
        data = encode(array[where], scale)
        seen[where] = image_values(data, array[where].shape) if scale["encoding"] == "jpeg" else array[where]
        if "sharding" in scale:
            chunks[morton(cell, grid)] = data
        else:
            key = "_".join(f"{o + a}-{o + b}" for o, a, b in zip(offset, start, end))
            write(name, f"{scale['key']}/{key}", data)
    if "sharding" in scale:
        write_shards(f"{name}/{scale['key']}", chunks, scale["sharding"])
    return seen


def volume(name, dtype, shapes, chunk, missing=(), kind="image", labels=False, info=(), **options):
    scales, first = [], shapes[0]
    channels = first[0]
    attributes = {"data_type": dtype, "num_channels": channels, "type": kind, **dict(info)}
    datasets = []
    for i, shape in enumerate(shapes):
        size = list(shape[:0:-1])
        resolution = [8 * 2**i, 8 * 2**i, 30.5]
        scale = {"key": f"s{i}_key", "size": size, "resolution": resolution, "chunk_sizes": [chunk], **options}
        offset = scale.get("voxel_offset", [0, 0, 0])
        scales.append(scale)
        if labels:
            data = random.choice(random.integers(0, 2**31, labels), shape).astype(dtype)
            if dtype == "uint64":
                data += numpy.uint64(2**40)
        elif dtype == "float32":
            data = random.random(shape).astype(dtype)
        else:
            ramp = numpy.add.outer(numpy.arange(shape[-2]) * 3, numpy.arange(shape[-1]) * 2)
            data = numpy.broadcast_to(ramp, shape) + numpy.arange(channels).reshape(-1, 1, 1, 1) * 7
            data = data.astype(dtype)
        seen = level(name, data, scale, missing)
        file = f"{name}.{i}.bin"
        write("", file, seen.tobytes())
        lines.append({"file": name, "path": scale["key"], "kind": "array", "shape": list(shape), "data_type": dtype,
                      "dimensions": ["c", "z", "y", "x"], "attributes": {"precomputed": scale}, "values": file})
        steps = [{"type": "scale", "scale": [1.0, *(float(r) for r in resolution[::-1])]}]
        shift = [o * r + (r - r0) / 2 for o, r, r0 in zip(offset, resolution, scales[0]["resolution"])]
        if any(shift):
            steps.append({"type": "translation", "translation": [0.0, *(float(s) for s in shift[::-1])]})
        datasets.append({"path": scale["key"], "coordinateTransformations": steps})
    axes = [{"name": "c", "type": "channel"}] + [
        {"name": axis, "type": "space", "unit": "nanometer"} for axis in "zyx"
    ]
    ome = {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets}]}
    write(name, "info", json.dumps({**attributes, "scales": scales}).encode())
    lines.append({"file": name, "path": "", "kind": "group", "members": [s["key"] for s in scales],
                  "attributes": {"ome": ome, "precomputed": attributes}})


def shards(preshift, hash, minishard, shard, index="raw", data="raw"):
    return {"@type": "neuroglancer_uint64_sharded_v1", "preshift_bits": preshift, "hash": hash,
            "minishard_bits": minishard, "shard_bits": shard, "minishard_index_encoding": index,
            "data_encoding": data}


def refused(name, change, message, error="Unsupported", path="s0_key"):
    scale = {"key": "s0_key", "size": [4, 4, 4], "resolution": [1, 1, 1], "chunk_sizes": [[4, 4, 4]], "encoding": "raw"}
    info = {"data_type": "uint8", "num_channels": 1, "type": "image", "scales": [scale]}
    change(info, scale)
    write(name, "info", json.dumps(info).encode())
    lines.append({"file": name, "path": path, "error": error, "message": message})


for dtype in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "float32"):
    volume(f"raw-{dtype}", dtype, [(1, 9, 10, 11), (1, 9, 5, 6)], [4, 5, 3], encoding="raw", voxel_offset=[-3, 7, 100])
volume("typed", "uint8", [(2, 8, 8, 8)], [4, 4, 4], encoding="raw", missing=[(0, 1, 0), (1, 1, 1)],
       info={"@type": "neuroglancer_multiscale_volume", "mesh": "mesh"}.items())
volume("large-chunks", "uint16", [(1, 3, 4, 5)], [64, 64, 64], encoding="raw")
for channels in (1, 3):
    volume(f"jpeg-{channels}", "uint8", [(channels, 5, 9, 12)], [8, 8, 4], encoding="jpeg")
for channels in (1, 3, 4):
    volume(f"png-{channels}", "uint8", [(channels, 5, 9, 10)], [4, 4, 4], encoding="png")
block = {"encoding": "compressed_segmentation", "kind": "segmentation"}
for dtype in ("uint32", "uint64"):
    for labels in (1, 2, 3, 14, 200, 700):
        volume(f"labels-{dtype}-{labels}", dtype, [(1, 5, 12, 11) if labels < 200 else (1, 9, 17, 20)], [8, 16, 4], labels=labels,
               compressed_segmentation_block_size=[8, 8, 8] if labels < 700 else [16, 16, 16], **block)
volume("labels-channels", "uint32", [(2, 9, 10, 7)], [8, 8, 8], labels=9,
       compressed_segmentation_block_size=[4, 3, 2], **block)
for i, spec in enumerate([
    shards(0, "identity", 0, 0), shards(1, "identity", 2, 3), shards(0, "murmurhash3_x86_128", 1, 2, "gzip"),
    shards(2, "murmurhash3_x86_128", 3, 5, "gzip", "gzip"), shards(9, "identity", 6, 15, "raw", "gzip"),
]):
    volume(f"shards-{i}", "uint16", [(1, 9, 7, 21), (1, 5, 4, 11)], [4, 4, 4], sharding=spec, encoding="raw",
           missing=[(1, 1, 1)])
for data in ("raw", "gzip"):
    volume(f"shards-labels-{data}", "uint64", [(1, 5, 12, 11)], [8, 8, 4], labels=5,
           compressed_segmentation_block_size=[8, 8, 8], sharding=shards(1, "murmurhash3_x86_128", 1, 1, "gzip", data),
           **block)
volume("shards-jpeg", "uint8", [(3, 8, 8, 16)], [8, 8, 8], encoding="jpeg",
       sharding=shards(0, "identity", 1, 0, "raw", "gzip"))

refused("jxl", lambda info, scale: scale.update(encoding="jxl"), 'the encoding "jxl"')
refused("type", lambda info, scale: info.update(data_type="string"), 'of the type "string"')
refused("mesh", lambda info, scale: info.update({"@type": "neuroglancer_legacy_mesh"}), "neuroglancer_legacy_mesh", path="")
refused("size", lambda info, scale: scale.update(size=[1, 2]), '"size" of', "InvalidMetadata")
refused("jpeg-16", lambda info, scale: (info.update(data_type="uint16"), scale.update(encoding="jpeg")), "images (jpeg)")
refused("hash", lambda info, scale: scale.update(sharding=shards(0, "sha1", 1, 1)), 'hash "sha1"')
refused("key", lambda info, scale: scale.update(key="../../x"), "a key above the store")
write_cases()
