"""Images of every kind that the codecs imagecodecs_* decode, and what the formats' own programs make of them.

Run with Debian 12's python3 (python3-numpy, python3-pil), libjpeg-turbo-progs, webp, libopenjp2-tools, netpbm and
liblerc4 installed: python3 tests/golden/images.py > tests/golden/images.jsonl
Each line is an image: name, codec, configuration, data type, shape, the encoded bytes (base 64), SHA-256 and CRC-32 of
the pixels (C order, little-endian), and the program that decoded them.
"""

import base64
import ctypes
import hashlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np
from PIL import Image

HEIGHT, WIDTH = 21, 37
work = tempfile.mkdtemp()


def run(*command, data=None):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def emit(name, codec, encoded, pixels, program, configuration=None):
    raw = np.ascontiguousarray(pixels).astype(pixels.dtype.newbyteorder("<")).tobytes()
    line = {
        "name": name,
        "codec": codec,
        "configuration": configuration or {},
        "dtype": pixels.dtype.newbyteorder("<").str.replace(">", "<"),
        "shape": list(pixels.shape),
        "program": program,
        "bytes": len(raw),
        "crc32": zlib.crc32(raw),
        "sha256": hashlib.sha256(raw).hexdigest(),
        "data": base64.b64encode(encoded).decode(),
    }
    print(json.dumps(line))


def picture(channels, dtype=np.uint8, height=HEIGHT, width=WIDTH):
    """Waves, an edge and some noise."""
    y, x, c = np.mgrid[0:height, 0:width, 0:channels].astype(float)
    rng = np.random.default_rng(7 * channels)
    value = 0.5 + 0.3 * np.sin(x / 5 + c) * np.cos(y / 4 - c) + 0.1 * (x + y > 30) + 0.05 * rng.random(x.shape)
    top = np.iinfo(dtype).max
    return np.clip(value * top, 0, top).astype(dtype)


def pnm(pixels):
    """A PGM or PPM."""
    channels = pixels.shape[2]
    top = 255 if pixels.dtype == np.uint8 else 65535
    head = f"P{5 if channels == 1 else 6}\n{pixels.shape[1]} {pixels.shape[0]}\n{top}\n".encode()
    return head + pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()


def unpnm(data):
    """The pixels of a PGM, PPM or PAM."""
    if data[:2] == b"P7":
        head, raw = data.split(b"ENDHDR\n", 1)
        fields = dict(line.split(b" ", 1) for line in head.split(b"\n")[1:] if b" " in line)
        width, height, channels, top = (int(fields[k]) for k in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
    else:
        found = re.match(rb"P([56])\s+(?:#[^\n]*\n)*(\d+)\s+(\d+)\s+(\d+)\s", data)
        kind, width, height, top = (int(text) for text in found.groups())
        channels, raw = (1 if kind == 5 else 3), data[found.end() :]
    dtype = np.dtype("u1") if top < 256 else np.dtype(">u2")
    pixels = np.frombuffer(raw, dtype, width * height * channels).reshape(height, width, channels)
    return pixels[:, :, 0] if channels == 1 else pixels


def file(name, data=None):
    path = os.path.join(work, name)
    if data is not None:
        with open(path, "wb") as out:
            out.write(data)
    return path


def contents(path):
    with open(path, "rb") as data:
        return data.read()


def jpeg():
    codec = "imagecodecs_jpeg"
    for name, channels, options in [
        ("grey", 1, []),
        ("grey-q20", 1, ["-quality", "20"]),
        ("grey-optimized", 1, ["-optimize"]),
        ("grey-progressive", 1, ["-progressive"]),
        ("grey-arithmetic", 1, ["-arithmetic"]),
        ("grey-restarts", 1, ["-restart", "2B"]),
        ("rgb-444", 3, ["-sample", "1x1"]),
        ("rgb-422", 3, ["-sample", "2x1"]),
        ("rgb-420", 3, ["-sample", "2x2"]),
        ("rgb-440", 3, ["-sample", "1x2"]),
        ("rgb-411", 3, ["-sample", "4x1"]),
        ("rgb-q100", 3, ["-quality", "100"]),
        ("rgb-progressive-420", 3, ["-progressive", "-sample", "2x2"]),
        ("rgb-progressive-arithmetic", 3, ["-progressive", "-arithmetic"]),
        ("rgb-restarts", 3, ["-restart", "1"]),
        ("rgb-not-converted", 3, ["-rgb"]),
        ("rgb-float-dct", 3, ["-dct", "float"]),
        ("rgb-to-grey", 3, ["-grayscale"]),
        ("rgb-smooth", 3, ["-smooth", "30"]),
    ]:
        encoded = run("cjpeg", *options, data=pnm(picture(channels)))
        emit(name, codec, encoded, unpnm(run("djpeg", "-pnm", data=encoded)), "djpeg")
    for name, shape in [("grey-one-pixel", (1, 1, 1)), ("rgb-one-row", (1, 50, 3)), ("rgb-one-column", (50, 1, 3))]:
        encoded = run("cjpeg", data=pnm(picture(shape[2], height=shape[0], width=shape[1])))
        emit(name, codec, encoded, unpnm(run("djpeg", "-pnm", data=encoded)), "djpeg")
    out = io.BytesIO()
    Image.fromarray(picture(4), "CMYK").save(out, "JPEG")
    # Pillow turns Adobe's inverted CMYK around; libjpeg gives it as it is.
    emit("cmyk", codec, out.getvalue(), 255 - np.array(Image.open(out)), "Pillow, inverted")
    # Stored as YCC, and wanted so: the grey channel is luma.
    encoded = run("cjpeg", "-sample", "1x1", data=pnm(picture(3)))
    grey = unpnm(run("djpeg", "-pnm", "-grayscale", data=encoded))
    emit("as-grey", codec, encoded, grey, "djpeg -grayscale", {"colorspace_data": "GRAYSCALE"})
    # Tables apart, as TIFF has them: from the stream's segments.
    tables, rest = split_tables(encoded)
    emit("tables", codec, rest, unpnm(run("djpeg", "-pnm", data=encoded)), "djpeg", {"tables": text(tables)})
    # All but the scan's data in front, as microscopes' files have it.
    scan = encoded.index(b"\xff\xda")
    scan += 2 + struct.unpack(">H", encoded[scan + 2 : scan + 4])[0]
    emit("header", codec, encoded[scan:-2], unpnm(run("djpeg", "-pnm", data=encoded)), "djpeg", {"header": text(encoded[:scan])})
    # RGB stored without conversion and without a marker that says so: the caller has to say it.
    stored = run("cjpeg", "-rgb", "-sample", "1x1", data=pnm(picture(3)))
    bare = without_segment(stored, b"\xff\xee")
    bare = rename_components(bare)
    emit("rgb-said", codec, bare, unpnm(run("djpeg", "-pnm", data=stored)), "djpeg", {"colorspace_jpeg": "RGB", "colorspace_data": "RGB"})


def text(data):
    return base64.b64encode(data).decode()


def segments(encoded):
    """Segments in front of the scan: marker, all of its bytes."""
    at = 2
    while encoded[at : at + 2] != b"\xff\xda":
        length = 2 + struct.unpack(">H", encoded[at + 2 : at + 4])[0]
        yield encoded[at : at + 2], encoded[at : at + length]
        at += length
    yield b"", encoded[at:]


def split_tables(encoded):
    tables = b"".join(whole for marker, whole in segments(encoded) if marker in (b"\xff\xdb", b"\xff\xc4"))
    rest = b"".join(whole for marker, whole in segments(encoded) if marker not in (b"\xff\xdb", b"\xff\xc4"))
    return b"\xff\xd8" + tables + b"\xff\xd9", b"\xff\xd8" + rest


def without_segment(encoded, without):
    return b"\xff\xd8" + b"".join(whole for marker, whole in segments(encoded) if marker != without)


def rename_components(encoded):
    """Components 'R', 'G', 'B' become 1, 2, 3, as those of YCC are called."""
    parts = []
    for marker, whole in segments(encoded):
        if marker == b"\xff\xc0":
            whole = whole[:10] + b"".join(bytes([i + 1]) + whole[11 + 3 * i : 13 + 3 * i] for i in range(3))
        elif marker == b"":
            whole = whole[:5] + b"".join(bytes([i + 1]) + whole[6 + 2 * i : 7 + 2 * i] for i in range(3)) + whole[11:]
        parts.append(whole)
    return b"\xff\xd8" + b"".join(parts)


def webp():
    codec = "imagecodecs_webp"
    opaque, alpha = picture(3), picture(4)
    alpha[:5, :, 3] = 0
    for name, pixels, options in [
        ("lossy", opaque, []),
        ("lossy-q10", opaque, ["-q", "10"]),
        ("lossy-q100", opaque, ["-q", "100"]),
        ("lossy-m0", opaque, ["-m", "0"]),
        ("lossy-m6", opaque, ["-m", "6"]),
        ("lossy-segments", opaque, ["-segments", "4", "-sns", "80"]),
        ("lossy-strong-filter", opaque, ["-strong", "-f", "100"]),
        ("lossy-simple-filter", opaque, ["-nostrong", "-f", "60"]),
        ("lossy-sharpness", opaque, ["-sharpness", "6"]),
        ("lossy-sharp-yuv", opaque, ["-sharp_yuv"]),
        ("lossy-partitions", opaque, ["-partition_limit", "50"]),
        ("lossless", opaque, ["-lossless"]),
        ("lossless-z0", opaque, ["-lossless", "-z", "0"]),
        ("lossless-z9", opaque, ["-lossless", "-z", "9"]),
        ("near-lossless", opaque, ["-near_lossless", "40"]),
        ("alpha-lossy", alpha, []),
        ("alpha-lossy-q", alpha, ["-alpha_q", "30"]),
        ("alpha-raw", alpha, ["-alpha_method", "0"]),
        ("alpha-best-filter", alpha, ["-alpha_filter", "best"]),
        ("alpha-lossless", alpha, ["-lossless"]),
        ("alpha-lossless-exact", alpha, ["-lossless", "-exact"]),
        ("alpha-dropped", alpha, ["-noalpha"]),
        ("few-colours", opaque // 64 * 64, ["-lossless"]),
        ("two-colours", opaque // 128 * 255, ["-lossless"]),
    ]:
        png = io.BytesIO()
        Image.fromarray(pixels).save(png, "PNG")
        path = file("in.png", png.getvalue())
        run("cwebp", *options, path, "-o", file("out.webp"))
        encoded = contents(file("out.webp"))
        emit(name, codec, encoded, webp_pixels(pixels.shape[2] == 4 and "dropped" not in name), "dwebp")
    run("cwebp", "-lossless", file("in.png"), "-o", file("out.webp"))
    emit("alpha-wanted", codec, contents(file("out.webp")), webp_pixels(True), "dwebp", {"hasalpha": True})


def webp_pixels(has_alpha):
    run("dwebp", file("out.webp"), "-pam", "-o", file("out.pam"))
    pixels = unpnm(contents(file("out.pam")))
    return pixels if has_alpha else pixels[:, :, :3]


def jpeg2k():
    codec = "imagecodecs_jpeg2k"
    for name, pixels, ending, options in [
        ("grey", picture(1), "j2k", []),
        ("grey-file", picture(1), "jp2", []),
        ("grey-16", picture(1, np.uint16), "j2k", []),
        ("grey-lossy", picture(1), "j2k", ["-I", "-r", "8"]),
        ("grey-one-resolution", picture(1), "j2k", ["-n", "1"]),
        ("grey-tiles", picture(1), "j2k", ["-t", "16,16"]),
        ("grey-tile-parts", picture(1), "j2k", ["-t", "16,16", "-TP", "R"]),
        ("grey-precincts", picture(1), "j2k", ["-c", "[16,16]", "-b", "8,8"]),
        ("grey-code-blocks", picture(1), "j2k", ["-b", "4,64"]),
        ("grey-bypass", picture(1), "j2k", ["-M", "1"]),
        ("grey-all-modes", picture(1), "j2k", ["-M", "63"]),
        ("grey-markers", picture(1), "j2k", ["-SOP", "-EPH"]),
        ("grey-layers", picture(1), "j2k", ["-r", "20,10,1"]),
        ("rgb", picture(3), "j2k", []),
        ("rgb-file", picture(3), "jp2", []),
        ("rgb-16", picture(3, np.uint16), "jp2", []),
        ("rgb-lossy", picture(3), "j2k", ["-I", "-r", "12"]),
        ("rgb-no-transform", picture(3), "j2k", ["-mct", "0"]),
        ("rgb-lrcp", picture(3), "j2k", ["-p", "LRCP", "-r", "10,1"]),
        ("rgb-rpcl", picture(3), "j2k", ["-p", "RPCL", "-t", "32,32"]),
        ("rgb-pcrl", picture(3), "j2k", ["-p", "PCRL"]),
        ("rgb-cprl", picture(3), "j2k", ["-p", "CPRL"]),
        ("rgb-offset", picture(3), "j2k", ["-d", "3,5"]),
    ]:
        source = file("in.pgm" if pixels.shape[2] == 1 else "in.ppm", pnm(pixels))
        run("opj_compress", "-n", "3", "-i", source, "-o", file("out." + ending), *options)
        back = file("back.pgm" if pixels.shape[2] == 1 else "back.ppm")
        run("opj_decompress", "-i", file("out." + ending), "-o", back)
        emit(name, codec, contents(file("out." + ending)), unpnm(contents(back)), "opj_decompress")
    signed = (picture(1, np.uint16)[:, :, 0].astype(int) - 32768).astype("<i2")
    raw = file("in.raw", signed.astype(">i2").tobytes())
    run("opj_compress", "-n", "3", "-F", f"{WIDTH},{HEIGHT},1,16,s", "-i", raw, "-o", file("out.j2k"))
    emit("grey-signed-16", codec, contents(file("out.j2k")), signed, "lossless")
    wide = picture(3).transpose(2, 0, 1)
    raw = file("in.raw", wide.tobytes())
    run("opj_compress", "-n", "3", "-mct", "0", "-F", f"{WIDTH},{HEIGHT},3,8,u", "-i", raw, "-o", file("out.j2k"))
    emit("planar", codec, contents(file("out.j2k")), wide, "lossless", {"planar": True})


def png():
    codec = "imagecodecs_png"
    for name, channels, dtype in [("grey", 1, np.uint8), ("grey-16", 1, np.uint16), ("rgb", 3, np.uint8), ("rgb-16", 3, np.uint16)]:
        pixels = picture(channels, dtype)
        right = pixels[:, :, 0] if channels == 1 else pixels
        for kind, options in [("", []), ("-interlaced", ["-interlace"]), ("-paeth", ["-paeth"]), ("-sub", ["-sub"]), ("-up", ["-up"]), ("-avg", ["-avg"]), ("-none", ["-nofilter"])]:
            encoded = run("pnmtopng", "-force", *options, data=pnm(pixels))
            emit(name + kind, codec, encoded, right, "lossless")
    for bits, top in [(1, 1), (2, 3), (4, 15)]:
        small = picture(1)[:, :, 0] // (256 // (top + 1))
        data = f"P5\n{WIDTH} {HEIGHT}\n{top}\n".encode() + small.tobytes()
        for kind, options in [("", []), ("-interlaced", ["-interlace"])]:
            emit(f"grey-{bits}{kind}", codec, run("pnmtopng", *options, data=data), small * (255 // top), "lossless")
    rgb = Image.fromarray(picture(3))
    for colours in (2, 4, 16, 200):
        few = rgb.quantize(colours)
        emit(f"palette-{colours}", codec, saved(few), np.array(few.convert("RGB")), "Pillow")
    few = rgb.quantize(16)
    right = np.dstack([np.array(few.convert("RGB")), np.where(np.array(few) == 3, 0, 255).astype(np.uint8)])
    emit("palette-transparent", codec, saved(few, transparency=3), right, "Pillow")
    for mode, channels in [("LA", 2), ("RGBA", 4)]:
        pixels = picture(channels)
        emit(mode.lower(), codec, saved(Image.fromarray(pixels, mode)), pixels, "lossless")
    grey = picture(1)[:, :, 0]
    clear = int(grey[3, 3])
    right = np.dstack([grey, np.where(grey == clear, 0, 255).astype(np.uint8)])
    emit("grey-transparent", codec, saved(Image.fromarray(grey), transparency=clear), right, "Pillow")
    pixels = picture(3)
    clear = tuple(int(v) for v in pixels[3, 3])
    mask = (pixels == pixels[3, 3]).all(axis=2)
    right = np.dstack([pixels, np.where(mask, 0, 255).astype(np.uint8)])
    emit("rgb-transparent", codec, saved(Image.fromarray(pixels), transparency=clear), right, "Pillow")
    emit("one-pixel", codec, saved(Image.fromarray(pixels[:1, :1])), pixels[:1, :1], "lossless")


def saved(image, **options):
    out = io.BytesIO()
    image.save(out, "PNG", **options)
    return out.getvalue()


def lerc():
    codec = "imagecodecs_lerc"
    library = ctypes.CDLL("libLerc.so.4")
    types = ["i1", "u1", "<i2", "<u2", "<i4", "<u4", "<f4", "<f8"]

    def encode(pixels, depth, columns, rows, bands, error, masks=None, version=-1):
        room = ctypes.create_string_buffer(pixels.nbytes * 2 + 10000)
        written = ctypes.c_uint(0)
        count = 0 if masks is None else masks.shape[0]
        failed = library.lerc_encodeForVersion(
            pixels.ctypes.data_as(ctypes.c_void_p), version, types.index(types_of(pixels)), depth, columns, rows, bands,
            count, None if masks is None else masks.ctypes.data_as(ctypes.c_void_p), ctypes.c_double(error), room,
            len(room), ctypes.byref(written))
        assert failed == 0, failed
        return room.raw[: written.value]

    def types_of(pixels):
        return pixels.dtype.str.replace("|", "")

    def decode(encoded, pixels, depth, columns, rows, bands, masks):
        out = np.zeros_like(pixels)
        valid = np.zeros((max(1, masks), rows, columns), np.uint8)
        failed = library.lerc_decode(encoded, len(encoded), masks, valid.ctypes.data_as(ctypes.c_void_p), depth,
            columns, rows, bands, types.index(types_of(pixels)), out.ctypes.data_as(ctypes.c_void_p))
        assert failed == 0, failed
        return out

    def values(dtype, shape=(HEIGHT, WIDTH)):
        y, x = np.mgrid[0 : shape[0], 0 : shape[1]].astype(float)
        return np.ascontiguousarray((50 + 30 * np.sin(x / 6) * np.cos(y / 5) + np.random.default_rng(3).random(shape)).astype(dtype))

    def put(name, pixels, depth, columns, rows, bands, error, masks=None, version=-1, wrap=lambda data: data):
        encoded = encode(pixels, depth, columns, rows, bands, error, masks, version)
        right = decode(encoded, pixels, depth, columns, rows, bands, 0 if masks is None else masks.shape[0])
        emit(name, codec, wrap(encoded), right, "libLerc 4.0.0")

    for dtype in types:
        for error in (0, 1.5):
            put(f"{dtype.strip('<')}-{error}", values(dtype), 1, WIDTH, HEIGHT, 1, error)
    for version in (2, 3, 4, 5, 6):
        put(f"version-{version}", values("<f4"), 1, WIDTH, HEIGHT, 1, 0.01, version=version)
        put(f"version-{version}-bytes", values("u1"), 1, WIDTH, HEIGHT, 1, 0, version=version)
    put("one-value", np.full((HEIGHT, WIDTH), 7, "<i2"), 1, WIDTH, HEIGHT, 1, 0)
    put("bands", np.stack([values("<u2"), values("<u2") + 9]), 1, WIDTH, HEIGHT, 2, 0)
    put("depth", np.ascontiguousarray(np.dstack([values("u1"), values("u1") + 3, values("u1") // 2])), 3, WIDTH, HEIGHT, 1, 0)
    put("depth-float", np.ascontiguousarray(np.dstack([values("<f4"), values("<f4") * 2])), 2, WIDTH, HEIGHT, 1, 0)
    mask = np.ones((1, HEIGHT, WIDTH), np.uint8)
    mask[0, :7, 3:20] = 0
    put("mask", values("<f4"), 1, WIDTH, HEIGHT, 1, 0, mask)
    put("all-masked", values("<f4"), 1, WIDTH, HEIGHT, 1, 0, np.zeros_like(mask))
    masks = np.concatenate([mask, 1 - mask])
    put("masks", np.stack([values("<i4"), values("<i4") + 9]), 1, WIDTH, HEIGHT, 2, 0, masks)
    put("zlib", values("<f4"), 1, WIDTH, HEIGHT, 1, 0.1, wrap=lambda data: zlib.compress(data))
    put("zstd", values("<f4"), 1, WIDTH, HEIGHT, 1, 0.1, wrap=lambda data: run("zstd", "-c", data=data))
    put("large", values("<f4", (80, 90)), 1, 90, 80, 1, 0.1)


if __name__ == "__main__":
    for make in [jpeg, webp, jpeg2k, png, lerc]:
        make()
