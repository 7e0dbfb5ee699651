"""Writes tests/golden/tiff: small TIFF files by libtiff's tools and GDAL, and what tifffile and GDAL say of them.

    python3 tests/golden/tiff.py

needs Debian's libtiff-tools, python3-tifffile, python3-zarr, gdal-bin and python3-numpy (version 12: libtiff 4.5.0,
tifffile 2023.2.3, GDAL 3.6.2). Arrays are made here and written uncompressed by tifffile; tiffcp compresses them. Both
tifffile and GDAL must read back what was written (tifffile only what it can without imagecodecs).

index.jsonl has a line per file: its tags, SHA-256 of the elements in C order and little-endian, and the references
that tifffile's write_fsspec makes of it. gif.jsonl holds an LZW stream with the lowest bit first, as old TIFF files
have them, from a GIF by GDAL; tiffcp reads the same stream in a TIFF.
"""

import hashlib
import base64
import io
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import tifffile

FOLDER = pathlib.Path(__file__).parent / "tiff"


def values(shape, dtype, seed):
    """A slope with noise, negative in parts where the type allows it."""
    rng = np.random.default_rng(seed)
    rows, columns = np.indices(shape[:2])
    slope = rows * 3 + columns * 2 - 80
    if len(shape) == 3:
        slope = slope[..., None] + np.arange(shape[2]) * 17
    noise = rng.integers(0, 9, shape)
    if np.dtype(dtype).kind == "f":
        return ((slope + noise / 8) * 1.25).astype(dtype)
    if np.dtype(dtype).kind == "u":
        slope = slope + 80
    scale = {1: 1, 2: 37, 4: 70001}[np.dtype(dtype).itemsize]
    return ((slope + noise) * scale).astype(dtype)


def tiffcp(source, target, *options):
    subprocess.run(["tiffcp", *options, str(source), str(target)], check=True)


def gdal_translate(source, target, *options):
    creation = [word for option in options for word in ("-co", option)]
    subprocess.run(["gdal_translate", "-q", "-of", "GTiff", *creation, str(source), str(target)], check=True)


def read_by_gdal(path, samples, dtype):
    """Elements as GDAL reads them, samples last."""
    with tempfile.TemporaryDirectory() as folder:
        raw = pathlib.Path(folder) / "raw"
        command = ["gdal_translate", "-q", "-of", "ENVI", "-co", "INTERLEAVE=BIP", str(path), str(raw)]
        subprocess.run(command, check=True)
        return np.frombuffer(raw.read_bytes(), dtype)


TILES = ("-t", "-w", "32", "-l", "16")
STRIPS = ("-s", "-r", "9")
ONE_STRIP = ("-s", "-r", "10000")

GDAL_TILES = ("TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16")

# Name, shape, data type, order of samples, options of tiffcp, or of GDAL.
FILES = [
    ("lzw-u1-tiles", (45, 61), "u1", "contig", ("-c", "lzw", *TILES)),
    ("lzw-u1-long", (150, 220), "u1", "contig", ("-c", "lzw", *ONE_STRIP)),
    ("lzw2-u1-tiles", (45, 61), "u1", "contig", ("-c", "lzw:2", *TILES)),
    ("lzw2-u1-rgb-tiles", (45, 61, 3), "u1", "contig", ("-c", "lzw:2", *TILES)),
    ("lzw2-u1-rgb-planar", (45, 61, 3), "u1", "separate", ("-c", "lzw:2", *TILES)),
    ("lzw2-u1-four-strips", (45, 61, 4), "u1", "contig", ("-c", "lzw:2", *STRIPS)),
    ("lzw2-u1-six", (45, 31, 6), "u1", "contig", ("-c", "lzw:2", *STRIPS)),
    ("lzw-i2-strips", (45, 61), "i2", "contig", ("-c", "lzw", *STRIPS)),
    ("lzw2-i2-tiles", (45, 61), "i2", "contig", ("-c", "lzw:2", *TILES)),
    ("lzw2-i2-big", (45, 61), "i2", "contig", ("-B", "-c", "lzw:2", *TILES)),
    ("lzw2-u2-rgb-big", (45, 61, 3), "u2", "contig", ("-B", "-c", "lzw:2", *TILES)),
    ("lzw2-u4-strips", (45, 61), "u4", "contig", ("-c", "lzw:2", *STRIPS)),
    ("lzw2-f4-tiles", (45, 61), "f4", "contig", ("-c", "lzw:2", *TILES)),
    ("lzw3-f4-tiles", (45, 61), "f4", "contig", ("-c", "lzw:3", *TILES)),
    ("lzw3-f4-big", (45, 61), "f4", "contig", ("-B", "-c", "lzw:3", *TILES)),
    ("lzw3-f4-two-strips", (45, 61, 2), "f4", "contig", ("-c", "lzw:3", *STRIPS)),
    ("lzw3-f4-rgb-planar", (45, 61, 3), "f4", "separate", ("gdal", "COMPRESS=LZW", "PREDICTOR=3", *GDAL_TILES)),
    ("zstd2-u2-gdal-tiles", (45, 61), "u2", "contig", ("gdal", "COMPRESS=ZSTD", "PREDICTOR=2", *GDAL_TILES)),
    ("lzw3-f8-tiles", (45, 61), "f8", "contig", ("-c", "lzw:3", *TILES)),
    ("lzw3-f8-big-strips", (45, 61), "f8", "contig", ("-B", "-c", "lzw:3", *STRIPS)),
    ("zip3-f4-tiles", (45, 61), "f4", "contig", ("-c", "zip:3", *TILES)),
    ("zip2-u2-tiles", (45, 61), "u2", "contig", ("-c", "zip:2", *TILES)),
    ("zstd2-u2-strips", (45, 61), "u2", "contig", ("-c", "zstd:2", *STRIPS)),
    ("packbits-u1-tiles", (45, 61), "u1", "contig", ("-c", "packbits", *TILES)),
    ("packbits-i2-big-strips", (45, 61), "i2", "contig", ("-B", "-c", "packbits", *STRIPS)),
    ("packbits-u1-rgb-planar", (45, 61, 3), "u1", "separate", ("-c", "packbits", *STRIPS)),
    ("none-u2-rgb-big", (45, 61, 3), "u2", "contig", ("-B", "-c", "none", *TILES)),
]


def references_of(file):
    """What tifffile writes."""
    with file.series[0].aszarr(fillvalue=0) as store:
        references = io.StringIO()
        store.write_fsspec(references, url="")
    return json.loads(references.getvalue())


def make(name, shape, dtype, planar, options):
    array = values(shape, dtype, len(name) + shape[-1])
    if name.startswith("packbits"):
        array[:, 10:40] = array[:, 10:11]  # runs
    target = FOLDER / f"{name}.tif"
    photometric = "rgb" if shape[2:] == (3,) and dtype[0] == "u" else "minisblack"
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder) / "plain.tif"
        # libtiff 4.5.0 swaps bytes once too often when it writes predictor 3 big-endian, but not when it reads it.
        is_swapped = name.startswith(("lzw3", "zip3")) and "-B" in options
        given = array.byteswap() if is_swapped else array
        if planar == "separate":
            given = np.ascontiguousarray(np.moveaxis(given, -1, 0))
        order = planar if len(shape) == 3 else None
        tifffile.imwrite(plain, given, photometric=photometric, planarconfig=order)
        if options[0] == "gdal":
            gdal_translate(plain, target, "INTERLEAVE=" + ("BAND" if planar == "separate" else "PIXEL"), *options[1:])
        else:
            tiffcp(plain, target, "-p", planar, *options)
    little = np.dtype(dtype).newbyteorder("<")
    samples = shape[2] if len(shape) == 3 else 1
    assert np.array_equal(read_by_gdal(target, samples, little), array.astype(little).ravel()), name
    with tifffile.TiffFile(target) as file:
        page = file.pages[0]
        references = references_of(file)
        order = "big" if file.byteorder == ">" else "little"
        line = {
            "name": name,
            "shape": list(shape),
            "dtype": little.str,
            "order": order,
            "planar": planar == "separate",
            "predictor": int(page.predictor),
            "compression": int(page.compression),
            "chunk": [page.tilelength, page.tilewidth] if page.is_tiled else [page.rowsperstrip, shape[1]],
            "offsets": list(page.dataoffsets),
            "byteCounts": list(page.databytecounts),
            "sha256": hashlib.sha256(array.astype(little).tobytes()).hexdigest(),
            "references": references,
        }
    if line["chunk"][0] > shape[0]:
        line["chunk"][0] = shape[0]
    return line


def gif_stream(gif):
    """The LZW stream of a GIF's first image, out of its blocks of at most 255 bytes."""
    assert gif[:3] == b"GIF" and gif[10] & 0x80
    at = 13 + 3 * 2 ** ((gif[10] & 7) + 1)
    while gif[at] == 0x21:  # extensions
        at += 2
        while gif[at]:
            at += gif[at] + 1
        at += 1
    assert gif[at] == 0x2C and not gif[at + 9] & 0xC0  # no local colours, not interlaced
    at += 10
    assert gif[at] == 8  # codes start with 9 bits, as in TIFF
    at += 1
    parts = []
    while gif[at]:
        parts.append(gif[at + 1 : at + 1 + gif[at]])
        at += gif[at] + 1
    return b"".join(parts)


def low_first():
    lines = []
    for name, shape in [("gif-short", (20, 31)), ("gif-long", (150, 130))]:
        array = values(shape, "u1", 5)
        with tempfile.TemporaryDirectory() as folder:
            plain, gif, old, back = (pathlib.Path(folder) / f for f in ("a.tif", "a.gif", "old.tif", "back.tif"))
            tifffile.imwrite(plain, array)
            subprocess.run(["gdal_translate", "-q", "-of", "GIF", str(plain), str(gif)], check=True)
            stream = gif_stream(gif.read_bytes())
            # The same stream in a TIFF, for libtiff to read.
            tifffile.imwrite(old, array, rowsperstrip=shape[0])
            with tifffile.TiffFile(old, mode="r+b") as file:
                tags = file.pages[0].tags
                file.filehandle.seek(0, 2)
                offset = file.filehandle.tell()
                file.filehandle.write(stream)
                for tag, value in (("Compression", 5), ("StripOffsets", offset), ("StripByteCounts", len(stream))):
                    tags[tag].overwrite(value)
            tiffcp(old, back, "-c", "none")
            assert np.array_equal(tifffile.imread(back), array), name
        lines.append({
            "name": name,
            "shape": list(shape),
            "dtype": "|u1",
            "stream": base64.b64encode(stream).decode(),
            "sha256": hashlib.sha256(array.tobytes()).hexdigest(),
        })
    return lines


def write(name, lines):
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    (FOLDER / name).write_text(text)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    write("index.jsonl", [make(*file) for file in FILES])
    write("gif.jsonl", low_first())
